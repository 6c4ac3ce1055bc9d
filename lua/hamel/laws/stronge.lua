-- Stronge's law of impact: the work of the normal impulse during restitution is -e^2 times the one during compression, W_r = -e^2 W_c.
-- It never creates energy, whatever the friction does.
return {
  name = "stronge",
  title = "Stronge's energetic restitution",
  source = "Stronge 1990",
  parameters = { "restitution" },
}
