-- vector.lua: vectors as sums of terms, each with its components in one frame. A product is formed term by term, each pair in the deeper
-- of its two frames; no vector is moved to another frame as a whole unless v:expand(frame) or v:components(frame) is called.
local core = require "hamel.core"
local motion = require "hamel.bodies.motion"
local object = require "hamel.base.object"

local fail = object.fail

local Vector = object.class "Vector"

local ZERO = core.rational(0)

local function is_vector(v) return getmetatable(v) == Vector.meta end

Vector._is_vector = is_vector

-- Terms in order of their frames, without those that vanish
local function sorted(terms)
  local list = {}
  for frame, c in pairs(terms) do
    if core.number_value(c[1]) ~= 0 or core.number_value(c[2]) ~= 0 or core.number_value(c[3]) ~= 0 then
      list[#list + 1] = { frame = frame, c[1], c[2], c[3] }
    end
  end
  table.sort(list, function(a, b) return a.frame._index < b.frame._index end)
  return list
end

--- A vector of a system; terms: components by frame.
function Vector.new(system, terms)
  return setmetatable({ system = system, _terms = sorted(terms) }, Vector.meta)
end

-- The value given in place of a vector, in words
local function words(v)
  if v == nil then return "nil" end
  if core.is_expression(v) then return "the expression " .. core.text(v) end
  local meta = debug.getmetatable(v)
  return "a " .. (type(v) == "table" and type(meta) == "table" and type(rawget(meta, "__name")) == "string" and meta.__name:lower() or type(v))
end

Vector._words = words

-- The vector v itself; raised where it is something else, or of another system.
function Vector._demand(v, system, what)
  if not is_vector(v) then fail("%s is a vector, such as -9.81*N.z; not %s", what, words(v)) end
  if v.system ~= system then fail("%s: vectors of different systems, %s and %s", what, system.name, v.system.name) end
  return v
end

-- The vector v of a place or a direction, which no input and no multiplier may move.
function Vector._demand_free(v, system, what)
  Vector._demand(v, system, what)
  if #system._inputs == 0 and not system._lambda then return v end
  for _, term in ipairs(v._terms) do for i = 1, 3 do system:admit(term[i], what, 2) end end
  return v
end

local function same_system(a, b)
  if a.system ~= b.system then fail("vectors of different systems, %s and %s", a.system.name, b.system.name) end
end

-- ---- from frame to frame

-- Products and sums of components, most of which are zero: an axis has one component, its rate two
local function times(a, b)
  if rawequal(a, ZERO) or rawequal(b, ZERO) then return ZERO end
  return a*b
end
local function plus(a, b)
  if rawequal(a, ZERO) then return b end
  return rawequal(b, ZERO) and a or a + b
end

-- The components c turned by the matrix of a frame, its rows or (transposed) its columns. Only two of them change about an axis of the frame
local function turned(c, frame, transposed)
  local C, axis, r = frame._matrix, frame._axis, { c[1], c[2], c[3] }
  for i = 1, 3 do
    if i ~= axis then
      local sum = ZERO
      for k = 1, 3 do
        if k ~= axis then sum = plus(sum, times(transposed and C[k][i] or C[i][k], c[k])) end
      end
      r[i] = sum
    end
  end
  return r
end

Vector._turned = turned

-- A term with its components in the frame `to`, through the frames between them. A term keeps what was computed, as a product of vectors meets each
-- term many times
local function converted(term, to)
  local from = term.frame
  if from == to then return term end
  local known = term.known
  if not known then
    known = {}
    term.known = known
  end
  local found = known[to]
  if found then return found end
  if from._depth >= to._depth then
    local above = known[from._parent]
    if not above then
      above = turned(term, from, false)
      above.frame = from._parent
      known[from._parent] = above
    end
    found = converted(above, to)
  else
    found = turned(converted(term, to._parent), to, true)
    found.frame = to
  end
  known[to] = found
  return found
end

-- Two terms in the deeper of their frames
local function together(a, b)
  if a.frame == b.frame then return a, b, a.frame end
  if a.frame._depth >= b.frame._depth then return a, converted(b, a.frame), a.frame end
  return converted(a, b.frame), b, b.frame
end

-- ---- algebra

local function gathered(list)
  local terms = {}
  for _, item in ipairs(list) do
    local known = terms[item.frame]
    terms[item.frame] = known and { known[1] + item[1], known[2] + item[2], known[3] + item[3] } or item
  end
  return terms
end

local function scaled(v, factor)
  local terms = {}
  for _, term in ipairs(v._terms) do terms[term.frame] = { factor*term[1], factor*term[2], factor*term[3] } end
  return Vector.new(v.system, terms)
end

local function sum_of(a, b, sign, operator)
  -- a point on the other side takes over
  local meta = type(b) == "table" and getmetatable(b)
  if is_vector(a) and meta and rawget(meta, "__plus_vector") then return meta.__plus_vector(b, a, operator) end
  if not (is_vector(a) and is_vector(b)) then
    local other = is_vector(a) and b or a
    if core.is_expression(other) or type(other) == "number" then
      fail("%s of a vector and an expression: multiply the expression by a direction, as in x*N.x", operator)
    end
    fail("%s of a vector and %s", operator, words(other))
  end
  same_system(a, b)
  local list = table.move(a._terms, 1, #a._terms, 1, {})
  for _, term in ipairs(b._terms) do
    list[#list + 1] = sign > 0 and term or { frame = term.frame, -term[1], -term[2], -term[3] }
  end
  return Vector.new(a.system, gathered(list))
end

-- The number or expression that multiplies a vector of this system
local function factor_of(e, system, operator)
  if is_vector(e) then fail("%s of two vectors: v:dot(w) is a number, v:cross(w) a vector", operator) end
  if not core.is_expression(e) and type(e) ~= "number" then fail("%s of a vector and %s", operator, words(e)) end
  return system:admit(e, "the factor of a vector", 2, true)
end

function Vector.meta.__add(a, b) return sum_of(a, b, 1, "+") end
function Vector.meta.__sub(a, b) return sum_of(a, b, -1, "-") end
function Vector.meta.__unm(v) return scaled(v, core.rational(-1)) end
function Vector.meta.__mul(a, b)
  if is_vector(b) then a, b = b, a end
  return scaled(a, factor_of(b, a.system, "*"))
end
function Vector.meta.__div(a, b)
  if not is_vector(a) then fail("/ by a vector: a vector is divided by an expression, not the other way round") end
  return scaled(a, 1/factor_of(b, a.system, "/"))
end

--- Are the vectors equal? Components are compared in the frame of the first, by exact algebra.
function Vector.meta.__eq(a, b)
  if not (is_vector(a) and is_vector(b)) or a.system ~= b.system then return false end
  local difference = a - b
  if #difference._terms == 0 then return true end
  for _, c in ipairs(difference:_in_frame(difference._terms[1].frame)) do
    if a.system:plain(c):is_zero() ~= true then return false end
  end
  return true
end

-- Adds the products of the components of two terms to a list
local function add_products(list, a, b)
  local x, y = together(a, b)
  for i = 1, 3 do
    local p = times(x[i], y[i])
    if not rawequal(p, ZERO) then list[#list + 1] = p end
  end
end

--- Scalar product with another vector, an expression. (The time derivative is v:dt().)
function Vector:dot(w)
  Vector._demand(w, self.system, "dot: the other vector")
  local sum = {}
  for _, a in ipairs(self._terms) do
    for _, b in ipairs(w._terms) do add_products(sum, a, b) end
  end
  return core.sum(sum)
end

local function crossed(x, y)
  local c = {}
  for i = 1, 3 do
    local j, k = i % 3 + 1, (i + 1) % 3 + 1
    local one, other = times(x[j], y[k]), times(x[k], y[j])
    c[i] = rawequal(other, ZERO) and one or one - other
  end
  return c
end

Vector._crossed = crossed

--- Vector product with another vector.
function Vector:cross(w)
  Vector._demand(w, self.system, "cross: the other vector")
  local list = {}
  for _, a in ipairs(self._terms) do
    for _, b in ipairs(w._terms) do
      local x, y, frame = together(a, b)
      local c = crossed(x, y)
      c.frame = frame
      list[#list + 1] = c
    end
  end
  return Vector.new(self.system, gathered(list))
end

local SHORT = 300                      -- nodes of a square that is simplified: those of velocities by recursion would lose what they share with others

--- Length, an expression.
function Vector:norm()
  local square = self:dot(self)
  return core.sqrt(core.tree_size(square) <= SHORT and core.simplify(square) or square)
end

-- The components in a frame of the system, as a list.
function Vector._in_frame(self, frame)
  local sum = { ZERO, ZERO, ZERO }
  for _, term in ipairs(self._terms) do
    local c = converted(term, frame)
    for i = 1, 3 do sum[i] = sum[i] + c[i] end
  end
  return sum
end

local function demand_frame(frame, system, what)
  if not object.is_a(frame, "Frame") then fail("%s takes a frame, as in %s(N); not %s", what, what, words(frame)) end
  if frame.system ~= system then fail("%s: frame '%s' belongs to another system, %s", what, frame.name, frame.system.name) end
  return frame
end

Vector._demand_frame = demand_frame

--- The three components in a frame: local a, b, c = v:components(B).
function Vector:components(frame)
  return table.unpack(self:_in_frame(demand_frame(frame, self.system, "v:components")), 1, 3)
end

--- The same vector with all components in one frame.
function Vector:expand(frame)
  demand_frame(frame, self.system, "v:expand")
  return Vector.new(self.system, { [frame] = self:_in_frame(frame) })
end

-- The vector with f applied to every component.
function Vector._map(self, f)
  local terms = {}
  for _, term in ipairs(self._terms) do terms[term.frame] = { f(term[1]), f(term[2]), f(term[3]) } end
  return Vector.new(self.system, terms)
end

-- The derivative as seen in `frame`, with the derivatives of components by `rate`
function Vector._derivative(self, frame, rate)
  local sum = self:_map(rate)
  for _, term in ipairs(self._terms) do
    if term.frame ~= frame then
      sum = sum + term.frame:angular_velocity(frame):cross(Vector.new(self.system, { [term.frame] = { term[1], term[2], term[3] } }))
    end
  end
  return sum
end

--- Time derivative as seen in a frame, the inertial one when none is given.
function Vector:dt(frame)
  local system = self.system
  frame = frame and demand_frame(frame, system, "v:dt") or system:frame()
  return self:_derivative(frame, function(c) return motion.dt(system, c) end)
end

-- Where an expression is taken
Vector.meta.__kind, Vector.meta.__words = "a vector", "v:components(N) returns its three components, v:dot(N.x) one of them"

function Vector.meta.__tostring(v)
  local parts = {}
  for _, term in ipairs(v._terms) do
    for i, axis in ipairs{ "x", "y", "z" } do
      local c = term[i]
      if core.number_value(c) ~= 0 then
        local text = core.text(c)
        if core.kind(c) == "sum" then text = "(" .. text .. ")" end
        parts[#parts + 1] = ("%s%s.%s"):format(text == "1" and "" or text == "-1" and "-" or text .. "*", term.frame.name, axis)
      end
    end
  end
  return #parts == 0 and "0" or (table.concat(parts, " + "):gsub("%+ %-", "- "))
end

object.seal(Vector)

return Vector
