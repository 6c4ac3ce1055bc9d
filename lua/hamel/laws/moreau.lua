-- Moreau's law of impact: the normal velocity after is -e times the one before, and Coulomb's friction opposes the slip after the impact,
-- |P_t| <= mu P_n. hm.newton(e) follows friction along the impact instead. method = "moreau" obeys this law.
return {
  name = "moreau",
  title = "Moreau's law of impact with friction after the impact",
  source = "Moreau 1988; Jean 1999",
  parameters = { "restitution" },
  options = { tangential = { type = "number", or_type = "userdata", doc = "coefficient e_t of the rough rows; e unless given" } },
}
