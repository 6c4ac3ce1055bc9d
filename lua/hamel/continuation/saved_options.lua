-- saved_options.lua: the options of a branch as lines of its file, from which branches are switched as on the branch itself. What points hold is not among
-- them; measures of keep are none either, since these may be functions.
local core = require "hamel.core"
local object = require "hamel.base.object"
local options = require "hamel.base.options"
local variations = require "hamel.analysis.variations"

local saved_options = {}

local names = { "from", "to", "step", "least", "largest", "points", "both", "locate", "tolerance" }
table.move(variations.run_names, 1, #variations.run_names, #names + 1, names)

-- Texts of numbers and expressions, which may have been given as either
local function text_of(value)
  if type(value) == "number" then return object.number(value) end
  return core.is_expression(value) and core.text(value) or tostring(value)
end

--- The lines of the options of a branch along one parameter.
function saved_options.lines(o)
  local lines = {}
  local function line(key, value) lines[#lines + 1] = ("option %s = %s"):format(key, (text_of(value):gsub("%s+", " "))) end
  for _, name in ipairs(names) do
    local value = o[name]
    if type(value) == "number" or type(value) == "string" or type(value) == "boolean" then line(name, value) end
  end
  -- without it atol is chosen by the sizes of the states
  if o.atol_given then line("atol_given", true) end
  for _, group in ipairs{ "fixed", "integrals" } do
    for _, name in ipairs(object.keys(o[group] or {})) do line(group .. " " .. text_of(name), o[group][name]) end
  end
  for k, rates in ipairs(o.symmetry or {}) do
    -- coordinates may be given by their symbols
    for name, rate in pairs(rates) do line(("symmetry %d %s"):format(k, text_of(name)), rate) end
  end
  return lines
end

local answers = { ["true"] = true, ["false"] = false }

--- Puts an option of a file, by its key behind "option ", into o; false: it is none.
function saved_options.read(o, key, text)
  local group, name = key:match "^(%a+) (.+)$"
  if not group then
    if o[key] ~= nil or not (object.contains(names, key) or key == "atol_given") then return false end
    local value = answers[text]
    if value == nil then value = tonumber(text) or text end
    o[key] = value
    return true
  end
  local at = o[group] or {}
  o[group] = at
  if group == "symmetry" then
    local k, coordinate = name:match "^(%d+) (.+)$"
    k = math.tointeger(tonumber(k))
    if not k or k < 1 or k > #at + 1 then return false end
    at[k] = at[k] or {}
    at, name = at[k], coordinate
  elseif group ~= "fixed" and group ~= "integrals" then
    return false
  end
  if at[name] ~= nil then return false end
  at[name] = text
  return true
end

--- The options of a file as those of S:continue for a system, with its defaults.
function saved_options.completed(system, given)
  local o = object.copied(given)
  o.atol_given = nil
  for name, text in pairs(o.fixed or {}) do o.fixed[name] = options.number(text) end
  for name, text in pairs(o.integrals or {}) do o.integrals[name] = system:check_expression(text, "integrals", 1) end
  for _, rates in ipairs(o.symmetry or {}) do
    for name, text in pairs(rates) do rates[name] = system:check_expression(text, "symmetry", 0) end
  end
  o = options.check("continue", options.of "continue", o)
  o.atol_given = given.atol_given or false
  return o
end

return saved_options
