-- lost_digits.lua: accelerations that rounding leaves with too few digits, since masses or forces differ by many orders of magnitude.
local compile = require "hamel.model.compile"
local coupling = require "hamel.equations.coupling"
local functions = require "hamel.run.functions"
local methods = require "hamel.run.methods"

local lost_digits = {}

-- The verdict on the start of a run, by the workspace of the core: { t, span, part, states, calm }
local starts = setmetatable({}, { __mode = "k" })

local PART, LEAST, NOISE = 1e-9, 1e-10, 10   -- errors of accelerations that count: in results; that choose the elimination; the same, of rtol
local HOPELESS = 1e4                         -- of rtol: errors of accelerations that make steps as many times as many
local NOISY_STEPS = 5000                     -- of such a run

-- The part of the largest acceleration from which an error of it is noise to the steps of a run: errors above the tolerance make steps shorter and shorter
local function noise_part(o) return math.min(math.max(PART, o.rtol), math.max(LEAST, NOISE*o.rtol)) end

-- The same from which it counts in the results of a run
local function result_part(o) return math.max(PART, o.rtol) end

--- Both, the one of results first, for runs that the core makes and looks at on the way.
function lost_digits.parts(o) return result_part(o), noise_part(o) end

--- The part of the largest acceleration that accelerations are off at (t, x); nil: no more than 1e-9 or than the rounding of the state itself brings about. The
--- second result is true where the states do not hold the velocities: momenta of masses that differ. Third: does rounding cost next to nothing here?
function lost_digits.at(w, t, x) return w:lost_digits(t, x, PART, 0.0, 0.0, 1.0) end

--- The same for a run of that length: nil where the tolerances let it pass over all its time. w: a workspace of the core, or the reader of a run with contacts.
function lost_digits.in_run(w, t, x, o, span) return w:lost_digits(t, x, result_part(o), o.atol, o.rtol, span) end

--- The same at the start of a run, which is not judged again where it has been.
function lost_digits.at_first(w, t, x, o, span)
  local known = starts[type(w) == "table" and w.workspace or w]
  if not known or known.t ~= t or known.span ~= span or #known.x ~= #x then return lost_digits.in_run(w, t, x, o, span) end
  for i = 1, #x do if known.x[i] ~= x[i] then return lost_digits.in_run(w, t, x, o, span) end end
  -- the elimination is chosen by less
  return known.part and known.part > result_part(o) and known.part or nil, known.states, known.calm
end

--- Can the general solve, refined in quadruple precision, give the accelerations? Methods with programs or steps of their own do not take them.
function lost_digits.may_refine(system, o)
  if (o.elimination or "cheapest") ~= "cheapest" or coupling.any(system) or not compile.has_quadruple() then return false end
  return not o.method or not methods.find(o.method).run and o.method ~= "taylor"
end

--- Are runs judged at their starts? Forces that are functions in Lua are called by the run alone: it is judged when it has ended.
function lost_digits.judges_starts(system, o) return o.rtol ~= nil and #system:_external_forces() == 0 end

--- Must the accelerations of a run of that length from (t, x) be refined in quadruple precision, in a study whose starts are judged and that may refine?
function lost_digits.refines(w, t, x, o, span)
  local part, states = w:lost_digits(t, x, noise_part(o), o.atol, o.rtol, span)
  return part ~= nil and not states
end

--- The same of a single run, of any system, whose workspace keeps its parameters.
function lost_digits.at_start(system, w, t, x, o, span)
  if not lost_digits.judges_starts(system, o) then return false end
  local part, states, calm = w:lost_digits(t, x, noise_part(o), o.atol, o.rtol, span)
  starts[w] = { t = t, span = span, x = table.move(x, 1, #x, 1, {}), part = part, states = states, calm = calm }
  return part ~= nil and not states and lost_digits.may_refine(system, o)
end

-- Are errors of accelerations so large that they would take all steps of a run?
local function are_hopeless(part, states, o) return part ~= nil and not states and part >= HOPELESS*o.rtol end

--- The most steps of a run that was given no limit of its own: where its start was judged so that errors of the accelerations would take all its steps,
--- it would be INACCURATE at the end all the same.
function lost_digits.most_steps(w, t, o)
  local known = starts[w]
  return known and known.t == t and are_hopeless(known.part, known.states, o) and NOISY_STEPS or o.max_steps
end

--- Does most_steps limit a run of that length from (t, x), in a study whose starts are judged?
function lost_digits.is_hopeless(w, t, x, o, span)
  local part, states = w:lost_digits(t, x, noise_part(o), o.atol, o.rtol, span)
  return are_hopeless(part, states, o)
end

--- Do derivatives of the rates at (t, x), which variational equations take, lose digits? In words, or nil. As costly as many evaluations if rounding matters.
function lost_digits.of_derivatives(w, t, x, o)
  local part = w:lost_derivatives(t, x)
  return part > 0 and ("the derivatives of the accelerations %s at t = %.6g: %s"):format(
    part < math.huge and ("are off by %.2g of the largest"):format(part) or "have no certain digits", t, lost_digits.advice(o)) or nil
end

--- What is wrong with a run from t0 at its state (t, x), in words, or nil.
function lost_digits.in_words(w, t, x, o, t0)
  local part, states = lost_digits.in_run(w, t, x, o, math.abs(t - t0))
  return part and lost_digits.words(t, part, states, o)
end

--- The verdict of lost_digits.in_run in words.
function lost_digits.words(t, part, states, o)
  if states then
    return ("the states hold the velocities to %.2g of the largest only at t = %.6g: masses differ by many orders of magnitude, and so do the momenta; take "
      .. "form = \"lagrange\""):format(part, t)
  end
  return ("the accelerations %s at t = %.6g: %s"):format(part < math.huge and ("are off by %.2g of the largest"):format(part) or "have no certain digits", t,
    lost_digits.advice(o))
end

local STOPS = { STEP_COLLAPSED = true, TOO_MANY_STEPS = true }

-- Runs whose steps stopped where their accelerations are noise to them
local noisy = setmetatable({}, { __mode = "k" })

--- Is a run with that status explained by accelerations that are off where its steps end?
function lost_digits.explains(status) return STOPS[status] or false end

--- A run whose steps became short or many says so if its accelerations are off by more than its tolerances at its end, or where the inertia was least: errors
--- that change from state to state are noise to the steps.
function lost_digits.explain(run)
  local outcome, raw, o = run.outcome, rawget(run, "raw"), run.options
  if outcome.status == "LOST_DIGITS" and o.elimination ~= "refined" and not coupling.any(run.system) and compile.has_quadruple() then
    outcome.advice = lost_digits.advice(o)
  end
  if not STOPS[outcome.status] or not raw or raw:points() == 0 or not o.rtol or o.elimination == "refined" then return end
  local worst, at, of_states = 0, nil, nil
  local function look(t, x)
    local part, states = run.workspace:lost_digits(t, x, noise_part(o), o.atol, o.rtol, math.abs(run.span[2] - run.span[1]))
    if part and part > worst then worst, at, of_states = part, t, states end
  end
  look(raw:time(raw:points()), raw:state(raw:points()))
  if type(raw) == "userdata" then
    local t, deepest = raw:deepest()
    if t then look(t, deepest) end
  end
  if not at then return end
  noisy[run] = not of_states or nil
  outcome.message = ("%s; %s"):format(outcome.message, lost_digits.words(at, worst, of_states, o))
  outcome.advice = "see the message"
end

--- Did a run stop since rounding costs accelerations their digits, where another one with refined accelerations may not? lost: are they noise to its steps
--- where these became too short?
function lost_digits.stops(status, lost) return status == "LOST_DIGITS" or status == "STEP_COLLAPSED" and lost or false end

--- Is a run that stopped so made again with refined accelerations, as it repeats nothing but the motion? Functions in Lua are called by one run only.
function lost_digits.calls_for_another(run)
  local system, o = run.system, run.options
  return lost_digits.stops(run.outcome.status, noisy[run]) and lost_digits.may_refine(system, o) and not functions.of_run(system, o.events) and not o.checkpoint
end

--- What to do about it, for messages.
function lost_digits.advice(o)
  if o.elimination == "refined" then return "masses, or forces that constraints take up, differ by too many orders of magnitude even for that" end
  return "masses, or forces that the constraints take up and others, differ by many orders of magnitude; take elimination = \"refined\", which is right "
    .. "for ratios up to about 1e12" .. (o.method == "taylor" and ", and method = \"auto\"" or "")
end

return lost_digits
