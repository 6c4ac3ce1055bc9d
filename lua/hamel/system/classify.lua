-- classify.lua: constraints: holonomic or not, linear or not in the velocities, catastatic, scleronomic; degrees of freedom.
local attempt = require "hamel.base.attempt"
local core = require "hamel.core"
local definite = require "hamel.algebra.definite"
local gradients = require "hamel.algebra.gradients"
local object = require "hamel.base.object"
local pieces = require "hamel.algebra.pieces"
local symbols = require "hamel.algebra.symbols"
local System = require "hamel.system"
local protected = require "hamel.base.protected"

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

-- df/dq' free of velocities: by form, or because every second derivative vanishes; f and the rows contain no sign of a velocity, which has no
-- derivative, yet three values
local function linear_in(f, rows, v)
  if gradients.jump(f, v) then return false end
  for _, row in ipairs(rows) do
    if gradients.jump(row, v) then return false end
    for _, second in ipairs(core.gradient(row, v)) do
      if second:is_zero() == false then return false end
    end
  end
  return true
end

-- f with every velocity zero; nil where that is not defined
local function at_rest(f, v)
  local zeros = {}
  for i = 1, #v do zeros[i] = 0 end
  local fine, value = protected(core.substitute, f, v, zeros)
  return fine and value or nil
end

local MANY = 5000                      -- triples beyond which the test below is not made
local DOUBTFUL = 1e-6                  -- of the largest terms: what exceeds this at a point is looked at first

-- The directions in which coordinates and time may change: those of each coordinate alone, of a rotation e' = e omega/2 for each body rate alone, of time.
-- along: lists over z; triples: indices of the rates of a rotation
local function directions_of(system, z)
  local list, triples, rotation_of = {}, {}, {}
  local function add(rate, s)
    local along = {}
    for i = 1, #z do along[i] = rate(i, s) end
    list[#list + 1] = along
  end
  for _, R in ipairs(system._rotations) do
    for i, e in ipairs(R.quaternion) do rotation_of[e] = { R = R, i = i } end
  end
  for i, symbol in ipairs(z) do
    local place = rotation_of[symbol]
    if not place then add(function(k) return core.rational(k == i and 1 or 0) end)
    elseif place.i == 1 then
      triples[#triples + 1] = { #list + 1, #list + 2, #list + 3 }
      for _, w in ipairs(place.R.rates) do
        add(function(k)
          local own = rotation_of[z[k]]
          return own and own.R == place.R and core.diff(own.R.quaternion_rates[own.i], w) or core.rational(0)
        end)
      end
    end
  end
  return list, triples
end

-- Brackets of the directions of a rotation: [X_i, X_j] = X_k, i j k in cyclic order; index and sign of what is left, nil: they commute
local function bracket(triples, j, k)
  for _, t in ipairs(triples) do
    for i = 1, 3 do
      local one, two, three = t[i], t[i % 3 + 1], t[(i + 1) % 3 + 1]
      if one == j and two == k then return three, 1 end
      if one == k and two == j then return three, -1 end
    end
  end
end

-- A point at which forms are looked at: random numbers, a unit quaternion for each rotation
local function point_for(system, list)
  local seed, values = 1, {}
  local function random()
    seed = seed*16807 % 2147483647
    return 0.2 + 0.7*seed/2147483647
  end
  for _, R in ipairs(system._rotations) do
    local x, square = {}, 0
    for i = 1, 4 do
      x[i] = random()
      square = square + x[i]^2
    end
    for i, e in ipairs(R.quaternion) do
      x[i] = x[i]/math.sqrt(square)
      values[e] = x[i]
    end
    for i, cosine in ipairs(R.cosine_list) do values[cosine] = core.value(R.polynomials[i], R.quaternion, x) end
  end
  for _, s in ipairs(list) do values[s] = values[s] or random() end
  return values
end

-- The values of a list of expressions at such a point; nil where they have none
local function values_at_a_point(system, list)
  local inputs, values = core.symbols(list), {}
  local point = point_for(system, inputs)
  for i, s in ipairs(inputs) do values[i] = point[s] end
  return attempt(function() return core.program(inputs, list):eval(values) end)
end

-- One triple i < j < k of directions on which a ^ da is not small in numbers, where it has the fewest terms; nil where there is none
local function doubtful_triple(system, a, curl)
  local list, n = table.move(a, 1, #a, 1, {}), #a
  local place = {}
  for j = 1, n do
    place[j] = {}
    for k = j + 1, n do
      list[#list + 1] = curl[j][k]
      place[j][k] = #list
    end
  end
  local fine, value = values_at_a_point(system, list)
  if not fine then return nil end
  local largest = 0
  for _, x in ipairs(value) do largest = math.max(largest, math.abs(x)) end
  local best, fewest
  for i = 1, n do
    for j = i + 1, n do
      for k = j + 1, n do
        local terms = { value[i]*value[place[j][k]], -value[j]*value[place[i][k]], value[k]*value[place[i][j]] }
        local sum, count = 0, 0
        for _, term in ipairs(terms) do
          sum, count = sum + term, count + (math.abs(term) > DOUBTFUL*largest^2 and 1 or 0)
        end
        if math.abs(sum) > DOUBTFUL*largest^2 and (not best or count < fewest) then best, fewest = { i, j, k }, count end
      end
    end
  end
  return best
end

local function on_triple(a, curl, i, j, k) return a[i]*curl[j][k] - a[j]*curl[i][k] + a[k]*curl[i][j] end

-- Frobenius' condition on the one-form sum a_j dq_j + a_0 dt alone: a ^ da = 0 on all triples of the directions X, with
-- da(X, Y) = X a(Y) - Y a(X) - a([X, Y]): proved or not
local function integrable_alone(system, rest, rows, q, v)
  local z, form, closed = table.move(q, 1, #q, 1, {}), {}, true
  z[#z + 1] = symbols.t
  for i = 1, #v do
    form[i] = at_rest(rows[i], v)
    if not form[i] then return false end
  end
  form[#z] = rest
  local X, triples = directions_of(system, z)
  local a, slopes, curl = {}, {}, {}
  local places = {}                                             -- of the components of each direction that are not zero: mostly one
  for k, along in ipairs(X) do
    places[k] = {}
    for i = 1, #z do if core.number_value(along[i]) ~= 0 then table.insert(places[k], i) end end
  end
  local function sum_along(list, k)
    local terms = {}
    for n, i in ipairs(places[k]) do terms[n] = list[i]*X[k][i] end
    return core.sum(terms)
  end
  for k = 1, #X do
    a[k] = sum_along(form, k)
    slopes[k] = core.gradient(a[k], z)
  end
  for j = 1, #X do
    curl[j] = {}
    for k = j + 1, #X do
      local third, sign = bracket(triples, j, k)
      curl[j][k] = sum_along(slopes[k], j) - sum_along(slopes[j], k) - (third and sign*a[third] or 0)
    end
  end
  -- most forms are not integrable, and one triple proves it
  local many = #X*(#X - 1)*(#X - 2)/6 > MANY
  local first = not many and doubtful_triple(system, a, curl)
  if first and on_triple(a, curl, table.unpack(first)):is_zero() == false then return false end
  for j = 1, #X do
    for k = j + 1, #X do
      if core.number_value(curl[j][k]) ~= 0 and curl[j][k]:is_zero() ~= true then closed = false else curl[j][k] = core.rational(0) end
    end
  end
  if closed then return true end
  if many then return false end
  for i = 1, #X do
    for j = i + 1, #X do
      for k = j + 1, #X do
        local sum = on_triple(a, curl, i, j, k)
        if core.number_value(sum) ~= 0 and sum:is_zero() ~= true then return false end
      end
    end
  end
  return true
end

local function kind_of(system, f, rest, rows, q, v)
  if not rest or not integrable_alone(system, rest, rows, q, v) then return "linear nonholonomic" end
  return pieces.jump(pieces.coefficients(f, v)) and "linear integrable in regions" or "linear integrable"
end

-- On the level that two constraints have in common: positions, or velocities
local function on_level(c, order)
  return c.order == order and c.f or core.dt(c.f)
end

-- f - k g is a number other than zero: nothing satisfies both
local function contradict(f, g, symbols_of)
  local df, dg = core.gradient(f, symbols_of), core.gradient(g, symbols_of)
  for i = 1, #df do
    if core.number_value(dg[i]) ~= 0 then
      -- gradients that are not parallel belong to surfaces that meet
      for j = 1, #df do
        if j ~= i and (df[j]*dg[i] - df[i]*dg[j]):is_zero() == false then return false end
      end
      local rest = core.simplify(f - df[i]/dg[i]*g)
      return #core.symbols{ rest } == 0 and rest:is_zero() == false
    end
  end
  return false
end

local function refuse_contradiction(system, c, q, v)
  for _, other in ipairs(system.constraints) do
    local order = math.max(c.order, other.order)
    if contradict(on_level(c, order), on_level(other, order), order == 0 and q or v) then
      fail("constraint '%s' contradicts '%s': %s = 0 and %s = 0 cannot both hold", c.name, other.name, core.text(on_level(c, order)),
        core.text(on_level(other, order)))
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
    local linear = linear_in(f, rows, v)
    local rest = at_rest(f, v)
    c.order = 1
    c.linear = linear
    if linear then c.kind = kind_of(self, f, rest, rows, q, v) end
    c.catastatic = rest ~= nil and rest:is_zero() ~= false
  else
    c.order = 0
    c.linear = true
    c.kind = "holonomic"
    c.catastatic = core.diff(f, symbols.t):is_zero() ~= false
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
