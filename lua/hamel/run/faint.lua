-- faint.lua: motions far smaller than the absolute tolerance. Errors drive them, so that they oscillate ever faster where forces are not linear: a run would
-- take millions of steps to an end at which its energy is lost.
local balance = require "hamel.run.balance"
local contact = require "hamel.system.contact"
local core = require "hamel.core"
local methods = require "hamel.run.methods"
local object = require "hamel.base.object"
local protected = require "hamel.base.protected"

local faint = {}

local SMALL = 1000                     -- times atol: what a faint motion does not leave
local TIMES = 4                        -- of the run, at which rates at the start are looked at
local TRIALS = { 200, 5000 }           -- steps: a motion that leaves the faint is seen in the first ones

local function is_small(x, n, most)
  for i = 1, n do if not (math.abs(x[i]) <= most) then return false end end
  return true
end

--- Is the first of n numbers of a state so small that the motion from there may be faint? flat: a list that holds it behind `offset`.
function faint.may_begin(flat, offset, n, o) return n > 0 and o.atol ~= nil and math.abs(flat[offset + 1]) <= SMALL*o.atol end

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

--- Are the first steps of a run to t1 those of a motion that stays as small as atol, of which the energy is lost? Then where they end: { t =, steps =,
--- reason = }. run: { system =, equations =, model =, workspace = of the core, options = }; its steps are made by the core, without contacts and events.
function faint.stop(run, t0, t1, x)
  local o, w, E = run.options, run.workspace, run.equations
  if methods.is_fixed(o.method) or methods.find(o.method).run or type(w) ~= "userdata" or contact.any(run.system) then return nil end
  if #run.system:_external_forces() > 0 or not E.keeps_energy then return nil end
  local n = run.model:state_size() - (run.model:has_work() and 1 or 0)
  if not begins(w, t0, t1, table.move(x, 1, #x, 1, {}), n, o) then return nil end
  local options, into = object.copied(o), nil
  options.record, options.dense, options.progress = "steps", false, false
  options.keep, options.events, options.checkpoint, options.every = nil, nil, nil, nil
  for _, steps in ipairs(TRIALS) do
    if steps >= o.max_steps then return nil end
    options.max_steps, into = steps, {}
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
