-- Lindelof's equations: the constraints put into T and Lagrange's equations written for the rest. They are wrong for the motion of
-- nonholonomic systems (that is why Chaplygin's have further terms) and are here to be compared: Liang 1999 (46).
local inserted = require "hamel.forms.shared.inserted"

return {
  name = "lindelof",
  title = "Lindelof equations (not the motion of the system: terms are missing)",
  source = "Lindelof 1895; Liang 1999 (39)-(46)",
  takes = { dependent = true },
  another_motion = true,
  derive = inserted,
}
