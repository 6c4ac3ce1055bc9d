-- chart/fields.lua: the fields that each kind of chart puts into rows.
local fields = {}

-- Patterns of the names that are columns of tables, and names that are none: rows keep them, some only until the row is finished
local columns = { exponents = { "exponent%d+", "sum", "dimension", "settled" }, period = { "period" }, basin = {}, rotation = { "rotation", "settled" },
  ["function"] = { "value" } }
local beside = { exponents = { "exponents", "course", "ending", "growth", "change", "changes", "open", "counted", "swings", "points" },
  period = { "points", "looks", "late", "extent", "size", "kept" }, basin = { "points", "looks", "spread", "approached", "faint", "whole", "cause", "goes_on" },
  rotation = { "points" }, ["function"] = {} }

--- The names of the fields of a kind that are no columns.
function fields.beside(kind) return beside[kind] or {} end

--- Patterns of the names of all fields of a kind: parameters with such names are called "parameters.sum" in rows. A kind without fields has none.
function fields.reserved(kind)
  local named, others = columns[kind] or {}, fields.beside(kind)
  return table.move(others, 1, #others, #named + 1, table.move(named, 1, #named, 1, {}))
end

return fields
