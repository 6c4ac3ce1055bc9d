-- classify.lua: constraints: holonomic or not, linear or not in the velocities, catastatic, scleronomic; degrees of freedom.
local affine = require "hamel.algebra.affine"
local attempt = require "hamel.base.attempt"
local core = require "hamel.core"
local definite = require "hamel.algebra.definite"
local gradients = require "hamel.algebra.gradients"
local object = require "hamel.base.object"
local pieces = require "hamel.algebra.pieces"
local symbols = require "hamel.algebra.symbols"
local System = require "hamel.system"

local fail = object.fail

local Constraint = object.class "Constraint"

local function contains(list, pick)
  for _, e in ipairs(list) do
    for _, s in ipairs(core.symbols{ e }) do
      local _, order, flags = core.name(s)
      if pick(order, flags) then return true end
    end
  end
  return false
end

local function is_velocity(order, flags) return flags & symbols.DYNAMIC ~= 0 and order == 1 end
local function is_dynamic(_, flags) return flags & symbols.DYNAMIC ~= 0 end
local function is_time(_, flags) return flags & symbols.TIME ~= 0 end

local function kind_of(system, f, rest, rows, q, v)
  if not rest or not require "hamel.system.frobenius".holds(system, rest, rows, q, v) then return "linear nonholonomic" end
  return pieces.jump(pieces.coefficients(f, v)) and "linear integrable in regions" or "linear integrable"
end

-- A constraint on the level that it has in common with others, positions or velocities: f, its symbols there, its gradient by `all` of these. Kept
local function on_level(c, order, all)
  local levels = rawget(c, "_levels") or {}
  rawset(c, "_levels", levels)
  if not levels[order] then
    local f = c.order == order and c.f or core.dt(c.f)
    local list, slopes, moves = gradients.variables(f, all), {}, {}
    for i, slope in ipairs(core.gradient(f, list)) do slopes[list[i]] = slope end
    levels[order] = { f = f, list = list, slopes = slopes, moves = moves }
  end
  return levels[order]
end

-- Is df/ds proved to be other than zero?
local function moves(level, s)
  if level.moves[s] == nil then level.moves[s] = level.slopes[s]:is_zero() == false end
  return level.moves[s]
end

-- A symbol of one function alone: gradients that are not parallel belong to surfaces that meet
local function has_own(level, other)
  for i = #level.list, 1, -1 do
    local s = level.list[i]
    if not other.slopes[s] and moves(level, s) then return true end
  end
  return false
end

-- f - k g is a number other than zero: nothing satisfies both
local function contradict(f, g)
  if has_own(f, g) or has_own(g, f) then return false end
  local function df(s) return f.slopes[s] or core.rational(0) end
  for _, s in ipairs(g.list) do
    local dg = g.slopes[s]
    if core.number_value(dg) ~= 0 then
      for _, other in ipairs(g.list) do
        if other ~= s and (df(other)*dg - df(s)*g.slopes[other]):is_zero() == false then return false end
      end
      for _, other in ipairs(f.list) do
        if not g.slopes[other] and (f.slopes[other]*dg):is_zero() == false then return false end
      end
      local rest = core.simplify(f.f - df(s)/dg*g.f)
      return #core.symbols{ rest } == 0 and rest:is_zero() == false
    end
  end
  return false
end

local function refuse_contradiction(system, c, q, v)
  for _, other in ipairs(system.constraints) do
    local order = math.max(c.order, other.order)
    local all = order == 0 and q or v
    local one, two = on_level(c, order, all), on_level(other, order, all)
    if contradict(one, two) then
      fail("constraint '%s' contradicts '%s': %s = 0 and %s = 0 cannot both hold", c.name, other.name, core.text(one.f), core.text(two.f))
    end
  end
end

-- A sum of squares and its kin: one condition in words, several in fact, and no reaction
local function refuse_definite(name, f, variables)
  local parts, never_zero = definite.parts(f, variables)
  if never_zero then fail("constraint '%s': nothing satisfies %s = 0, which never vanishes", name, core.text(f)) end
  if not parts or #parts < 2 then return end
  local list = {}
  for i, part in ipairs(parts) do list[i] = core.text(part) end
  fail("constraint '%s': %s never changes its sign, so that it vanishes only where %s do, and its derivative there, too: it would have no reaction; "
    .. "declare %s as constraints of their own", name, core.text(f), table.concat(list, " and "), table.concat(list, " and "))
end

--- Adds the two-sided ideal constraint f = 0; f is an expression in coordinates, velocities and time. Its kind is computed.
--- S.constraints[name] has kind, linear (in the velocities), catastatic, scleronomic and order. Kinds: "holonomic"; "linear integrable" (linear
--- in the velocities, and the derivative of an integral up to a factor); "linear nonholonomic" (by itself; S:holonomic() takes all constraints
--- together); "nonlinear integrable" and "nonlinear nonholonomic" (the same for constraints not written linearly in the velocities).
--- Reactions are + (df/dq')^T lambda (Chetaev's rule), for a holonomic constraint + (df/dq)^T lambda.
--- A constraint that the others imply is redundant: the solve ignores it, runs name it in their notes, and the multipliers are those of least norm.
--- A constraint that contradicts another is refused. So is a sum of squares: declare the squared expressions instead.
function System:constraint(name, f)
  if type(name) ~= "string" or name == "" then fail("S:constraint(name, f): the first argument is the constraint's name") end
  if tonumber(name) then fail("a constraint's name cannot be a number: '%s'", name) end
  if self.constraints[name] then fail("%s has already a constraint '%s'", self.name, name) end
  local given = self:admit(f, ("constraint '%s'"):format(name), 1)
  f = self:plain(given)
  if not contains({ f }, is_dynamic) then
    fail("constraint '%s' = %s contains no coordinate and no velocity of %s", name, core.text(f), self.name)
  end
  if #self._rotations > 0 and f:is_zero() == true then
    fail("constraint '%s': %s = 0 holds in every attitude, since quaternions have unit length; leave it out", name, core.text(given))
  end
  local q, v = self:coordinate_list(), self:every_velocity()
  local c = setmetatable({ name = name, f = f, given = given ~= f and given or false, scleronomic = not contains({ f }, is_time),
    _system = self }, Constraint.meta)
  refuse_definite(name, f, contains({ f }, is_velocity) and v or q)
  if contains({ f }, is_velocity) then
    local rows = core.gradient(f, v)
    local linear = affine.is(f, v, rows)
    local rest = require "hamel.system.frobenius".at_rest(f, v)
    c.order = 1
    c.linear = linear
    if linear then c.kind = kind_of(self, f, rest, rows, q, v) end
    c.catastatic = rest ~= nil and rest:is_zero() == true
  else
    c.order = 0
    c.linear = true
    c.kind = "holonomic"
    c.catastatic = core.diff(f, symbols.t):is_zero() == true
  end
  c.holonomic = c.order == 0
  c._q, c._v = q, v
  refuse_contradiction(self, c, q, v)
  table.insert(self.constraints, c)
  self.constraints[name] = c
  self:changed()
  return c
end

-- Conditions on positions that the constraints keep by themselves, for other rooms: { name, f }.
function System:_kept_conditions() return rawget(self, "_invariants") or {} end

-- Adds a condition f = 0 on positions that the constraints keep by themselves, so that it has no multiplier: starts and steps are brought onto it.
function System:_invariant(name, f)
  rawset(self, "_invariants", self:_kept_conditions())
  table.insert(self._invariants, { name = name, f = self:check_expression(f, ("invariant '%s'"):format(name), 0) })
  self:changed()
  return self
end

-- Found when first asked for: whether a nonlinear constraint by itself is integrable takes more than a look
function Constraint.get.kind(c)
  local S, alone = c._system, System.new(c.name)
  for _, name in ipairs(S.coordinate_names) do alone:_add_coordinate(S._coordinate[name]) end
  alone._rotations = S._rotations
  for _, name in ipairs(S.parameter_names) do alone[core.known_positive(S._parameter[name]) and "positive" or "parameters"](alone, name) end
  alone:constraint(c.name, c.f)
  local answer, _, _, parts = alone:holonomic()
  rawset(c, "kind", answer and "nonlinear integrable" or parts and "nonlinear integrable in " .. parts or "nonlinear nonholonomic")
  return c.kind
end

local function flags(c)
  local known, names = attempt(function() return c._system.redundant_constraints end)
  local implied = known and object.contains(names, c.name)
  return ("%s, %s, %s%s"):format(c.kind, c.catastatic and "catastatic" or "acatastatic", c.scleronomic and "scleronomic" or "rheonomic",
    implied and "; redundant: it holds wherever the others do" or "")
end

function Constraint.meta.__tostring(c)
  return ("%s: %s = 0   (%s)"):format(c.name, core.text(c.given or c.f), flags(c))
end

--- Returns the form that studies use by default: "maggi" for a system with a nonholonomic constraint, since it eliminates the dependent velocities,
--- else "lagrange". S:equations and S:simulate use "lagrange" by default.
function System:default_form()
  for _, c in ipairs(self.constraints) do if not c.holonomic then return "maggi" end end
  return "lagrange"
end

-- ---- printing a system

local function parameter_text(self, name)
  local value = self._values[name]
  local unit = self:unit_label(name)
  if not value then return ("%s (no value%s)"):format(name, unit and ", in " .. unit or "") end
  return ("%s = %s"):format(name, self:value_text(name, value))
end

local function coordinate_text(self, name)
  local unit = self:unit_label(name)
  return unit and ("%s [%s]"):format(name, unit) or name
end

-- One coefficient, or those of two directions
local function coefficient_text(list)
  return #list == 1 and core.text(list[1]) or ("{%s, %s}"):format(core.text(list[1]), core.text(list[2]))
end

local function friction_text(item)
  local slips, parts = {}, {}
  for i, s in ipairs(item.slips) do slips[i] = core.text(s) end
  local spin = item.radius and table.remove(slips)
  parts[1] = ("%s: against %s"):format(item.name, table.concat(slips, " and "))
  if spin then parts[2] = ("spin %s on a spot of radius %s (%s)"):format(spin, core.text(item.radius), item.law) end
  parts[#parts + 1] = "pressed by " .. (type(item.normal) == "string" and "'" .. item.normal .. "'" or core.text(item.normal))
  local moving, resting = coefficient_text(item.coefficient), coefficient_text(item.static)
  parts[#parts + 1] = "coefficient " .. moving
  if resting ~= moving then parts[#parts + 1] = "in stick " .. resting end
  if #item.cone > 0 then parts[#parts + 1] = "cone shared with " .. object.quoted(item.cone) end
  return table.concat(parts, ", ")
end

-- Energies with the rates and direction cosines of rotations by their names
local function shown_energies(self)
  local shown = self._of_bodies.shown
  if not shown then return self._T, self._V end
  local function sum(by_hand, of_bodies) return by_hand and of_bodies and by_hand + of_bodies or by_hand or of_bodies end
  return sum(self._kept._T, shown[1]), sum(self._kept._V, shown[2])
end

function System.meta.__tostring(self)
  local out = { self.name }
  local function line(label, text) out[#out + 1] = ("  %-20s%s"):format(label, text) end
  local coordinates = {}
  for i, name in ipairs(self.coordinate_names) do coordinates[i] = coordinate_text(self, name) end
  line("coordinates", #coordinates > 0 and table.concat(coordinates, ", ") or "none yet")
  local parameters = {}
  for i, name in ipairs(self.parameter_names) do parameters[i] = parameter_text(self, name) end
  if #parameters > 0 then line("parameters", table.concat(parameters, ", ")) end
  if self._L then line("Lagrangian", core.text(self._L)) end
  for _, R in ipairs(self._rotations) do
    line("rotation", ("%s by a unit quaternion, rates %s"):format(R.name, table.concat(R.rate_names, ", ")))
  end
  for _, body in ipairs(self._bodies) do line("body", tostring(body):gsub("^body ", "")) end
  local T, V = shown_energies(self)
  if T then line("kinetic energy", core.text(T)) end
  if V then line("potential energy", core.text(V)) end
  for _, item in ipairs(self.force_list) do
    line("force on " .. (item.coordinate and core.text(item.coordinate) or item.name), item.call and "a Lua function" or core.text(item.expression))
  end
  for _, name in ipairs(self._inputs) do
    local drive = self._drives[self._parameter[name]]
    line("input", drive and ("%s about %s"):format(name, core.text(drive)) or name)
  end
  for _, c in ipairs(self.constraints) do line("constraint", tostring(c)) end
  for _, gap in ipairs(self.gaps) do
    local extra = type(gap.law) == "function" and "law by a Lua function" or "law " .. tostring(gap.law)
    if gap.bound then line("one-sided", ("%s: %s >= 0   (on velocities)"):format(gap.name, core.text(gap.gap)))
    else line("one-sided", ("%s: %s >= 0   (%s%s%s)"):format(gap.name, core.text(gap.gap), extra, #gap.rough > 0 and ", rough" or "",
      #gap.held > 0 and ", with continuous velocities" or "")) end
  end
  for _, item in ipairs(self.frictions) do line("friction", friction_text(item)) end
  local counted, free = attempt(function() return self.degrees_of_freedom end)
  line("degrees of freedom", counted and tostring(free) or "not determined: no state that fulfils all constraints was found; they may contradict each other")
  for i, name in ipairs(self._quasi and self._quasi.names or {}) do
    line("quasi-velocity", ("%s = %s"):format(name, core.text(self._quasi.functions[i])))
  end
  return table.concat(out, "\n")
end

return Constraint
