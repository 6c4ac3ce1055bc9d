-- Poisson's law of impact in two phases: the normal impulse of restitution is e times the one of compression, P_r = e P_c. It differs from
-- Newton's where friction changes its direction during the impact.
return {
  name = "poisson",
  title = "Poisson's restitution of impulses",
  source = "Poisson 1817; Routh 1860; Keller 1986",
  parameters = { "restitution" },
}
