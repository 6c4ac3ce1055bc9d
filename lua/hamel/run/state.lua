-- state.lua: one state of a run: coordinates, velocities, accelerations, reactions, energy, by name.
local contact_rows = require "hamel.model.contact_rows"
local core = require "hamel.core"
local motion = require "hamel.bodies.motion"
local object = require "hamel.base.object"
local protected = require "hamel.base.protected"
local start = require "hamel.model.start"

local fail = object.fail
local states = {}

-- States handed out are on the constraints to a tenth of what a start must satisfy; larger corrections than this part of the state are
-- not trusted: near a singular place the projection may go anywhere
local RTOL, ATOL, FAR = 1e-8, 1e-13, 1e-3

--- These tolerances.
states.tidy = { rtol = RTOL, atol = ATOL, far = FAR }

--- Are they, for this run?
function states.are_projected(run)
  local E = run.equations
  return run.options.project and not E.watched and #E.positions + #E.velocities > 0
end

--- The state x on the constraints of the run: the dense output, and steps at loose tolerances, leave them by about the tolerance
function states.on_constraints(run, t, x)
  if not states.are_projected(run) then return x end
  return states.tidied(run.hybrid and run.workspace.workspace or run.workspace, t, x)
end

--- The same by a workspace.
function states.tidied(w, t, x)
  local fine, y = protected(w.project, w, t, x, RTOL, ATOL)
  if not fine then return x end
  local size, moved = 0, 0
  for i = 1, #x do
    size = math.max(size, math.abs(x[i]))
    moved = math.max(moved, math.abs(y[i] - x[i]))
  end
  return moved <= FAR*size and y or x
end

local State = object.class "State"
State.meta.__flat = true                -- no plain tables among its fields: read often, returned as it is

local function by_name(what, names, values, offset)
  local t = {}
  for i, name in ipairs(names) do t[name] = values[(offset or 0) + i] end
  return object.named(what, t)
end

-- The workspace at this state; stages are computed on demand
local function workspace_at(s)
  local run = rawget(s, "_run")
  if run.hybrid then run.workspace.point = rawget(s, "_point") end
  run.workspace:set_state(s.t, rawget(s, "_x"))
  return run.workspace
end

-- Values of the run's observer at this state, by name
local function observed(what, method, names_of)
  return function(s)
    local run = rawget(s, "_run")
    if run.hybrid then run.workspace.point = rawget(s, "_point") end
    return by_name(what, names_of(run), run.observer[method](run.observer, run.workspace, s.t, rawget(s, "_x")))
  end
end
local function coordinate_names(run) return run.names end
local function constraint_names(run) return run.equations.names end

-- Reactions of gaps and slips at this state
local function reactions_of(s)
  local run = rawget(s, "_run")
  local all = workspace_at(s):multipliers()
  return table.move(all, #run.equations.names + 1, #all, 1, {})
end

-- The i-th coordinate; in a whole-course description the side of the wall is no part of it
local function coordinate(s, i)
  local run, x = rawget(s, "_run"), rawget(s, "_x")
  local whole = run.equations.whole_course
  return whole and whole.index == i and math.abs(x[i]) or x[i]
end

-- A table of values that S:simulate accepts as a start however far the run is off its constraints here
local function as_start(s, values)
  local run = rawget(s, "_run")
  local w = run.hybrid and run.workspace.workspace or run.workspace
  local fine, off = protected(w.inconsistency, w, s.t, rawget(s, "_x"))
  if fine then start.allow(values, 2*off) end
  return values
end

--- A function of (t, x): energy and kinetic energy. Of the whole course by the signs of the state: those in the workspace belong to the end of the run
function states.energies_of(run)
  local whole = run.equations.whole_course
  if not whole then
    return function(t, x)
      run.workspace:set_state(t, x)
      return run.workspace:energies()
    end
  end
  local plain = run.system:equations "lagrange"
  local p = run.observer:program({ plain.energy, plain.kinetic }, "energies")
  return function(t, x)
    local values = run.observer:evaluate(p, nil, t, x)
    return values[1], values[2]
  end
end

local coordinate_velocities = observed("v", "velocities", coordinate_names)

--- Names and symbols of the velocities of a run, also where its system has been changed since: of a rotation the body rates, not the rates of its
--- quaternion.
function states.velocities(run)
  local F, known, names, list = motion.of(run.system), {}, {}, {}
  for _, name in ipairs(run.names) do known[name] = true end
  for _, R in ipairs(run.system._rotations) do
    for _, name in ipairs(R.rate_names) do known[name] = known[core.name(R.quaternion[1])] end
  end
  for i, name in ipairs(F.names) do
    if known[name] then names[#names + 1], list[#list + 1] = name, F.base[i] end
  end
  return names, list
end

local function observed_velocities(s)
  local run = rawget(s, "_run")
  if #run.system._rotations == 0 then return coordinate_velocities(s) end
  local names, list = states.velocities(run)
  return by_name("v", names, s:values(list))
end

-- Accelerations of the coordinates, and of rotations the rates of the body rates, as S:accelerations gives them
local coordinate_accelerations = observed("a", "accelerations", coordinate_names)

local function observed_accelerations(s)
  local run, values = rawget(s, "_run"), coordinate_accelerations(s)
  if #run.system._rotations == 0 then return values end
  local velocities, list = states.velocities(run)
  local names, rates = {}, {}
  for i, name in ipairs(velocities) do
    if not object.contains(run.names, name) then names[#names + 1], rates[#rates + 1] = name, core.dt(list[i]) end
  end
  for i, value in ipairs(s:values(rates)) do values[names[i]] = value end
  return values
end

local fields = {
  q = function(s)
    local q = {}
    for i, name in ipairs(rawget(s, "_run").names) do q[name] = coordinate(s, i) end
    return object.named("q", as_start(s, q))
  end,
  v = function(s) return as_start(s, observed_velocities(s)) end,
  a = observed_accelerations,
  lambda = function(s)
    local run = rawget(s, "_run")
    local values = observed("lambda", "multipliers", constraint_names)(s)
    for i, name in ipairs(run.observer.gap_names or {}) do values[name] = reactions_of(s)[i] end
    return values
  end,
  friction = function(s)
    local run = rawget(s, "_run")
    if not run.observer.frictions then fail("%s has no friction", run.system.name) end
    local _, values = contact_rows.by_name(run.system, run.observer.contacts, reactions_of(s))
    return object.named("friction", values)
  end,
  rough = function(s)
    local run = rawget(s, "_run")
    if not run.observer.contacts then fail("%s has no rough wall", run.system.name) end
    local _, _, values = contact_rows.by_name(run.system, run.observer.contacts, reactions_of(s))
    return object.named("rough", values)
  end,
  energy = function(s) return (states.energies_of(rawget(s, "_run"))(s.t, rawget(s, "_x"))) end,
}

--- Did the run keep every step?
function states.kept_steps(run) return (run.options.record or "steps") == "steps" end

-- Forces hold in a mode, and modes are kept with the steps
for _, name in ipairs{ "a", "lambda", "friction", "rough" } do
  local value = fields[name]
  fields[name] = function(s)
    local run = rawget(s, "_run")
    if run.hybrid and not states.kept_steps(run) then
      fail("'%s' needs the steps of the run, which kept only its %s (record = \"%s\")", name, run.options.record,
        run.options.record)
    end
    return value(s)
  end
end

-- Multipliers and momenta dL*/dq' of the vakonomic models, L* = L + mu f
local function of_vakonomic(field, names_of)
  return function(s)
    local run, name = rawget(s, "_run"), field == "mu_of" and "mu" or "p"
    if not run.equations[field] and run.system._defined[name] then return s:values{ name }[1] end       -- a rate of that name
    local list = run.equations[field] or fail("this belongs to the form 'vakonomic'; this run is '%s'", run.equations.form)
    local values = run.observer:evaluate(run.observer:program(list, field), run.workspace, s.t, rawget(s, "_x"))
    return by_name(name, names_of(run), values)
  end
end
fields.mu, fields.p = of_vakonomic("mu_of", constraint_names), of_vakonomic("momenta", coordinate_names)

-- ---- coordinates that are called as a field

local number_of = setmetatable({}, { __mode = "k" })
local function plain(value) return number_of[value] or value end

local arithmetic = {
  __add = function(a, b) return plain(a) + plain(b) end, __sub = function(a, b) return plain(a) - plain(b) end,
  __mul = function(a, b) return plain(a)*plain(b) end, __div = function(a, b) return plain(a)/plain(b) end,
  __mod = function(a, b) return plain(a)%plain(b) end, __idiv = function(a, b) return plain(a)//plain(b) end,
  __concat = function(a, b) return plain(a) .. plain(b) end, __pow = function(a, b) return plain(a)^plain(b) end, __unm = function(a) return -plain(a) end,
  __lt = function(a, b) return plain(a) < plain(b) end, __le = function(a, b) return plain(a) <= plain(b) end,
  __eq = function(a, b) return plain(a) == plain(b) end,
}

-- The value of the field; in computations and comparisons it is the coordinate of its name. Printed it says where that is: `reached` holds the field, the name
-- and what gives the value
local function standing_for(values, x, reached)
  local meta = getmetatable(values)
  local text = meta.__tostring
  number_of[values] = x
  for name, f in pairs(arithmetic) do meta[name] = f end
  function meta.__tostring(t) return ("%s  (the table s.%s; the value of %s is %s)"):format(text(t), table.unpack(reached)) end
  return values
end

-- Fields that a state of every run has, and those that belong to some runs
local always, some = { "q", "v", "a", "lambda" }, { mu = "mu_of", p = "momenta" }

-- Is the field, or a method, there, so that it hides a coordinate of its name?
local function hides(run, name)
  if object.contains(always, name) or type(State[name]) == "function" then return true end
  if name == "friction" then return run.observer.frictions and true or false end
  return some[name] and run.equations[some[name]] and true or false
end

for name, f in pairs(fields) do
  State.get[name] = function(s)
    local value = f(s)
    local run = rawget(s, "_run")
    for i, coordinate_name in ipairs(run.names) do if coordinate_name == name then standing_for(value, coordinate(s, i), { name, name, "s.q." .. name }) end end
    if run.system._defined[name] and type(value) == "table" then
      standing_for(value, s:values{ name }[1], { name, name, ('s:values{ "%s" }[1]'):format(name) })
    end
    rawset(s, name, value)
    return value
  end
end

--- Values of expressions and names at this state, as a list: s:values{ "lambda.blade", x.dot^2 }.
function State:values(list)
  if type(list) ~= "table" then fail("values takes a list: s:values{ \"x\", x.dot^2 }") end
  local run, found = rawget(self, "_run"), {}
  for i, what in ipairs(list) do found[i] = run.observer:expression(what) end
  if run.hybrid then run.workspace.point = rawget(self, "_point") end
  return run.observer:evaluate(run.observer:program(found), run.workspace, self.t, rawget(self, "_x"))
end

--- The values of a program of the run's observer at a state: for many states, where s:values{...} would look up the program each time.
function states.evaluated(s, p)
  local run = rawget(s, "_run")
  if run.hybrid then run.workspace.point = rawget(s, "_point") end
  return run.observer:evaluate(p, run.workspace, s.t, rawget(s, "_x"))
end

-- A rotation as its quaternion, a list; nil where none has the name
local function quaternion(s, name)
  local run = rawget(s, "_run")
  for _, R in ipairs(run.system._rotations) do
    if R.name == name then
      local e = {}
      for i, symbol in ipairs(R.quaternion) do e[i] = s[core.name(symbol)] end
      return e
    end
  end
end

-- Rotations, rates and direction cosines, and quasi-velocities by the names they have in the system
function State.meta.__own(s, key)
  local system = rawget(s, "_run").system
  local e = quaternion(s, key)
  if e then
    rawset(s, key, e)
    return e
  end
  if system._defined[key] then
    local value = s:values{ key }[1]
    rawset(s, key, value)
    return value
  end
  local quasi = system._quasi
  if not quasi or not object.contains(quasi.names, key) then return nil end
  local value = s:values{ key }[1]
  rawset(s, key, value)
  return value
end

-- What people write for the velocity of a coordinate x: x_dot, xdot, dx, vx, v_x, x'
local SPELLINGS = { "^(.+)_?dot$", "^(.+)'$", "^d_?(.+)$", "^v_?(.+)$", "^(.+)_t$" }

-- What a state has, for a field that it does not have
function State.meta.__elsewhere(s, key)
  if type(key) ~= "string" then return nil end
  local run = rawget(s, "_run")
  local names = table.move(run.names, 1, #run.names, 1, {})
  for _, pattern in ipairs(SPELLINGS) do
    local name = key:match(pattern)
    name = name and (name:gsub("_$", ""))
    if object.contains(names, name) then return ("; the velocity of %s is s.v.%s"):format(name, name) end
  end
  for _, u in ipairs(run.system._quasi and run.system._quasi.names or {}) do names[#names + 1] = u end
  local known = table.move({ "energy", "lambda", "values", "friction" }, 1, 4, #names + 1, table.move(names, 1, #names, 1, {}))
  local near = object.nearest(key, known)
  local fields_of_all = "t, q, v, a, lambda and energy (s.v." .. run.names[1] .. " is a velocity); run:at(t, e) is the value of an expression e"
  return ("%s; a state has %s, %s"):format(near and (" (did you mean '%s'?)"):format(near) or "", table.concat(names, ", "), fields_of_all)
end

function State.meta.__tostring(s)
  local run, parts = rawget(s, "_run"), { "t = " .. object.number(s.t) }
  local names = run.names
  for i, name in ipairs(names) do parts[#parts + 1] = ("%s%s = %.9g"):format(hides(run, name) and "q." or "", name, coordinate(s, i)) end
  local v, velocities, list = fields.v(s), states.velocities(run)
  for i, name in ipairs(velocities) do parts[#parts + 1] = ("%s = %.9g"):format(core.text(list[i]), v[name]) end
  return table.concat(parts, "  ")
end

--- The state x of a run at time t; point: number of the stored state, where a time is stored twice.
function states.new(run, t, x, point)
  local s = { t = t, _run = run, _x = x, _point = point or false }
  for i, name in ipairs(run.names) do if not hides(run, name) then s[name] = coordinate(s, i) end end
  local whole = run.equations.whole_course
  if whole then s[core.text(whole.star)] = x[whole.index] end
  return setmetatable(s, State.meta)
end

--- The options q, v, t of a start at the state of a run; anything else as it is.
function states.as_options(given)
  if getmetatable(given) ~= State.meta then return given end
  return { q = given.q, v = given.v, t = given.t }
end

object.seal(State, "state")

return states
