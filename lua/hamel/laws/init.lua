-- laws/init.lua: the registry of impact laws: hm.newton(1), hm.moreau(1), hm.poisson(0.8), hm.stronge(0.5), hm.plastic().
local core = require "hamel.core"
local object = require "hamel.base.object"
local options = require "hamel.base.options"
local registry = require "hamel.base.registry"

local here = debug.getinfo(1, "S").source:match("^@(.*)init%.lua$")
local laws = registry.load("hamel.laws", here)

local Law = object.class "ImpactLaw"

function Law.meta.__tostring(law)
  local parts = {}
  local function text(value) return core.is_expression(value) and core.text(value) or object.number(value) end
  for _, name in ipairs(law.parameters) do parts[#parts + 1] = ("%s = %s"):format(name, text(law[name])) end
  if law.tangential ~= law.restitution then parts[#parts + 1] = "tangential = " .. text(law.tangential) end
  return law.name .. (#parts > 0 and "(" .. table.concat(parts, ", ") .. ")" or "()")
end

local function finish(row, e, given)
  local o = options.check(row.name, row.options or {}, given)
  return { name = row.name, law = row.law or row.name, restitution = e, tangential = o.tangential or e, parameters = row.parameters }
end

-- hm.newton(e, { tangential = e_t })
local function constructor(row)
  return function(restitution, given)
    local e, takes = 0, #row.parameters > 0
    if not takes and restitution ~= nil then object.fail("%s takes no coefficient", row.name) end
    if takes then
      e = restitution ~= nil and options.number(restitution)
      -- an expression of parameters is checked where it has a value
      if not e and core.is_expression(restitution) then return setmetatable(finish(row, restitution, given), Law.meta) end
      if not e then object.fail("%s takes the coefficient of restitution, from 0 (plastic) to 1 (elastic): hm.%s(1)", row.name, row.name) end
      if not (e >= 0 and e <= 1) then
        object.fail("%s: the coefficient of restitution is %s; it is from 0 (plastic) to 1 (elastic)", row.name, object.number(e))
      end
    end
    return setmetatable(finish(row, e, given), Law.meta)
  end
end

-- "hm.moreau(e), hm.newton(e), ...": the calls of all laws, for messages and help
local function calls()
  local list = {}
  for i, name in ipairs(object.keys(laws)) do list[i] = ("hm.%s(%s)"):format(name, #laws[name].parameters > 0 and "e" or "") end
  return table.concat(list, ", ")
end

local result = { constructors = {}, list = laws, Law = Law, calls = calls() }
for name, row in pairs(laws) do result.constructors[name] = constructor(row) end

return result
