-- readings.lua: measures of a sweep that the core reads off the runs on their way, in threads and lanes: which they are, and their values in a row.
local core = require "hamel.core"
local contact = require "hamel.system.contact"
local measures = require "hamel.run.measures"
local pieces = require "hamel.algebra.pieces"
local protected = require "hamel.base.protected"
local states = require "hamel.run.state"

local readings = {}

local ALL, NONE = -1, 0                 -- of the roots of a function, how many are kept with their states

-- What is expression and program of a name, where accelerations and reactions are not needed; nil
local function known(p, what)
  local fine, e = protected(p.observer.expression, p.observer, what)
  if not fine then return nil end
  local program = p.observer:program{ e }
  return not program.needs_dynamics and e or nil
end

-- Without corners and jumps of its own
local function is_smooth(e)
  for _, corner in ipairs(pieces.of{ e }) do if not core.number_value(corner.g) then return false end end
  return true
end

local function is_named(p, what)
  if what == "event" or what == "impact" then return true end
  for key, event in pairs(p.events or {}) do
    local name = type(event) == "table" and not core.is_expression(event) and rawget(event, "name") or key
    if name == what then return true end
  end
  return false
end

-- The number of a new root
local function root(plan, e, direction, from, keep, ends)
  table.insert(plan.roots, { e = e, direction = direction, from = from, keep = keep, ends = ends or false })
  return #plan.roots
end

-- A program for values at the states found
local function program_of(p, list)
  local wanted = {}
  for i, what in ipairs(list) do wanted[i] = p.observer:expression(what) end
  return p.observer:program(wanted)
end

-- Each returns a function of what was read, and of values(program, t, x), or nil where the core cannot read it off
local kinds = {}

local function extreme(sign)
  return function(plan, p, m)
    local e = known(p, m.of)
    if not e or not is_smooth(e) then return nil end
    local rate = core.dt(e)
    if not known(p, rate) then return nil end
    local turn = not core.number_value(rate) and root(plan, rate, 0, plan.t0, NONE) or 0
    table.insert(plan.peaks, { e = e, turn = turn, sign = sign })
    local place = #plan.peaks
    return function(read) return read.peaks[place] end
  end
end
kinds.max, kinds.min = extreme(1), extreme(-1)

function kinds.mean(plan, p, m)
  local e = known(p, m.of)
  if not e or not is_smooth(e) then return nil end
  table.insert(plan.means, { e = e })
  local place = #plan.means
  return function(read) return read.means[place] end
end

function kinds.first(plan, p, m)
  local e = not is_named(p, m.of) and known(p, m.of)
  if not e then return nil end
  local k = root(plan, e, m.direction, plan.after, 1)
  return function(read) return read[k][1] and read[k][1].t end
end

function kinds.count(plan, p, m)
  local e = not is_named(p, m.of) and known(p, m.of)
  if not e then return nil end
  local k = root(plan, e, m.direction, plan.after, NONE)
  return function(read) return read.counts[k] end
end

function kinds.at(plan, p, m)
  local e = not is_named(p, m.when) and known(p, m.when)
  local fine, of = protected(program_of, p, { m.of })
  if not e or not fine then return nil end
  local k = root(plan, e, m.direction, plan.after, 1)
  return function(read, values)
    local first = read[k][1]
    return first and values(of, first.t, first.x)[1]
  end
end

function kinds.points(plan, p, m)
  local e = known(p, m.of)
  if not e then return nil end
  local k, of = root(plan, e, m.direction, m.from, ALL), program_of(p, m.list)
  return function(read, values)
    local all = {}
    for i, at in ipairs(read[k]) do all[i] = values(of, at.t, at.x) end
    return all
  end
end

--- Do measures occur in the list?
function readings.any(list)
  for _, item in ipairs(list) do if measures.of(item) then return true end end
  return false
end

--- What the core reads off the runs for the measures of a list; nil, and the measure that needs the whole run. p: of starts.prepare, from t0 to t1
function readings.plan(system, p, list, t0, t1)
  local near = 1e-14*math.max(math.abs(t0), math.abs(t1))
  local plan = { roots = {}, peaks = {}, means = {}, take = {}, t0 = t0, after = t0 + (t1 < t0 and -near or near) }
  for c, item in ipairs(list) do
    local m = measures.of(item)
    local make = m and kinds[m.word]
    plan.take[c] = make and not contact.any(system) and make(plan, p, m) or false
    if m and not plan.take[c] then return nil, item end
  end
  return plan
end

--- The plan with the terminal events of the runs, which lanes look for; as it is (nil: none) where one of the events is of another kind.
function readings.with_ends(system, plan, p, events, t0)
  if contact.any(system) then return plan end
  local more = { roots = {}, peaks = plan and plan.peaks or {}, means = plan and plan.means or {}, take = plan and plan.take or {} }
  for k, item in ipairs(plan and plan.roots or {}) do more.roots[k] = item end
  for _, event in ipairs(events) do
    if not event.terminal or event.hidden or not event.expression or p.observer:program{ event.expression }.needs_dynamics then return plan end
    root(more, event.expression, event.direction, t0, NONE, true)
  end
  return more
end

local function programs_of(plan, p)
  local all, averaged, each = {}, {}, {}
  for _, item in ipairs(plan.roots) do all[#all + 1] = item.e end
  for _, item in ipairs(plan.peaks) do all[#all + 1] = item.e end
  for k, item in ipairs(plan.means) do averaged[k] = item.e end
  for _, list in ipairs{ all, averaged } do for _, e in ipairs(list) do each[#each + 1] = p.observer:program{ e }.program end end
  return p.observer:program(all).program, each, #averaged > 0 and p.observer:program(averaged).program or nil
end

local function field(list, name)
  local out = {}
  for i, item in ipairs(list) do out[i] = item[name] end
  return out
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
           signs = field(plan.peaks, "sign") }
end

--- The values of the measures of a run, by their places in the list, from what the core has read. The reader of p has its parameters; projects: states
--- handed out are on the constraints
function readings.values(plan, p, read, size, projects)
  for k = 1, #plan.roots do read[k] = {} end
  for i = 1, #read.found, 2 + size do
    table.insert(read[read.found[i]], { t = read.found[i + 1], x = table.move(read.found, i + 2, i + 1 + size, 1, {}) })
  end
  local function values(program, t, x) return p.observer:evaluate(program, p.reader, t, projects and states.tidied(p.reader, t, x) or x) end
  local out = {}
  for c, take in ipairs(plan.take) do out[c] = take and (take(read, values) or nil) end
  return out
end

--- The list of what is kept without its measures.
function readings.without_measures(plan, list)
  local out = {}
  for c, item in ipairs(list) do out[c] = plan.take[c] and core.number(0) or item end
  return out
end

return readings
