-- analysis/idle.lua: parameters that change nothing.
local core = require "hamel.core"
local object = require "hamel.base.object"
local tangent = require "hamel.analysis.tangent"

local idle = {}

local DEPTH = 6                        -- of tables in tables

-- What is in expressions, texts and tables of such: the expressions as a list; the words of the texts, name -> true; all = true beside a function of Lua
local function contents(things)
  local list, used = {}, {}
  local function add(value, depth)
    if math.type(value) then return end
    if core.is_expression(value) then list[#list + 1] = value
    elseif type(value) == "function" then used.all = true
    elseif type(value) == "table" and depth < DEPTH then for _, item in next, value do add(item, depth + 1) end
    elseif type(value) == "string" then for word in value:gmatch "[%a_][%w_]*" do used[word] = true end end
  end
  for _, what in ipairs(things) do add(what, 0) end
  return list, used
end

--- The names that expressions, texts and tables of such contain: name -> true; all = true where a function of Lua may read anything.
function idle.names_in(things)
  local list, used = contents(things)
  for _, s in ipairs(core.symbols(list)) do used[core.text(s)] = true end
  return used
end

--- The expressions in tables of such.
function idle.expressions_in(things) return (contents(things)) end

-- What the names that stand for something else contain: the energy, momenta (texts "p.x"), defined functions and quasi-velocities
local function meanings(system)
  local list = { energy = { system._T or 0, system._V or 0 }, p = { system._T or 0, system._V or 0 } }
  for name, defined in pairs(system._defined) do list[name] = { defined.value } end
  local quasi = system._quasi or { names = {} }
  for i, name in ipairs(quasi.names) do list[name] = { quasi.functions[i] } end
  return list
end

--- The names that things read off motions of a system depend on: see idle.names_in; the energy and functions that are defined depend on what they contain.
function idle.read_by(system, things)
  local used, open = idle.names_in(things), meanings(system)
  repeat
    local found = false
    for name, meaning in pairs(open) do
      if used[name] then
        open[name], found = nil, true
        for inner in pairs(idle.names_in(meaning)) do used[inner] = true end
        break
      end
    end
  until not found
  return used
end

-- What the motion itself depends on
local function of_motion(system) return { tangent.expressions(system:equations "lagrange", {}), system.gaps, system.frictions } end

--- Those of the names that are parameters on which neither the motion nor any of the things read off it depends. things: a list of expressions, texts,
--- and tables of such; functions may read anything.
function idle.among(system, names, things)
  local used, found = idle.read_by(system, { of_motion(system), things }), {}
  for _, name in ipairs(names) do
    if system._parameter[name] and not used[name] and not used.all then found[#found + 1] = name end
  end
  return found
end

--- Sentences on parameters that the motion does not depend on, of some columns (things by name) read off it beside others (things): which columns do.
function idle.words(system, names, columns, things)
  local words = {}
  for _, name in ipairs(idle.among(system, names, things)) do
    local read, count = {}, 0
    for _, column in ipairs(object.keys(columns)) do
      local used = idle.read_by(system, { columns[column] })
      count = count + 1
      if used[name] or used.all then read[#read + 1] = ("'%s'"):format(column) end
    end
    if #read == 0 then
      words[#words + 1] = ("nothing depends on '%s'"):format(name)
    elseif #read < count then
      words[#words + 1] = ("of the columns only %s depend%s on '%s'"):format(table.concat(read, " and "), #read == 1 and "s" or "", name)
    end
  end
  return words
end

return idle
