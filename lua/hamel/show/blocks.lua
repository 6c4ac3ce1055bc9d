-- blocks.lua: results as a title, a table and notes, which notebooks and pages typeset. A class describes its own: __blocks(value) of its metatable returns
-- { title =, head = names of the columns or nil, rows = { { cell, ... } }, notes = { text, ... } }. A cell is a text, an expression, a list of both,
-- { latex = formula } or { name = of a coordinate, a multiplier, ... }.
local core = require "hamel.core"
local System = require "hamel.system"

local blocks = {}

-- ---- declarations of systems

local function condition(name, f, sign, text)
  local note = text:match "%s+(%(.*%))$"
  return { name .. ": ", { latex = core.latex(f) .. sign }, note and " " .. note or "" }
end

-- By the label of a line of print(S): the formula in its place, for the k-th line of that label
local formulas = {
  Lagrangian = function(S) return S._L end,
  ["kinetic energy"] = function(S) return S._T end,
  ["potential energy"] = function(S) return S._V end,
  constraint = function(S, k, text) return condition(S.constraints[k].name, S.constraints[k].f, " = 0", text) end,
  ["one-sided"] = function(S, k, text) return condition(S.gaps[k].name, S.gaps[k].gap, " \\ge 0", text) end,
}

local function force(S, k, text)
  local item = S.force_list[k]
  return item.call and text or item.expression
end

-- Lines of names, which may be Greek letters
local NAMES = { coordinates = true, parameters = true }

local function system(S)
  local rows, met, forces = {}, {}, 0
  for line in tostring(S):gmatch "\n([^\n]*)" do
    local label, text = line:match "^  (.-)  +(.*)$"
    if not label then label, text = line:match "^  (.-):? (.*)$" end
    met[label] = (met[label] or 0) + 1
    local cell
    if label:find "^force on " then
      forces = forces + 1
      cell = force(S, forces, text)
    else
      cell = formulas[label] and formulas[label](S, met[label], text) or NAMES[label] and { name = text } or text
    end
    rows[#rows + 1] = { { name = label }, cell }
  end
  return { title = S.name .. ": as declared", rows = rows, notes = {} }
end

--- The blocks of a value, or nil.
function blocks.of(value)
  local meta = debug.getmetatable(value)
  if type(meta) ~= "table" then return nil end
  if meta == System.meta then return system(value) end
  local own = rawget(meta, "__blocks")
  return own and own(value)
end

--- The pieces of a cell, each { words = }, { latex = } or { name = }.
function blocks.pieces(cell)
  if core.is_expression(cell) then return { { latex = core.latex(cell) } } end
  if type(cell) ~= "table" then return { { words = tostring(cell) } } end
  if cell.latex or cell.name then return { cell } end
  local list = {}
  for _, part in ipairs(cell) do
    for _, piece in ipairs(blocks.pieces(part)) do list[#list + 1] = piece end
  end
  return list
end

return blocks
