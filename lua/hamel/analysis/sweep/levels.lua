-- levels.lua: starts on levels: a velocity that is not given follows from the value of the energy, or of another expression quadratic in velocities. Other
-- velocities follow from conditions that are linear in velocities.
local compile = require "hamel.model.compile"
local core = require "hamel.core"
local object = require "hamel.base.object"
local rows = require "hamel.analysis.sweep.rows"
local symbols = require "hamel.algebra.symbols"
local asked = require "hamel.run.asked"
local attitude = require "hamel.bodies.attitude"
local protected = require "hamel.base.protected"

local fail = object.fail
local levels = {}

local CLOSE = 1e-9                     -- of the values on trial: what the level may differ from the wanted value
local FAR, FARTHEST = 2.0^10, 2.0^500   -- velocities on trial: times the one that is found; the largest
local TRIALS, ROUNDING = 4, 32         -- of velocities; times the rounding of values that is seen
local PROBE = 0.7310585786300049       -- a velocity that no condition has by chance

-- The energy, or the expression itself
local function expression(system, what)
  if what ~= "energy" then return system:check_expression(what, "the condition on starts", 1) end
  return system:equations("lagrange").energy or fail("sweep: %s has no energy", system.name)
end

local function has_velocities(system, e)
  for _, slope in ipairs(asked.conditions(system, { { e, 0 } })[1].row) do if core.number_value(slope) ~= 0 then return true end end
  return false
end

--- The names of velocities that a level may determine: coordinates, and the body rates of rotations in place of their quaternions.
function levels.names(system)
  local list, rates = {}, {}
  for _, R in ipairs(system._rotations) do for i, e in ipairs(R.quaternion) do rates[core.name(e)] = i == 1 and R.rate_names or {} end end
  for _, name in ipairs(system.coordinate_names) do
    local names = rates[name] or { name }
    table.move(names, 1, #names, #list + 1, list)
  end
  return list
end

--- What a level is: { name =, e = expression }; nil: the name is none
function levels.of(system, given)
  if given == "energy" then return { name = "energy", e = expression(system, given) } end
  if core.is_expression(given) and core.kind(given) ~= "symbol" and has_velocities(system, given) then
    return { name = core.text(given), e = expression(system, given) }
  end
  return nil
end

-- Is an expression linear in the velocities?
local function is_linear(system, e)
  local known, linear = {}, true
  for _, s in ipairs(system:base_velocity_list()) do known[s] = true end
  for _, slope in ipairs(asked.conditions(system, { { e, 0 } })[1].row) do
    for _, s in ipairs(core.symbols{ slope }) do linear = linear and not known[s] end
  end
  return linear
end

-- Conditions as S:velocities takes them. values: of all, by the place of each
local function listed(conditions, values)
  local where = {}
  for i, c in ipairs(conditions) do where[i] = { c.e, values[c.place] } end
  return where
end

-- Velocities and positions by name, completed by the constraints and by linear conditions `where`
local function completed(study, q, v, parameters, where)
  return asked.completed(study.system, { q = q, v = v, parameters = parameters, t = study.t, where = where })
end

-- The program of an expression for the starts of a study: t, the parameters that have values, coordinates, velocities
local Value = {}
Value.__index = Value

-- The parameters of a start enter the inputs. The program is made anew where other ones have values than at the start before
function Value:set_parameters(parameters)
  local system, input, count, same = self.system, self.input, 0, self.program ~= nil
  for _, name in ipairs(system.parameter_names) do
    local value = compile.parameter_value(system, name, parameters)
    if value then
      count = count + 1
      same = same and self.valued[count] == name
      self.valued[count], input[1 + count] = name, value + 0.0
    end
  end
  if same and self.first == 1 + count then return end
  local inputs = { symbols.t }
  for k = 1, count do inputs[1 + k] = system._parameter[self.valued[k]] end
  for _, list in ipairs{ self.coordinates, self.velocities } do table.move(list, 1, #list, #inputs + 1, inputs) end
  self.input = table.move(self.input, 1, 1 + count, 1, {})
  self.first, self.program = 1 + count, core.program(inputs, { self.e })
end

function Value:fill(offset, names, values)
  for i, name in ipairs(names) do
    local value = values[name]
    self.input[offset + i] = (math.type(value) and value or symbols.number(value)) + 0.0
  end
end

function Value:set_positions(q) self:fill(self.first, self.system.coordinate_names, q) end
function Value:set_velocities(v) self:fill(self.first + #self.coordinates, self.names, v) end
function Value:set_velocity(i, value) self.input[self.first + #self.coordinates + i] = value end
function Value:value() return self.program:value(self.input) end

local function value_of(system, e, t)
  return setmetatable({ system = system, e = asked.conditions(system, { { e, 0 } })[1].f, names = levels.names(system),
    coordinates = system:coordinate_list(), velocities = system:base_velocity_list(), valued = {}, input = { t }, first = 0, program = nil }, Value)
end

-- Velocities that are not given: those of `branch`, or all; all of them; those of `branch`
local function missing(system, v, branch)
  local all, chosen = {}, {}
  for _, name in ipairs(levels.names(system)) do
    local wanted = branch and branch[name]
    if v[name] == nil then
      all[#all + 1] = name
      if wanted then chosen[#chosen + 1] = name end
    elseif wanted then fail("sweep: branch.%s has no effect, as this velocity is given: leave it out of v and over", name) end
  end
  if #all == 0 then fail("sweep: all velocities are given: leave out the one that the level determines") end
  return #chosen > 0 and chosen or all, all, chosen
end

-- With one velocity on trial all must be known, where no constraints determine others
local function demand_all(system, v, name)
  local unknown
  for _, other in ipairs(levels.names(system)) do
    if v[other] == nil and other ~= name then
      unknown = unknown or {}
      unknown[#unknown + 1] = other
    end
  end
  if unknown then
    fail("the level determines one velocity, that of %s: give v.%s", name, table.concat(unknown, ", v."))
  end
end

-- The root of a s^2 + b s + c with the sign asked for
local function root(a, b, c, sign)
  if a == 0 then return b ~= 0 and -c/b or nil end
  local d = b*b - 4*a*c
  if d < 0 and d > -1e-12*(b*b + math.abs(4*a*c)) then d = 0 end
  if d < 0 then return nil, c - b*b/(4*a) end
  local r = math.sqrt(d)
  local big = b >= 0 and -(b + r)/2 or (r - b)/2
  local one, other = big/a, big ~= 0 and c/big or 0.0
  if sign > 0 then return math.max(one, other) end
  return math.min(one, other)
end

-- Raises where the other conditions determine all velocities
local function demand_open(study, q, v, parameters, where)
  local fine = protected(completed, study, q, v, parameters, where)
  if core.host.interrupted() then error("interrupted", 0) end
  if not fine or #where == 0 then return end
  local given = object.keys(study.system:by_name(v, "v"))
  for i, name in ipairs(given) do given[i] = "v." .. name end
  fail("the other conditions on the start determine all velocities, so that none is open for %s: leave out %s", study.level.name,
    #given > 0 and table.concat(given, " or ") or study.linear[1].name)
end

-- The level and all velocities as functions of the velocity of `name`, the others completed by the constraints and by linear conditions
local function completed_course(study, q, v, parameters, where, name)
  local given = object.copied(v)
  return function(s)
    given[name] = s
    local all, positions = completed(study, q, given, parameters, where)
    study.value:set_positions(positions)
    study.value:set_velocities(all)
    return study.value:value(), all
  end
end

-- The same where no velocity but that of `name` is open
local function free_course(study, q, v, name)
  for _, coordinate in ipairs(study.system.coordinate_names) do
    if q[coordinate] == nil then fail("this start has no value of %s, on which the level may depend: give q.%s", coordinate, coordinate) end
  end
  study.value:set_positions(q)
  local given, place = object.copied(v), nil
  for i, other in ipairs(study.value.names) do if other == name then place = i end end
  given[name] = 0.0
  study.value:set_velocities(given)
  return function(s)
    given[name] = s
    study.value:set_velocity(place, s)
    return study.value:value(), given
  end
end

-- The first of the names of which the other conditions leave the velocity free, and the course over it; nil: there is none; then the first message
local function open_course(study, q, v, parameters, where, names)
  local first
  for _, name in ipairs(names) do
    local at = completed_course(study, q, v, parameters, where, name)
    local fine, message = protected(at, PROBE)
    if fine then return name, at end
    if core.host.interrupted() then error(message, 0) end
    first = first or message
  end
  return nil, first
end

-- The same; raises where there is none
local function demand_course(study, q, v, parameters, where)
  local names, all, chosen = missing(study.system, v, study.branch)
  if not study.constrained then
    demand_all(study.system, v, names[1])
    return names[1], free_course(study, q, v, names[1])
  end
  local name, at = open_course(study, q, v, parameters, where, names)
  for _, other in ipairs(name and chosen or {}) do
    if other ~= name then fail("sweep: branch.%s has no effect: of two velocities of %s one is chosen, and that of %s follows", other, name, other) end
  end
  if name then return name, at end
  local other = #chosen > 0 and open_course(study, q, v, parameters, where, all)
  if other then
    fail("sweep: branch.%s has no effect: this velocity follows from the other conditions on the start; branch = { %s = 1 } or -1 chooses between two",
      names[1], other)
  end
  demand_open(study, q, v, parameters, where)
  error(at, 0)
end

-- Velocities where there is no level, or there are several: `branch` does not choose among their roots
local function without_level(study, q, v, parameters, where)
  local name, names = next(study.branch or {}), {}
  if name and #study.nonlinear == 0 then fail("sweep: branch.%s has no effect: all conditions are linear in the velocities", name) end
  for i, level in ipairs(study.nonlinear) do names[i] = level.name end
  local advice = ("of the conditions %s, not linear in velocities, keep one and give velocities in place of the others, or give the starts by each"):format(
    table.concat(names, " and "))
  if name then fail("sweep: branch chooses between the two roots of one condition: %s", advice) end
  local fine, found = protected(completed, study, q, v, parameters, where)
  if fine then return found end
  local choice = not core.host.interrupted() and rows.without_place(found):match "^.*leave a choice, .*; give "
  if choice then fail("%s", (choice:gsub("give $", "")) .. advice) end
  error(found, 0)
end

-- The coefficients of the quadratic in s/h through the values at s = 0 and +-h
local function quadratic(at, zero, h)
  local plus, minus = at(h) - zero, at(-h) - zero
  return (plus + minus)/2, (plus - minus)/2, math.max(math.abs(plus), math.abs(minus))
end

-- The same with the first h from 1 on at which the value changes by as much as is wanted, roughly: beside others a small velocity is rounding
local function visible(at, zero, wanted)
  local h = 1.0
  local a, b, size = quadratic(at, zero, h)
  while size < math.abs(wanted - zero)/FAR and h < FARTHEST do
    h = h*FAR
    a, b, size = quadratic(at, zero, h)
  end
  return a, b, size, h
end

-- By how much rounding changes values: what is left beside the quadratic where velocities are small. What is not quadratic is far smaller there
local function rounding_of(at, zero, a, b, h)
  local worst = 0
  for _, u in ipairs{ 1/FAR, -1/FAR, 0.7/FAR, -0.6/FAR } do worst = math.max(worst, math.abs(at(h*u) - zero - u*(b + a*u))) end
  return worst
end

-- Velocities at which the level has the value that is wanted; the name of the velocity of which there are two
local function on_level(study, wanted, q, v, parameters, where)
  local level, value = study.level, study.value
  q = attitude.positions(study.system, q)
  v = attitude.velocities(study.system, v, q, study.t, parameters)
  value:set_parameters(parameters)
  local name, at = demand_course(study, q, v, parameters, where)
  local zero = at(0.0)
  local a, b, size, h = visible(at, zero, wanted)
  local u, least = root(a, b, zero - wanted, symbols.number(study.branch and study.branch[name] or 1))
  if not u then
    fail("no velocity of %s gives %s = %s at this start%s", name, level.name, object.number(wanted),
      least and (" (%s possible %s)"):format(a > 0 and "least" or "largest", ("%.10g"):format(least + wanted)) or "")
  end
  -- again with velocities of the size of the one that was found, where that is a far one
  local trials = 1
  while u ~= 0 and (math.abs(u) > FAR or math.abs(u) < 1/FAR) and trials < TRIALS do
    local near = 2.0^math.floor(math.log(math.abs(u), 2))
    local c, d, e = quadratic(at, zero, h*near)
    local one, other = root(c, d, zero - wanted, 1), root(c, d, zero - wanted, -1)
    if not one or not other then break end
    a, b, size, h, u = c, d, e, h*near, u/near
    u, trials = math.abs(one - u) < math.abs(other - u) and one or other, trials + 1
  end
  local found, all = at(h*u)
  local off = math.abs(found - wanted)
  if off > CLOSE*(math.abs(wanted) + math.abs(zero) + size) and off > ROUNDING*rounding_of(at, zero, a, b, h) then
    fail("%s is not quadratic in the velocity of %s: give v.%s", level.name, name, name)
  end
  return all, a ~= 0 and name or nil
end

-- The conditions of a study, { name, e, place }, by kind; level: the one that is not linear
local function study_of(system, list, t, branch)
  local study = { system = system, t = t, branch = branch, linear = {}, nonlinear = {}, all = {} }
  for place, c in ipairs(list) do
    study.all[place] = { name = c.name, e = c.e, place = place }
    table.insert(is_linear(system, c.e) and study.linear or study.nonlinear, study.all[place])
  end
  study.constrained = #system.constraints + #study.linear > 0
  study.level = #study.nonlinear == 1 and study.nonlinear[1] or nil
  study.value = study.level and value_of(system, study.level.e, t)
  return study
end

--- A function q, v, parameters, values -> the velocities by name at which the levels { name, e } have these values; for all starts of a study at the time t.
--- branch: { name of the velocity found = 1 or -1 }. Of a level that is quadratic in velocities, with others linear in them, the second result is the name of
--- the velocity of which there are two. It raises where there are no such velocities.
function levels.finder(system, list, t, branch)
  local study
  return function(q, v, parameters, values)
    study = study or study_of(system, list, t, branch)
    if not study.level then return without_level(study, q, v, parameters, listed(study.all, values)) end
    return on_level(study, values[study.level.place], q, v, parameters, listed(study.linear, values))
  end
end

return levels
