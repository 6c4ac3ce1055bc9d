-- rebuild.lua: expressions rewritten from the leaves up, each shared part once.
local core = require "hamel.core"

local rebuild = {}

local function from_operands(e, list)
  local kind = core.kind(e)
  if kind == "sum" then return core.sum(list) end
  if kind == "product" then return core.product(list) end
  if kind == "power" then return list[1]^list[2] end
  return core.functions[core.name(e)](table.unpack(list))
end

--- A function that rewrites expressions: f(part) gets every part after its operands are rewritten, and returns what replaces it, or nil. What was
--- rewritten once is remembered for all later calls.
function rebuild.by(f)
  local done = {}
  local function rewritten(e)
    if done[e] then return done[e] end
    local operands, changed = core.operands(e), false
    for i, operand in ipairs(operands) do
      local new = rewritten(operand)
      changed, operands[i] = changed or new ~= operand, new
    end
    local plain = changed and from_operands(e, operands) or e
    done[e] = f(plain, e) or plain
    return done[e]
  end
  return rewritten
end

return rebuild
