-- rotation.lua: S:rotation: a frame turned from another one by a unit quaternion, with body rates as velocities.
local Frame = require "hamel.bodies.frame"
local object = require "hamel.base.object"
local options = require "hamel.base.options"
local symbols = require "hamel.algebra.symbols"
local System = require "hamel.system"
local Vector = require "hamel.bodies.vector"
local protected = require "hamel.base.protected"
local unit_quaternion = require "hamel.algebra.unit_quaternion"

local fail = object.fail

local schema = {
  from = { type = "table", doc = "the frame from which it turns; the inertial one when not given" },
  rates = { type = "string", doc = "names of the body rates, \"p q r\"; \"omega1 omega2 omega3\" when not given" },
}

-- Names of the rates: those given, else omega1 to omega3, with the name of the rotation in front where one of them is taken
local function rate_names(system, name, given)
  local names = {}
  if given then
    for i, item in ipairs(symbols.split(given, "S:rotation: rates")) do names[i] = item.name end
    if #names ~= 3 then fail("rotation '%s': rates need three free names, as in rates = \"p q r\"; given are %d", name, #names) end
    for _, rate in ipairs(names) do
      local free, reason = protected(system.demand_free, system, rate)
      if not free then fail("rotation '%s': rates need three free names: %s", name, (tostring(reason):gsub("^[^\n]-:%d+: ", ""))) end
    end
    return names
  end
  local free = true
  for i = 1, 3 do
    names[i] = "omega" .. i
    free = free and protected(system.demand_free, system, names[i])
  end
  for i = 1, free and 0 or 3 do names[i] = ("%s_omega%d"):format(name, i) end
  return names
end

local function numbered(name)
  local list = {}
  for i = 0, 3 do list[i + 1] = name .. i end
  return list
end

local function clash(name, entry, of)
  fail("rotation '%s': '%s' would be a rotation and an entry of the quaternion of '%s', %s0 to %s3; give rotations names of the same length, as R01, \z
    R02, ..., R12", name, entry, of, of, of)
end

-- In starts, states and files rotations and entries of quaternions stand side by side: the rotations R1 and R10 could not be told from R10, R11, ...
local function demand_apart(system, name, entries)
  for _, R in ipairs(system._rotations) do
    if object.contains(numbered(R.name), name) then clash(name, name, R.name) end
    if object.contains(entries, R.name) then clash(name, R.name, name) end
  end
  if system._coordinate[name] then fail("rotation '%s': '%s' is already a coordinate of %s; take another name", name, name, system.name) end
end

-- Symbols of the direction cosines: Rzx is the component of the parent's z along the own x
local function cosine_symbols(system, name, C)
  local S, letters = {}, { "x", "y", "z" }
  for i = 1, 3 do
    S[i] = {}
    for j = 1, 3 do
      S[i][j] = system:_define(name .. letters[i] .. letters[j], C[i][j], 0, ("a direction cosine of the rotation '%s'"):format(name), unit_quaternion.COSINE)
    end
  end
  return S
end

-- C' = C [omega]x: rates of the cosines, row by row
local function cosine_rates(S, w)
  local list = {}
  for i = 1, 3 do
    local r = S[i]
    table.move({ r[2]*w[3] - r[3]*w[2], r[3]*w[1] - r[1]*w[3], r[1]*w[2] - r[2]*w[1] }, 1, 3, #list + 1, list)
  end
  return list
end

local function flat(rows)
  local list = {}
  for _, row in ipairs(rows) do table.move(row, 1, 3, #list + 1, list) end
  return list
end

--- A frame with any attitude, without a singular place: local R = S:rotation("R", { rates = "p q r" }). Its states are the unit quaternion
--- R0, R1, R2, R3 (scalar first; e and -e are the same rotation) and the body rates p, q, r, the components of its angular velocity along R.x,
--- R.y, R.z (with respect to `from`). Starts: q = {R = {axis = {1, 0, 0}, angle = 0.5}}, {R = {"zxz", psi, theta, phi}}, {R = {1, 0, 0, 0}}
--- (the axis may be a vector that is fixed in `from` or in R);
--- v = {R = {p, q, r}}, by name, or as a vector, {R = 2*N.z + 12*R.z}: like the rates it is the angular velocity with respect to `from`; where this turns,
--- {R = omega - F:angular_velocity()} gives the whole one, omega. Rates and direction cosines (Rzx: N.z along R.x) are printed by their names and may
--- stand in every expression. No rotation is called as an entry of another's quaternion: the bodies of an arm are R01 to R12, as R10 belongs to R1.
function System:rotation(name, given)
  if type(name) ~= "string" or not name:find "^%a[%w_]*$" then fail("S:rotation takes a name made of letters, as in S:rotation \"R\"") end
  for _, R in ipairs(self._rotations) do
    if R.name == name then fail("S:rotation: %s has a rotation '%s' already; take another name", self.name, name) end
  end
  local o = options.check("rotation", schema, given)
  local from = o.from or self:frame()
  if not object.is_a(from, "Frame") then fail("rotation '%s': from is a frame, not %s", name, Vector._words(from)) end
  if from.system ~= self then fail("rotation '%s': frame '%s' belongs to another system, %s", name, from.name, from.system.name) end
  demand_apart(self, name, numbered(name))
  local rates = rate_names(self, name, o.rates)
  for _, q in ipairs(numbered(name)) do self:demand_free(q) end
  local e = unit_quaternion.entries(name)
  for _, entry in ipairs(e) do self:_add_coordinate(entry, "1") end
  local of, values, w = ("a rate of the rotation '%s'"):format(name), unit_quaternion.rates(e), {}
  for i, rate in ipairs(rates) do
    w[i] = self:_define(rate, values[i], 1, of, unit_quaternion.RATE)
    unit_quaternion.note_rate(rate, name, i)
  end
  local P = unit_quaternion.polynomials(e)
  local C = cosine_symbols(self, name, P)
  local frame = Frame.new(self, name, from, { matrix = C, rates = w, own_rates = true, axis = false })
  frame._rotation = { name = name, quaternion = e, rates = w, rate_names = rates, quaternion_rates = unit_quaternion.velocities(e, w),
    rates_in_velocities = values, unit = e[1]^2 + e[2]^2 + e[3]^2 + e[4]^2 - 1, cosine_list = flat(C), cosine_rate_list = cosine_rates(C, w),
    polynomials = flat(P) }
  frame._rotation.frame = frame
  table.insert(self._rotations, frame._rotation)
  self:changed()
  return frame
end

local function demand_rotation(frame, method)
  if not frame._rotation then fail("B:%s: '%s' is no rotation by a quaternion: S:rotation \"R\" declares one", method, frame.name) end
  return frame._rotation
end

--- The body rates as three symbols, for constraints, forces and what is asked of runs: local p, q, r = R:rates().
function Frame:rates() return table.unpack(demand_rotation(self, "rates").rates) end

--- The four coordinates of the unit quaternion, scalar first.
function Frame:quaternion() return table.unpack(demand_rotation(self, "quaternion").quaternion) end

options.declare("rotation", schema)

return Frame
