-- balance.lua: is a run that reached its end as accurate as its tolerances say? Energy balance and constraints are compared with what errors of
-- the size of the tolerances would do to them.
local balance = {}

local SAMPLES = 100                    -- states looked at
local TIMES = 10                       -- what may be missing, in units of what the tolerances allow in all steps together
local LEAST, MOST = 1e-3, 0.1          -- of the largest energy: what may always be missing; what may be with steps of one size
local CONSTRAINTS = 1e4                -- residual in units of the tolerance

-- Numbers of up to SAMPLES stored states, the first and the last among them; the first behind impacts at the start
local function samples(raw)
  local points, first, list = raw:points(), 1, {}
  while first < points and raw:time(first + 1) == raw:time(1) do first = first + 1 end
  local count = math.min(points - first, SAMPLES)
  for k = 0, count do list[#list + 1] = first + (count > 0 and (points - first)*k//count or 0) end
  return list
end

-- What errors of the tolerance in each component change of the energy
local function allowed(w, t, x, o, n, energy)
  local sum = 0
  for i = 1, n do
    local kept = x[i]
    x[i] = kept + o.atol + o.rtol*math.abs(kept)
    w:set_state(t, x)
    local fine, moved = pcall(w.energies, w)
    sum = sum + (fine and math.abs(moved - energy) or math.huge)
    x[i] = kept
  end
  return sum
end

local function energy_is_off(run, raw, fixed)
  local o, w, has_work, size = run.options, run.workspace, run.model:has_work(), run.model:state_size()
  local n = has_work and size - 1 or size
  local worst, scale, per_step, first, at = 0, 0, 0, nil, nil
  local list = samples(raw)
  for _, i in ipairs(list) do
    local t, x = raw:time(i), raw:state(i)
    w:set_state(t, x)
    local fine, energy, kinetic = pcall(w.energies, w)
    if not fine then return nil end      -- beyond the range of numbers, though the motion is not
    local work = has_work and x[size] or 0
    first = first or energy - work
    scale = math.max(scale, math.abs(kinetic), math.abs(energy), math.abs(work), math.abs(energy - kinetic))
    if math.abs(energy - work - first) > worst then worst, at = math.abs(energy - work - first), t end
  end
  if not (worst > LEAST*scale) then return nil end
  for k = 1, fixed and 0 or #list, 10 do
    local t, x = raw:time(list[k]), raw:state(list[k])
    w:set_state(t, x)
    local fine, energy = pcall(w.energies, w)
    if fine then per_step = math.max(per_step, allowed(w, t, x, o, n, energy)) end
  end
  local limit = fixed and MOST*scale or math.max(LEAST*scale, TIMES*per_step*run.outcome.steps)
  if not (worst > limit) then return nil end
  return ("the energy balance is off by %.2g of the largest energy at t = %.6g, "):format(worst/scale, at)
    .. (fixed and "take a smaller step" or "far more than rtol and atol explain; tighten them, or bound the step by max_step")
end

local function constraint_is_off(run, raw)
  local o, w = run.options, run.workspace
  for _, i in ipairs(samples(raw)) do
    local x, size = raw:state(i), 1
    w:set_state(raw:time(i), x)
    for _, value in ipairs(x) do size = math.max(size, math.abs(value)) end
    for _, list in ipairs{ w:residuals() } do
      for _, value in ipairs(list) do
        if math.abs(value) > CONSTRAINTS*(o.atol + o.rtol*size)*size then
          return ("a constraint is off by %.2g at t = %.6g, far more than rtol and atol explain; tighten them, or take a smaller step"):format(
            math.abs(value), raw:time(i))
        end
      end
    end
  end
end

--- Gives a run that reached its end the status INACCURATE where its energy balance or its constraints break. Of runs that
--- keep only their ends or impacts those states are looked at; models that are not the motion of the system (nothing balances there) are left alone.
function balance.check(run, fixed)
  local raw = rawget(run, "raw")
  if run.outcome.status ~= "OK" or not raw or raw:points() < 2 then return end
  local E, what = run.equations, nil
  if E.energy and not E.carried and not E.whole_course then what = energy_is_off(run, raw, fixed) end
  if not what and run.options.project and not E.watched then what = constraint_is_off(run, raw) end
  if not what then return end
  run.outcome.status = "INACCURATE"
  run.outcome.message = ("reached t = %.15g, but %s"):format(run.outcome.t, what)
  run.outcome.advice = "see the message"
end

return balance
