-- rebuild.lua: expressions rewritten from the leaves up, each shared part once.
local core = require "hamel.core"

local rebuild = {}

--- The node e again with other operands.
function rebuild.node(e, list)
  local kind = core.kind(e)
  if kind == "sum" then return core.sum(list) end
  if kind == "product" then return core.product(list) end
  if kind == "power" then return list[1]^list[2] end
  local f = core.functions[core.name(e)]
  if not f then return core.opaque_call(list) end
  return f(table.unpack(list))
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
    local plain = changed and rebuild.node(e, operands) or e
    done[e] = f(plain, e) or plain
    return done[e]
  end
  return rewritten
end

return rebuild
