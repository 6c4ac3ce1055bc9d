-- logarithm.lua: functions whose logarithm has a given gradient: by quadrature, or as products of rational powers of the factors that occur.
local attempt = require "hamel.base.attempt"
local constants = require "hamel.geometry.constants"
local core = require "hamel.core"
local echelon = require "hamel.algebra.echelon"
local one_form = require "hamel.geometry.one_form"

local logarithm = {}

-- Adds the factors of e that depend on z and have no number for an exponent of their own
local function add_factors(list, e, z)
  local product = core.simplify(e, "factored", nil, { effort = 1 })
  for _, factor in ipairs(core.kind(product) == "product" and core.operands(product) or { product }) do
    local base, exponent = factor, nil
    if core.kind(factor) == "power" then base, exponent = table.unpack(core.operands(factor)) end
    if exponent and not core.number_value(exponent) then base = factor end
    local moving, known = false, false
    for _, x in ipairs(z) do moving = moving or core.number_value(core.diff(base, x)) ~= 0 end
    for _, other in ipairs(list) do known = known or (base/other - 1):is_zero() == true or (base/other + 1):is_zero() == true end
    if moving and not known then list[#list + 1] = base end
  end
end

-- g or -g, the one that is positive where all symbols are 1/2 to 3/2
local function positive(g)
  local inputs, x = core.symbols{ g }, {}
  for i = 1, #inputs do x[i] = 0.5 + i*0.6180339887498949 % 1 end
  return core.program(inputs, { g }):eval(x)[1] < 0 and -g or g
end

--- N(z) with d ln N/dz_i = a_i, the gradient verified; nil where none is found. candidates: further factors that may occur in N.
---@param a table the gradient of ln N
---@param z table symbols
---@param candidates table? expressions
function logarithm.of(a, z, candidates)
  local factors = {}
  for _, e in ipairs(a) do
    local fine, above, below = attempt(core.fraction, e)
    if fine then
      add_factors(factors, below, z)
      add_factors(factors, above, z)
    end
  end
  for _, e in ipairs(candidates or {}) do add_factors(factors, e, z) end
  local rows = {}
  for i, x in ipairs(z) do
    rows[i] = { -a[i] }
    for j, g in ipairs(factors) do rows[i][j + 1] = core.diff(g, x)/g end
  end
  -- the given gradient in the last column, so that it is one of the free ones
  for i in ipairs(z) do table.insert(rows[i], table.remove(rows[i], 1)) end
  for _, c in ipairs(constants.relations(rows, #factors + 1)) do
    local whole = c[#factors + 1]
    if core.number_value(whole) ~= 0 then
      local N = core.rational(1)
      for j, g in ipairs(factors) do N = N*positive(g)^(c[j]/whole) end
      return N
    end
  end
  local short = {}
  for i, e in ipairs(a) do short[i] = echelon.short(e) end
  local F = one_form.potential(short, z)
  return F and one_form.exponential(F) or nil
end

return logarithm
