-- chart/slowest.lua: has a motion without a period had the time to settle, by the slowest decay of what surrounds it?
--
-- A bound comes from the least damping of all degrees of freedom. Where it leaves this open, as where damping acts on some of them only, Lyapunov's exponents
-- of the late motion decide: chaos has no period, and else each exponent must be negative enough, but that along the motion itself where nothing depends on the
-- time, and one more where a motion excites itself, as on a torus. Weakly damped oscillations have two equal ones.
local core = require "hamel.core"
local jobs = require "hamel.analysis.sweep.jobs"
local protected = require "hamel.base.protected"
local volumes = require "hamel.chart.volumes"

local slowest = {}

local FAR = 10                          -- of the extent: how far from the motion to which it comes a start may be
local EVEN = 1e-6                       -- relative: by how much the damping of degrees of freedom that is the same for all may differ
local PART = 0.1                        -- of the time of the run: over which exponents are looked at first
local RESOLVED = 2                      -- powers of e by which a direction shrinks at least for its rate to be known
local FEWEST_STEPS = 100                -- what steps of a run count as at least

-- Lyapunov's exponents from a state on, the largest first; nil: there are none
local function exponents_from(system, o, names, state, parameters, time)
  local given = { q = {}, v = {}, t = { state.t, state.t + time }, parameters = parameters, rtol = o.rtol, atol = o.atol }
  for i, name in ipairs(names) do
    local q = name:match "^(.*)'$"
    if q then given.v[q] = state[i] else given.q[name] = state[i] end
  end
  local fine, L = protected(system.lyapunov, system, given)
  if core.host.interrupted() then error(L, 0) end
  jobs.rethrow_interrupt(fine, L)
  return fine and L.exponents or nil
end

-- The largest exponent that is not negative enough, how many there are, and whether the motion is surely chaotic; nil: they are not known
local function judged(row, about, o, parameters, rate)
  local state, time = row.late[#row.late], about.t1 - about.t0
  for _, part in ipairs{ PART, 1 } do
    local list = exponents_from(about.system, o, about.names, state, parameters, part*time)
    if not list then return nil end
    -- a regular motion may leave such a growth
    if list[1]*part*time > 2*math.log(math.max(row.steps or 0, FEWEST_STEPS)) then return list[1], 1, true end
    if part == 1 then
      if not about.timed(parameters) then
        local least = 1
        for k, e in ipairs(list) do if math.abs(e) < math.abs(list[least]) then least = k end end
        table.remove(list, least)
      end
      local count = 0
      for _, e in ipairs(list) do if e > -rate then count = count + 1 end end
      return list[1], count, false
    end
  end
end

local function weak(o, needed)
  return ("no period, but damping is weak: it takes a time of about %.2g to bring a start within close = %g of the motion to which it comes; take "
    .. "t = %.2g or more, and a larger skip"):format(needed, o.close, 1.1*needed)
end

--- The time that damping which is the same at all states takes to bring a start within `close`; nil: it is not known, or there is no damping of all
--- degrees of freedom.
function slowest.time(V, names, parameters, close)
  if not V or V.kept or not V.uniform then return nil end
  local anywhere = { t = 0.0 }
  for i in ipairs(names) do anywhere[i] = 0.0 end
  local damping = volumes.least_damping(V, { anywhere }, parameters)
  return damping and damping > 0 and 2*math.log(FAR/close)/damping or nil
end

--- Why a motion without a period may not have settled, in words; nil: it has. mean: the mean rate at which volumes grow, not positive; row: with `late`.
function slowest.words(row, o, about, parameters, mean)
  local V, time, powers = about.volumes, about.t1 - about.t0, math.log(FAR/o.close)
  local all = -mean/V.freedoms
  local damping, least = all, all
  if V.freedoms > 1 then
    damping, least = volumes.least_damping(V, row.late, parameters)
    damping, least = damping or 0, least or 0
  end
  -- amplitudes shrink at half of the rate of damping
  if least > 0 and time >= 2*powers/damping or V.freedoms == 1 and (mean == 0 or time >= 2*powers/all) then return nil end
  if damping > 0 and (damping >= (1 - EVEN)*all or time*all < 2*powers) then return weak(o, 2*powers/damping) end
  local slow, count, chaotic = judged(row, about, o, parameters, powers/time)
  if chaotic or count == 0 or count == 1 and least < 0 then return nil end
  if damping > 0 then return weak(o, 2*powers/damping) end
  if slow and -slow*time > RESOLVED then return weak(o, powers/-slow) end
  return ("no period, but some oscillations around the motion shrink slowly or not at all, by less than the factor e^%.2g in a time of %.4g: they are "
    .. "not damped, or through others only, so that it may not have settled; take a longer t, or damp all degrees of freedom"):format(RESOLVED, time)
end

return slowest
