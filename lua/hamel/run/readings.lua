-- readings.lua: measures that the core reads off runs, on their way or finished ones: which they are, their functions, and their values.
local core = require "hamel.core"
local poles = require "hamel.run.poles"
local protected = require "hamel.base.protected"
local reading = require "hamel.run.reading"
local states = require "hamel.run.state"

local readings = {}

local REFUSALS = { [0] = "NOT_FINITE", "LIMIT", "UNDECIDED" }
local ALL, NONE = -1, 0                 -- of the roots of a function, how many are kept with their states

-- The expression of a name, where neither accelerations nor reactions are needed; nil
local function plain(p, what)
  local fine, e = protected(p.observer.expression, p.observer, what)
  if not fine then return nil end
  local program = p.observer:program{ e }
  return not program.needs_dynamics and e or nil
end

-- The program of expressions as functions of time and state; nil
local function program_of_state(p, list) return p.observer:program_of_state(list, not p.happens and p.model or nil) end

-- The expression of a name, where it is a function of time and state, accelerations included; nil
local function known(p, what)
  local fine, e = protected(p.observer.expression, p.observer, what)
  return fine and program_of_state(p, { e }) and e or nil
end

local jumping = { abs = true, sign = true, min = true, max = true, atan2 = true, tabled = true, tabled_rate = true, tabled_curve = true, tabled_jerk = true }

-- Does the expression have no corner and no jump, such as that of atan2, and a value everywhere?
local function is_smooth(e)
  local seen = {}
  local function visit(node)
    if seen[node] then return true end
    seen[node] = true
    if core.kind(node) == "call" and jumping[core.name(node)] then return false end
    for _, operand in ipairs(core.operands(node)) do if not visit(operand) then return false end end
    return true
  end
  return visit(e) and #poles.of(e) == 0
end

local function is_named(p, what)
  if what == "event" or what == "impact" then return true end
  for key, event in pairs(p.events or {}) do
    local name = type(event) == "table" and not core.is_expression(event) and rawget(event, "name") or key
    if name == what then return true end
  end
  return false
end

--- The number of a new root of the plan.
function readings.root(plan, e, direction, from, keep, ends)
  table.insert(plan.roots, { e = e, direction = direction, from = from, keep = keep, ends = ends or false, decided = false })
  return #plan.roots
end

-- An odd power has the roots of its base, with its signs
local function base_of(e)
  local n = core.kind(e) == "power" and core.number_value(core.operands(e)[2])
  return n and n > 0 and n % 2 == 1 and base_of(core.operands(e)[1]) or e
end

-- The same of a function whose roots must be decided
local function decided_root(plan, given, direction, keep)
  local e = base_of(given)
  local k = readings.root(plan, e, direction, plan.after, keep)
  plan.roots[k].decided = true
  return k
end
local root = readings.root

-- A program for values at the states found
local function program_of(p, list)
  local wanted = {}
  for i, what in ipairs(list) do wanted[i] = p.observer:expression(what) end
  return p.observer:program(wanted)
end

-- Each returns what to take: a function of what was read, and of values(program, t, x); the list and the place of its function in the plan; the
-- expression. Or nil where the core cannot read it off
local kinds = {}

-- Where its rate is a function of the state the roots of this are looked for, which lanes do side by side; else the core searches each step
local function extreme(sign)
  return function(plan, p, m)
    local e = known(p, m.of)
    if not e then return nil end
    local rate = core.dt(e)
    local searched, turn = not (plain(p, e) and plain(p, rate) and is_smooth(e)), 0
    if not searched and not core.number_value(rate) then turn = root(plan, rate, 0, plan.t0, NONE) end
    table.insert(plan.peaks, { e = e, turn = turn, sign = sign, searched = searched })
    local place = #plan.peaks
    return { value = function(read) return read.peaks[place] end, list = "peaks", place = place, e = e }
  end
end
kinds.max, kinds.min = extreme(1), extreme(-1)

-- With accelerations: from the states at both ends of the run, which is smooth between them, and the mean of what is left. Poles of the expression might
-- cancel, so it has none
local function mean_by_parts(plan, p, m)
  local fine, e = protected(p.observer.expression, p.observer, m.of)
  if not fine or p.happens or not is_smooth(e) or p.observer.equations.whole_course then return nil end
  local F, rest = require "hamel.run.by_parts".split(e, p.observer.coordinates)
  if not F or not plain(p, F) or (rest and not plain(p, rest)) then return nil end
  if rest then table.insert(plan.means, { e = rest }) end
  local place, whole, change = rest and #plan.means or 0, program_of(p, { e }), program_of(p, { F })
  return { list = "means", place = place, e = e, value = function(read, values)
    local ends, left = read.ends, rest and read.means[place] or 0
    local time = ends.t1 - ends.t0
    if time == 0 then return values(whole, ends.t0, ends.first)[1] end
    return (values(change, ends.t1, ends.last)[1] - values(change, ends.t0, ends.first)[1])/time + left
  end }
end

function kinds.mean(plan, p, m)
  local by_parts = not plain(p, m.of) and mean_by_parts(plan, p, m)
  if by_parts then return by_parts end
  local e = known(p, m.of)
  if not e then return nil end
  table.insert(plan.means, { e = e })
  local place = #plan.means
  return { value = function(read) return read.means[place] end, list = "means", place = place, e = e }
end

function kinds.first(plan, p, m)
  local e = not is_named(p, m.of) and known(p, m.of)
  if not e then return nil end
  local k = decided_root(plan, e, m.direction, 1)
  return { value = function(read) return read[k][1] and read[k][1].t end, list = "roots", place = k, e = e }
end

function kinds.count(plan, p, m)
  local e = not is_named(p, m.of) and known(p, m.of)
  if not e then return nil end
  local k = decided_root(plan, e, m.direction, NONE)
  return { value = function(read) return read.counts[k] end, list = "roots", place = k, e = e }
end

function kinds.at(plan, p, m)
  local e = not is_named(p, m.when) and known(p, m.when)
  local fine, of = protected(program_of, p, { m.of })
  if not e or not fine then return nil end
  local k = decided_root(plan, e, m.direction, 1)
  return { list = "roots", place = k, e = e, value = function(read, values)
    local first = read[k][1]
    if not first then return nil end
    local refusal = readings.unusable(p, m.of, first.t, first.x, plan.tolerances, values)
    if refusal then return nil, refusal end
    return values(of, first.t, first.x)[1]
  end }
end

function kinds.points(plan, p, m)
  local e = known(p, m.of)
  if not e then return nil end
  local k, of = root(plan, e, m.direction, m.from, ALL), program_of(p, m.list)
  return { list = "roots", place = k, e = e, value = function(read, values, values_of_all)
    local times, list, size, n = read.all[k].times, read.all[k].states, read.size, #m.list
    local flat = #times > 0 and values_of_all and values_of_all(of, times, list, size)
    if not flat then
      flat = {}
      for i, t in ipairs(times) do table.move(values(of, t, table.move(list, (i - 1)*size + 1, i*size, 1, {})), 1, n, #flat + 1, flat) end
    end
    if m.flat then return { flat = flat, size = n } end
    local all = {}
    for i = 1, #times do all[i] = table.move(flat, (i - 1)*n + 1, i*n, 1, {}) end
    return all
  end }
end

--- An empty plan for runs from t0 to t1. tolerances: { rtol =, atol = }
function readings.new(t0, t1, tolerances)
  local near = 1e-14*math.max(math.abs(t0), math.abs(t1))
  return { roots = {}, peaks = {}, means = {}, take = {}, tolerances = tolerances, t0 = t0, after = t0 + (t1 < t0 and -near or near) }
end

--- Adds the functions of a measure to the plan and returns what to take of it; nil where the core cannot read it off. p: { observer =, events = }.
function readings.take(plan, p, m)
  local make = kinds[m.word]
  local take = make and make(plan, p, m)
  if take then take.word = m.word end
  return take or nil
end

-- ---- refusals

local NEAR = "it has a pole or a jump within the error of the run near t = %.9g"
local TOO_MUCH = "it varies too often within a step, or reads the sign or a root of what is zero there; of the first, max_step makes the steps short enough"
local WAY_ON = "smaller rtol and atol, or a smaller step, decide it unless the motion touches that place"

local sentences = {
  max = { NOT_FINITE = "%s has no largest value: it is unbounded, or has no value, at t = %.9g",
          LIMIT = "the largest value of %s cannot be found near t = %.9g: " .. TOO_MUCH,
          UNDECIDED = "the largest value of %s is not decided: " .. NEAR },
  min = { NOT_FINITE = "%s has no least value: it is unbounded, or has no value, at t = %.9g",
          LIMIT = "the least value of %s cannot be found near t = %.9g: " .. TOO_MUCH,
          UNDECIDED = "the least value of %s is not decided: " .. NEAR },
  mean = { NOT_FINITE = "%s is unbounded, or has no value, at t = %.9g: the mean of such an expression is not computed",
           LIMIT = "the mean of %s: its integral does not settle near t = %.9g: " .. TOO_MUCH,
           UNDECIDED = "the mean of %s is not decided: " .. NEAR },
  root = { NOT_FINITE = "%s may have a root where it has no value, at t = %.9g",
           LIMIT = "the roots of %s cannot be told apart near t = %.9g: it is zero within rounding there, or has no end of them",
           UNDECIDED = "%s comes to zero within the error of the run near t = %.9g: whether it has roots there is not decided" },
  value = { NOT_FINITE = "%s has no value at t = %.9g",
            UNDECIDED = "%s jumps within the error of the run at t = %.9g: its value there is not decided" },
}

--- Why a measure has no value: { status = "NOT_FINITE", "LIMIT" or "UNDECIDED", t =, reason = a sentence }. word: of the measure, or "value";
--- evaluate(program, t, x) at the state x; no x: what becomes zero is not looked for.
function readings.refusal(word, status, observer, e, t, x, evaluate)
  local sentence = (sentences[word] or sentences.root)[status]:format(core.text(e), t)
  local of_values = status ~= "UNDECIDED" or word == "max" or word == "min" or word == "mean"
  local cause = x and of_values and poles.cause(observer, e, t, x, evaluate)
  local verb = status == "NOT_FINITE" and "becomes zero" or "comes near zero"
  if cause then sentence = ("%s; %s %s there"):format(sentence, core.text(cause), verb) end
  return { status = status, t = t, reason = of_values and status == "UNDECIDED" and ("%s; %s"):format(sentence, WAY_ON) or sentence }
end

local ERRORS, NEARER = 1000, 16        -- tolerances that the states of a run may be off; times nearer

-- The largest change of a function when one of its inputs is off by a share of its error
local function change(value_of, t, x, tolerances, share)
  local here, most = value_of(t, x), 0
  local function moved(there) if there == there then most = math.max(most, math.abs(there - here)) end end
  for side = -share, share, 2*share do
    for i, value in ipairs(x) do
      local other = table.move(x, 1, #x, 1, {})
      other[i] = value + side*ERRORS*(tolerances.atol + tolerances.rtol*math.abs(value))
      moved(value_of(t, other))
    end
    moved(value_of(t + side*ERRORS*(tolerances.atol + tolerances.rtol*math.abs(t)), x))
  end
  return most
end

-- A function jumps where it changes as much however small the changes of its inputs are
local function jumps(observer, e, t, x, tolerances, evaluate)
  if is_smooth(e) then return false end
  local program = observer:program{ e }
  local function value_of(at, state) return evaluate(program, at, state)[1] end
  local far, near = change(value_of, t, x, tolerances, 1), change(value_of, t, x, tolerances, 1/NEARER)
  return near > 0.5*far
end

--- The refusal of the value of an expression at (t, x), where it has a pole within rounding errors, or a jump within the errors of the run; nil: it has
--- none. tolerances: { rtol =, atol = } of the run.
function readings.unusable(p, what, t, x, tolerances, evaluate)
  local e = p.observer:expression(what)
  if poles.at(p.observer, e, t, x, evaluate) then return readings.refusal("value", "NOT_FINITE", p.observer, e, t, x, evaluate) end
  return jumps(p.observer, e, t, x, tolerances, evaluate) and readings.refusal("value", "UNDECIDED", p.observer, e, t) or nil
end

-- ---- for the core

local function programs_of(plan, p)
  local all, averaged, each = {}, {}, {}
  for _, item in ipairs(plan.roots) do all[#all + 1] = item.e end
  for _, item in ipairs(plan.peaks) do all[#all + 1] = item.e end
  for k, item in ipairs(plan.means) do averaged[k] = item.e end
  for _, list in ipairs{ all, averaged } do for _, e in ipairs(list) do each[#each + 1] = program_of_state(p, { e }).program end end
  return program_of_state(p, all).program, each, #averaged > 0 and program_of_state(p, averaged).program or nil
end

local function field(list, name)
  local out = {}
  for i, item in ipairs(list) do out[i] = item[name] end
  return out
end

--- Has the model of p, which may be another one than that of the plan, programs for all functions of the plan?
function readings.has_programs(plan, p)
  for _, name in ipairs{ "roots", "peaks", "means" } do
    for _, item in ipairs(plan[name]) do if not program_of_state(p, { item.e }) then return false end end
  end
  return true
end

--- The plan for the core. values: of the parameters, of each run
function readings.for_core(plan, p, values)
  local all, each, averaged = programs_of(plan, p)
  local constants, states_of = {}, nil
  for _, list in ipairs(values) do
    local own
    p.observer.values = list
    states_of, own = p.observer:inputs()
    table.move(own, 1, #own, #constants + 1, constants)
  end
  return { all = all, programs = each, averaged = averaged, states = states_of or 0, constants = constants, directions = field(plan.roots, "direction"),
           from = field(plan.roots, "from"), keep = field(plan.roots, "keep"), ends = field(plan.roots, "ends"), turns = field(plan.peaks, "turn"),
           decided = field(plan.roots, "decided"),
           signs = field(plan.peaks, "sign"), searched = field(plan.peaks, "searched") }
end

-- Sorts what was found: roots with their states into read, by their numbers; refused functions of each list by their places
local function sorted(plan, read, size)
  local sizes, found = { #plan.roots, #plan.peaks, #plan.means }, read.found
  local all, refused = sizes[1] + sizes[2] + sizes[3], { roots = {}, peaks = {}, means = {} }
  read.size = size
  for k = 1, sizes[1] do read[k] = {} end
  for i = 1, #found, 2 + size do
    local number, t, x = found[i], found[i + 1], table.move(found, i + 2, i + 1 + size, 1, {})
    if number > 0 then
      table.insert(read[number], { t = t, x = x })
    else
      local status, at = REFUSALS[(-number - 1)//all], (-number - 1) % all + 1
      for k, list in ipairs{ "roots", "peaks", "means" } do
        if at >= 1 and at <= sizes[k] then refused[list][at] = { status = status, t = t, x = x } end
        at = at - sizes[k]
      end
    end
  end
  return refused
end

--- The values of the measures of a run, by their places in the list, from what the core has read, and the refusals by the same places.
--- It holds the ends of the run as `ends`: { t0, first, t1, last }, times and states.
--- evaluate(program, t, x): values of a program of the observer at a state of the run; evaluate_all(program, times, states, size), if given: those at
--- many, flat lists, or nil where it has none.
function readings.values(plan, p, read, size, evaluate, evaluate_all)
  local refused, out, refusals = sorted(plan, read, size), {}, {}
  for c, take in pairs(plan.take) do
    local why = take and refused[take.list][take.place]
    if why then
      refusals[c] = readings.refusal(take.word, why.status, p.observer, take.e, why.t, why.x, evaluate)
    elseif take then
      local value, refusal = take.value(read, evaluate, evaluate_all)
      out[c], refusals[c] = value or nil, refusal
    end
  end
  return out, refusals
end

--- A measure of a finished run by the core: true, its value (nil: there is none), its refusal; false where the core cannot read it off.
function readings.of_run(run, m)
  if not states.kept_steps(run) or not run.options.dense or run.equations.whole_course then return false end
  -- where x' is not from its program, accelerations are not either
  local model = run.outcome.handed_over == 0 and run.model or nil
  local p, plan = { observer = run.observer, happens = run.hybrid and true or false, model = model }, readings.new(run.span[1], run.span[2], run.options)
  plan.take[1] = readings.take(plan, p, m)
  if not plan.take[1] then return false end
  local raw = reading.raw(run)
  local asked = readings.for_core(plan, p, { run.observer.values })
  local outcome = run.outcome
  asked.rtol, asked.atol, asked.step_errors, asked.not_compared = run.options.rtol, run.options.atol, outcome.step_errors, outcome.not_compared
  asked.compared = outcome.compared
  asked.at_event = outcome.status == "EVENT"
  local read, last = core.read_off(raw, asked), raw:points()
  read.ends = { t0 = raw:time(1), first = raw:state(1), t1 = raw:time(last), last = raw:state(last) }
  local function evaluate(program, t, x)
    return reading.evaluate(run, program, t, states.on_constraints(run, t, x))
  end
  local out, refusals = readings.values(plan, p, read, #raw:state(1), evaluate)
  return true, out[1], refusals[1]
end

return readings
