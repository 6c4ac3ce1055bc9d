-- lyapunov.lua: S:lyapunov: the exponents by which neighbouring motions part.
local object = require "hamel.object"
local options = require "hamel.options"
local System = require "hamel.system"
local tangent = require "hamel.analysis.tangent"
local variations = require "hamel.analysis.variations"

local fail = object.fail
local Lyapunov = object.class "Lyapunov"

local schema = {
  n = { type = "number", from = 1, whole = true, doc = "number of exponents, the largest first; all when not given" },
  every = { default = 1, above = 0, type = "number", doc = "time between orthonormalisations" },
  skip = { default = 0, from = 0, type = "number", doc = "time before the average begins" },
}
for name, row in pairs(variations.schema) do schema[name] = row end

-- Gram-Schmidt; the logarithms of the lengths, and orthonormal directions over the kept states
local function orthonormalise(list)
  local basis, logs = {}, {}
  for k, d in ipairs(list) do
    local length = tangent.orthogonal(d, basis)
    if not (length > 0) then fail("lyapunov: a direction has died out; take a smaller `every`") end
    for i = 1, #d do d[i] = d[i]/length end
    basis[k], logs[k] = d, math.log(length)
  end
  return basis, logs
end

-- Kaplan and Yorke's dimension of the attractor
local function dimension(exponents)
  local sum = 0
  for k, e in ipairs(exponents) do
    if sum + e < 0 then return k - 1 + sum/math.abs(e) end
    sum = sum + e
  end
  return #exponents
end

--- Lyapunov exponents of a motion by Benettin's method: S:lyapunov{ q =, v =, t = 1000, n = 2, every = 1, skip = 100, rtol = 1e-8, ... }.
--- Directions tangent to the constraints are carried by the exact variational equations and made orthonormal after each time `every`;
--- coordinates on which nothing depends are left out. Result: exponents (largest first), history = { {t =, exponents...}, ... } to judge the
--- convergence by, dimension (Kaplan and Yorke, where all exponents are known). Source: Benettin and others, Meccanica 15 (1980).
function System:lyapunov(given)
  local o = options.check("lyapunov", schema, given)
  if type(o.t) ~= "number" then fail("lyapunov: the end time t is missing") end
  if not (o.t > o.skip) then fail("lyapunov: t = %g is not after skip = %g", o.t, o.skip) end
  local flow = variations.flow(self, "lyapunov", o, 0.0)
  local basis = flow:tangents(0.0, flow.x)
  local n = o.n or #basis
  if n > #basis then fail("lyapunov: n = %d, but the motion has %d independent directions", n, #basis) end
  -- no coordinate direction is special
  local directions, sums = {}, {}
  for k = 1, n do
    directions[k], sums[k] = {}, 0.0
    for i = 1, #flow.kept do
      local sum = 0.0
      for b, u in ipairs(basis) do sum = sum + u[i]*math.sin(1.0 + 3.7*k + 2.3*b*k + 0.9*b) end
      directions[k][i] = sum
    end
  end
  directions = orthonormalise(directions)
  local x, t, history, began = flow.x, 0.0, {}, nil
  while t < o.t*(1 - 1e-12) do
    local next_t = math.min(t + o.every, o.t)
    if t < o.skip and next_t > o.skip then next_t = o.skip end
    local whole = {}
    for k, d in ipairs(directions) do whole[k] = flow:whole(d) end
    local carried
    x, carried = flow:run(t, next_t, x, whole)
    for k, d in ipairs(carried) do carried[k] = flow:part(d) end
    local logs
    directions, logs = orthonormalise(carried)
    if t >= o.skip then
      began = began or t
      local entry = { t = next_t }
      for k = 1, n do
        sums[k] = sums[k] + logs[k]
        entry[k] = sums[k]/(next_t - began)
      end
      history[#history + 1] = entry
    end
    t = next_t
  end
  local exponents, last = {}, history[#history]
  for k = 1, n do exponents[k] = last[k] end
  local result = { exponents = exponents, history = history, names = flow.names, _title = self.name, _t = { began, t } }
  result.dimension = n == #basis and dimension(exponents) or false
  return setmetatable(result, Lyapunov.meta)
end

function Lyapunov.meta.__tostring(self)
  local words = {}
  for k, e in ipairs(self.exponents) do words[k] = ("%.6g"):format(e) end
  local half, last = self.history[math.max(1, #self.history//2)], self.history[#self.history]
  local change = 0
  for k = 1, #self.exponents do change = math.max(change, math.abs(half[k] - last[k])) end
  return ("%s: Lyapunov exponents %s\n  over t = %g to %g; the second half of it changed them by %.2g%s"):format(self._title, table.concat(words, ", "),
    self._t[1], self._t[2], change, self.dimension and ("; dimension %.4g (Kaplan and Yorke)"):format(self.dimension) or "")
end

options.declare("lyapunov", schema)

return Lyapunov
