-- chart/slowest.lua: has a motion without a period had the time to settle, by the slowest decay of what surrounds it?
--
-- A bound comes from the least damping of all degrees of freedom. Where it leaves this open, as where damping acts on some of them only, Lyapunov's exponents
-- of the late motion decide: chaos has no period, and else each exponent must be negative enough, but that along the motion itself where nothing depends on the
-- time, and one more where a motion excites itself, as on a torus. Weakly damped oscillations have two equal ones. They decide also where nothing is known of
-- volumes, as with nonholonomic constraints, which may shrink them without damping, unless these are seen to be kept (keeping.lua).
local core = require "hamel.core"
local jobs = require "hamel.analysis.sweep.jobs"
local keeping = require "hamel.chart.keeping"
local points = require "hamel.chart.points"
local protected = require "hamel.base.protected"
local volumes = require "hamel.chart.volumes"

local slowest = {}

local FAR = 10                          -- of the extent: how far from the motion to which it comes a start may be
local EVEN = 1e-6                       -- relative: by how much the damping of degrees of freedom that is the same for all may differ
local PARTS = { 0.1, 0.3, 1 }           -- of the time of the run: over which two motions may separate
local PART = 0.1                        -- of the time of the run: over which exponents are looked at first
local RESOLVED = 2                      -- powers of e by which a direction shrinks at least for its rate to be known
local FEWEST_STEPS = 100                -- what steps of a run count as at least
local TIGHT, TIGHTER, APART = 1e-12, 1e-2, 1e-9 -- rtol of two runs that begin near each other, atol over it, and their distance, of the extents

-- Lyapunov's exponents from a state on, the largest first; nil: there are none
local function exponents_from(system, o, names, state, parameters, time)
  local given = { t = { state.t, state.t + time }, parameters = parameters, rtol = o.rtol, atol = o.atol }
  given.q, given.v = points.start(names, state, system)
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

-- The states at the end of a run from a state on, at tight tolerances, and its steps; nil: there is none
local function end_of(system, names, list, state, parameters, time)
  local given = { t = { state.t, state.t + time }, parameters = parameters, rtol = TIGHT, atol = TIGHT*TIGHTER, dense = false, record = "ends" }
  given.q, given.v = points.start(names, state, system)
  local fine, run = protected(system.simulate, system, given)
  if core.host.interrupted() then error(run, 0) end
  jobs.rethrow_interrupt(fine, run)
  if not fine or run.status ~= "OK" then return nil end
  return run:values_at(run.outcome.t, list), run.outcome.steps
end

-- Do two motions from states that are very near separate by more than those of a regular motion? Where there are no exponents
local function separates(row, about, parameters)
  local state, list = row.late[#row.late], select(2, points.states(about.system))
  local other, scale = table.move(state, 1, #state, 1, { t = state.t }), points.scale(row.extent, row.size, 1e-300)
  for i, name in ipairs(about.names) do if name:find "'$" then other[i] = state[i] + APART*scale[i] end end
  for _, part in ipairs(PARTS) do
    local time = part*(about.t1 - about.t0)
    local one, steps = end_of(about.system, about.names, list, state, parameters, time)
    local two = one and end_of(about.system, about.names, list, other, parameters, time)
    if not two then return false end
    if math.log(points.distance(one, two, scale, nil)/APART) > 2*math.log(math.max(steps or 0, FEWEST_STEPS)) then return true end
  end
  return false
end

--- The same where it is not known what volumes do, as with nonholonomic constraints, contacts and forces in Lua.
function slowest.words_of_unknown(row, o, about, parameters)
  if keeping.by_measure(row, about, parameters) then return nil end
  local time = about.t1 - about.t0
  local slow, count, chaotic = judged(row, about, o, parameters, math.log(FAR/o.close)/time)
  if chaotic or slow and count <= 1 or keeping.by_mean(row, o, about, parameters) then return nil end
  if slow and -slow*time > RESOLVED then return weak(o, math.log(FAR/o.close)/-slow) end
  if slow then
    return ("no period, but some directions around the motion shrink slowly or not at all, by less than the factor e^%.2g in a time of %.4g, and nothing "
      .. "proves that volumes of states stay: it may still settle; take a longer t and a larger skip"):format(RESOLVED, time)
  end
  if separates(row, about, parameters) then return nil end
  return "no period, but whether the motion has settled is not known: there are no exponents" .. (about.turns.unknown
    and ", since a force or a law is a Lua function: write it as an expression" or " from its late states on: S:lyapunov there says why; take a longer t")
end

return slowest
