-- Newton's law of impact: the normal velocity after is -e times the one before, u+ = -e u-. With several contacts at once it is
-- Moreau's law, 0 <= P_i, u_i+ + e_i u_i- >= 0, one of the two zero. Rough rows: f+ = -e_t f- (e_t = e unless given).
return {
  name = "newton",
  title = "Newton's restitution of velocities",
  source = "Newton 1687; Moreau 1988 for several contacts; with rough rows (2.1) of the paper on one-sided constraints",
  parameters = { "restitution" },
  options = { tangential = { type = "number", or_type = "userdata", doc = "coefficient e_t of the rough rows; e unless given" } },
}
