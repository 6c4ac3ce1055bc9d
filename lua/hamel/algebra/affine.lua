-- affine.lua: expressions linear in given symbols, as coefficients and rests.
local core = require "hamel.core"
local gradients = require "hamel.algebra.gradients"
local vanishing = require "hamel.algebra.vanishing"

local affine = {}

--- Rows M and rests of a list of expressions that are linear in the symbols u: e = M u + rest.
function affine.split(list, u)
  local M, rest = {}, {}
  for s, e in ipairs(list) do M[s], rest[s] = core.gradient(e, u), vanishing.without(e, u) end
  return M, rest
end

--- The same for any expressions; nil and the index of the first that is not proved to be linear in u.
function affine.of(list, u)
  -- before zeros take the place of u, which may stand in a denominator
  for s, e in ipairs(list) do
    for _, entry in ipairs(core.gradient(e, u)) do if not vanishing.all(core.gradient(entry, u)) then return nil, s end end
  end
  return affine.split(list, u)
end

-- Does e contain measured data, or a function known by name only, of symbols of the list?
local function has_opaque_curve(e, u)
  local function moves(call) return #gradients.variables(call, u) > 0 end
  for _, call in ipairs(core.opaque_calls{ e }) do if moves(call) then return true end end
  local stack, met = { e }, {}
  while #stack > 0 do
    local part = table.remove(stack)
    if not met[part] then
      met[part] = true
      if core.kind(part) == "call" and core.name(part):find "^tabled" and moves(part) then return true end
      table.move(core.operands(part), 1, #core.operands(part), #stack + 1, stack)
    end
  end
  return false
end

--- Is e linear in the symbols u? Every second derivative must vanish, and no part may jump with u, whose derivative does not show it. What exact
--- algebra cannot decide counts as zero, except second derivatives of data and of functions known by name only, which are no formulas.
---@param rows table? the gradient of e by u
function affine.is(e, u, rows)
  if gradients.jump(e, u) then return false end
  local moving = gradients.set(u)
  for _, row in ipairs(rows or core.gradient(e, u)) do
    if gradients.contains(row, moving) then
      if gradients.jump(row, u) then return false end
      for _, second in ipairs(core.gradient(row, u)) do
        local zero = second:is_zero()
        if zero == false or (zero == nil and has_opaque_curve(second, u)) then return false end
      end
    end
  end
  return true
end

return affine
