-- faint.lua: motions far smaller than the absolute tolerance, as from theta = cos(pi/2) = 6e-17 in place of 0. Where no tolerance is given, one of their size
-- makes them right. Else errors drive them, so that they oscillate ever faster where forces are not linear: a run would take millions of steps to an end at
-- which its energy is lost.
local balance = require "hamel.run.balance"
local contact = require "hamel.system.contact"
local core = require "hamel.core"
local methods = require "hamel.run.methods"
local object = require "hamel.base.object"
local protected = require "hamel.base.protected"

local faint = {}

local SMALL = 1000                     -- times atol: what a faint motion does not leave
local BEGINS = 1e5                     -- times atol: a motion that begins with less has an atol of its size
local TIMES = 4                        -- of the run, at which rates at the start are looked at
local USUAL = 0.01                     -- motions of this size have the usual tolerance
local FINEST, LEAST = 1e-290, 1e-306   -- atol of the look at the first steps; the least one that is chosen
local LOOSE, FIRST = 1e-6, 20          -- rtol of that look; its steps
local LOOKS, SETTLED = 12, 10          -- such looks, until the tolerance grows by less than this factor
local TRIALS = { 200, 5000 }           -- steps: a motion that leaves the faint is seen in the first ones

local function is_small(x, n, most)
  for i = 1, n do if not (math.abs(x[i]) <= most) then return false end end
  return true
end

--- Is the first of n numbers of a state so small that the motion from there may be faint? flat: a list that holds it behind `offset`.
function faint.may_begin(flat, offset, n, o) return n > 0 and o.atol ~= nil and math.abs(flat[offset + 1]) <= BEGINS*o.atol end

-- May the motion from (t0, x) stay as small as atol all the time? A state at rest is none
local function begins(w, t0, t1, x, n, o)
  local most, moves = SMALL*o.atol, false
  if not is_small(x, n, most) then return false end
  for k = 0, TIMES - 1 do
    w:set_state(t0 + (t1 - t0)*k/TIMES, x)
    local fine, rates = protected(w.rate, w)
    if not fine then return false end
    for i = 1, n do
      if not (math.abs(rates[i]*(t1 - t0)) <= most) then return false end
      moves = moves or rates[i] ~= 0
    end
  end
  return moves
end

local function stays(raw, n, most)
  for i = 1, raw:points() do if not is_small(raw:state(i), n, most) then return false end end
  return true
end

-- The number of states of which a motion may be faint; nil: this is not looked for
local function count_of(run)
  local o = run.options
  if methods.is_fixed(o.method) or methods.find(o.method).run or type(run.workspace) ~= "userdata" or contact.any(run.system) then return nil end
  if #run.system:_external_forces() > 0 then return nil end
  return run.model:state_size() - (run.model:has_work() and 1 or 0)
end

-- Options of a run of some steps
local function of_steps(o, steps)
  local options = object.copied(o)
  options.record, options.dense, options.progress, options.max_steps = "steps", false, false, steps
  options.keep, options.events, options.checkpoint, options.every = nil, nil, nil, nil
  return options
end

-- The largest size of the states from number `from` to `to` at the start and in the first steps
local function size_of(raw, x, from, to)
  local size = 0
  for i = from, to do size = math.max(size, math.abs(x[i])) end
  for k = 1, raw:points() do
    local state = raw:state(k)
    for i = from, to do size = math.max(size, math.abs(state[i])) end
  end
  return size
end

local LATER = 10                       -- times the rates at the start: those that a drive makes later

-- Does a run begin with a state so small, and does it move? Where a force sets it going from zero, or acts later, the first steps say little of its size: then
-- it must stay faint all the time
local function begins_small(w, t0, t1, x, n, o)
  if not is_small(x, n, BEGINS*o.atol) then return false end
  if is_small(x, n, 0.0) then return begins(w, t0, t1, x, n, o) end
  local first = 0.0
  for k = 0, TIMES - 1 do
    w:set_state(t0 + (t1 - t0)*k/TIMES, x)
    local fine, rates = protected(w.rate, w)
    if not fine then return false end
    local most = 0.0
    for i = 1, n do most = math.max(most, math.abs(rates[i])) end
    if k == 0 then first = most end
    if most > LATER*first then return begins(w, t0, t1, x, n, o) end
  end
  return first > 0
end

--- The absolute tolerance for a run to t1 of a motion that begins far smaller than the usual one: the same part of its size in the first steps, coordinates or
--- velocities, whichever are smaller. How long the run is does not matter: errors as large as atol add up, and a motion that grows is only more exact at first.
--- nil: it is not so small. run: as of faint.stop
function faint.tolerance(run, t0, t1, x)
  local o, n = run.options, count_of(run)
  if not n or not begins_small(run.workspace, t0, t1, table.move(x, 1, #x, 1, {}), n, o) then return nil end
  local options, atol, fit = of_steps(o, FIRST), FINEST, nil
  options.rtol = math.max(o.rtol, LOOSE)
  for _ = 1, LOOKS do
    local into, least, kin = {}, math.huge, #run.equations.kin
    options.atol = atol
    core.run(run.workspace, options, t0, t1, x, into)
    for _, part in ipairs{ { 1, kin }, { kin + 1, n } } do
      local size = size_of(into.raw, x, part[1], part[2])
      if size > 0 then least = math.min(least, size) end
    end
    -- with an atol that is far below the motion its first steps are short, and of a start at rest they see little of it
    fit = least < USUAL and math.max(o.atol*least/USUAL, LEAST) or nil
    if not fit or fit <= SETTLED*atol then break end
    atol = fit
  end
  return fit
end

--- Are the first steps of a run to t1 those of a motion that stays as small as atol, of which the energy is lost? Then where they end: { t =, steps =,
--- reason = }. run: { system =, equations =, model =, workspace = of the core, options = }; its steps are made by the core, without contacts and events.
function faint.stop(run, t0, t1, x)
  local o, w, E, n = run.options, run.workspace, run.equations, count_of(run)
  if not n or not E.keeps_energy or not begins(w, t0, t1, table.move(x, 1, #x, 1, {}), n, o) then return nil end
  local options, into
  for _, steps in ipairs(TRIALS) do
    if steps >= o.max_steps then return nil end
    options, into = of_steps(o, steps), {}
    core.run(w, options, t0, t1, x, into)
    if into.outcome.status ~= "TOO_MANY_STEPS" or not stays(into.raw, n, SMALL*o.atol) then return nil end
  end
  local outcome = { status = "OK", t = into.outcome.t, steps = into.outcome.steps }
  balance.check({ raw = into.raw, options = options, workspace = w, model = run.model, equations = E, outcome = outcome, looked = true }, false)
  return outcome.status == "INACCURATE" and { t = outcome.t, steps = outcome.steps,
    reason = ("stopped at t = %.15g after %d steps: the motion is smaller than atol = %g, and its errors drive it; give a smaller atol"):format(outcome.t,
      outcome.steps, o.atol) } or nil
end

return faint
