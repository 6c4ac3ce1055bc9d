-- analysis/idle.lua: parameters that change nothing.
local core = require "hamel.core"
local tangent = require "hamel.analysis.tangent"

local idle = {}

local DEPTH = 6                        -- of tables in tables

--- The names that expressions, texts and tables of such contain: name -> true; all = true where a function of Lua may read anything.
function idle.names_in(things)
  local list, used = {}, {}
  local function add(value, depth)
    if core.is_expression(value) then list[#list + 1] = value
    elseif type(value) == "function" then used.all = true
    elseif type(value) == "table" and depth < DEPTH then for _, item in next, value do add(item, depth + 1) end
    elseif type(value) == "string" then for word in value:gmatch "[%a_][%w_]*" do used[word] = true end end
  end
  for _, what in ipairs(things) do add(what, 0) end
  for _, s in ipairs(core.symbols(list)) do used[core.text(s)] = true end
  return used
end

--- Those of the names that are parameters on which neither the motion nor any of the things read off it depends. things: a list of expressions, texts,
--- and tables of such; functions may read anything.
function idle.among(system, names, things)
  local used, found = idle.names_in{ tangent.expressions(system:equations "lagrange", {}), system.gaps, system.frictions, things }, {}
  for _, name in ipairs(names) do
    if system._parameter[name] and not used[name] and not used.all then found[#found + 1] = name end
  end
  return found
end

return idle
