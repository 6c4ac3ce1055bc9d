-- switches.lua: what the energy changes at a state where time switches a potential, a mass or a frame: this is work, and no error of the balance.
local switches = {}

local BESIDE = 1e-13                   -- so far beside a point, relative, time has switched: farther than what counts as on the corner (mechanics/branch.c)
local SWITCH = 1e-9                    -- part of the energy that smooth potentials do not change there

--- At (t, x) of a run that starts at t0 and goes forward (1) or back (-1): what the energy has changed at the state itself, and just behind it; nil: nothing.
--- energy(t, x) may return nil where it has no value. begins: the run starts there, so that nothing is before it.
function switches.at(energy, t, x, t0, forward, begins)
  local aside = forward*BESIDE*math.max(math.abs(t), math.abs(t0))
  local here, behind = energy(t, x), energy(t + aside, x)
  local before = begins and here or energy(t - aside, x)
  if not (before and here and behind) then return nil end
  if math.max(math.abs(behind - before), math.abs(here - before)) > SWITCH*(math.abs(behind) + math.abs(before)) then return here - before, behind - before end
end

return switches
