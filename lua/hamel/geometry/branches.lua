-- branches.lua: constraints with several branches: products, one factor of which vanishes, and functions with jumps, which are different
-- constraints on either side. Proofs by division or differentiation hold on one branch and in one region only.
local core = require "hamel.core"
local definite = require "hamel.algebra.definite"
local explicit = require "hamel.equations.explicit"
local gradients = require "hamel.algebra.gradients"
local pieces = require "hamel.algebra.pieces"
local protected = require "hamel.base.protected"

local branches = {}

local function contains(e, list) return gradients.contains(e, gradients.set(list)) end

--- Factors of f that contain velocities and may vanish, { e =, n = exponent }; nil where f cannot be factored within its time.
function branches.factors(f, v)
  local product, status = core.simplify(f, "factored", nil, { effort = 2 })
  if status ~= "OK" then return nil end
  local list = {}
  for _, factor in ipairs(core.kind(product) == "product" and core.operands(product) or { product }) do
    local e, n = factor, 1
    if core.kind(factor) == "power" then e, n = core.operands(factor)[1], core.number_value(core.operands(factor)[2]) or 1 end
    if n > 0 and contains(e, v) and not definite.never_zero(e, v) then list[#list + 1] = { e = e, n = n } end
  end
  return list
end

--- "x' = 0 or y' = 0"
function branches.text(factors)
  local list = {}
  for i, factor in ipairs(factors) do list[i] = core.text(factor.e) .. " = 0" end
  return table.concat(list, " or ")
end

-- Are the variables arguments of functions, below a fraction or under roots?
local function is_polynomial(e, v)
  local stack = { e }
  while #stack > 0 do
    local part = table.remove(stack)
    local kind, operands = core.kind(part), core.operands(part)
    local n = kind == "power" and core.number_value(operands[2])
    if (kind == "call" or (kind == "power" and not (n and n >= 0 and n % 1 == 0))) and contains(part, v) then return false end
    table.move(operands, 1, #operands, #stack + 1, stack)
  end
  return true
end

--- Where constraints solved one after the other for velocities may have a branch that the division lost: a sentence, or nil: there is none.
--- A polynomial A y' + B has one where A and B share a factor; of other functions that is not decided.
function branches.lost(system)
  local fine, X = protected(explicit.solve, system, nil, "holonomic")
  local v = system:velocity_list()
  for _, step in ipairs(fine and X.steps or {}) do
    if contains(step.slope, v) and not definite.never_zero(step.slope, v) then
      local factors = is_polynomial(step.f, v) and branches.factors(step.f, v)
      if not factors or #factors > 1 then
        return ("the constraints may hold in another way where %s = 0, which is not decided"):format(core.text(step.slope))
      end
    end
  end
end

-- ---- jumps

--- Where the coefficients of the constraints on velocities jump: a sentence, or nil.
function branches.region(system)
  local v = system:velocity_list()
  for _, c in ipairs(system.constraints) do
    local jump = c.order == 1 and pieces.jump(pieces.coefficients(c.f, v))
    if jump then return ("'%s' is integrable on either side, not across: %s"):format(c.name, jump) end
  end
end

return branches
