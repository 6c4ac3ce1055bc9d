-- laws/init.lua: the registry of impact laws: hm.newton(1), hm.poisson(0.8), hm.stronge(0.5), hm.plastic().
local core = require "hamel.core"
local object = require "hamel.object"
local options = require "hamel.options"
local registry = require "hamel.registry"

local here = debug.getinfo(1, "S").source:match("^@(.*)init%.lua$")
local laws = registry.load("hamel.laws", here, {})

local Law = object.class "ImpactLaw"

function Law.meta.__tostring(law)
  local parts = {}
  for _, name in ipairs(law.parameters) do parts[#parts + 1] = ("%s = %s"):format(name, object.number(law[name])) end
  if law.tangential ~= law.restitution then parts[#parts + 1] = "tangential = " .. object.number(law.tangential) end
  return law.name .. (#parts > 0 and "(" .. table.concat(parts, ", ") .. ")" or "()")
end

-- hm.newton(e, { tangential = e_t })
local function constructor(row)
  return function(restitution, given)
    local e, takes = 0, #row.parameters > 0
    if not takes and restitution ~= nil then object.fail("%s takes no coefficient", row.name) end
    if takes then
      e = restitution ~= nil and core.number_value(restitution)
      if not e then object.fail("%s takes the coefficient of restitution, from 0 (plastic) to 1 (elastic): hm.%s(1)", row.name, row.name) end
      if not (e >= 0 and e <= 1) then
        object.fail("%s: the coefficient of restitution is %s; it is from 0 (plastic) to 1 (elastic)", row.name, object.number(e))
      end
    end
    local o = options.check(row.name, row.options or {}, given)
    return setmetatable({ name = row.name, law = row.law or row.name, restitution = e, tangential = o.tangential or e, parameters = row.parameters },
      Law.meta)
  end
end

local result = { constructors = {}, list = laws, Law = Law }
for name, row in pairs(laws) do result.constructors[name] = constructor(row) end

return result
