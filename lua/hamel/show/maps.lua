-- show/maps.lua: values over the grid of two axes as coloured cells.
local gnuplot = require "hamel.show.gnuplot"
local object = require "hamel.base.object"

local fail = object.fail
local maps = {}

local EVEN = 1e-3                      -- of a step: by less than a pixel, cells of equal width are where they belong
local OVERLAP = 1e-3                   -- of an axis, below the neighbour drawn next: no seams of blended pixels between cells

--- The different values of a list, ascending, without those that are no numbers.
function maps.distinct(list)
  local seen, values = {}, {}
  for _, value in ipairs(list) do
    if value == value and not seen[value] then seen[value], values[#values + 1] = true, value end
  end
  table.sort(values)
  return values
end

--- The grid of three lists of numbers: { columns =, rows =, value = function of both to the number, nan where there is none }. names: of the axes.
function maps.grid(x, y, z, names)
  local grid, at = { columns = maps.distinct(x), rows = maps.distinct(y) }, {}
  if #grid.columns < 2 or #grid.rows < 2 then fail("plot: a map needs two values at least of '%s' and of '%s'", names[1], names[2]) end
  for i = 1, #x do
    at[x[i]] = at[x[i]] or {}
    at[x[i]][y[i]] = z[i]
  end
  function grid.value(a, b) return at[a] and at[a][b] or 0/0 end
  return grid
end

local function is_even(list)
  local step = (list[#list] - list[1])/(#list - 1)
  for i, value in ipairs(list) do if math.abs(value - list[1] - (i - 1)*step) > EVEN*step then return false end end
  return true
end

--- The edges of cells about ascending values: midway between them; the outer ones are mirrored at the first and the last value.
function maps.edges(list)
  local edges, n = {}, #list
  for i = 2, n do edges[i] = list[i - 1] + (list[i] - list[i - 1])/2 end
  edges[1], edges[n + 1] = list[1] - (edges[2] - list[1]), list[n] + (list[n] - edges[n])
  return edges
end

-- The cells as one picture: gnuplot gives them equal widths
local function image(grid, script)
  local list = {}
  for _, b in ipairs(grid.rows) do
    for _, a in ipairs(grid.columns) do list[#list + 1] = { a, b, grid.value(a, b) } end
    list[#list + 1] = false
  end
  script[#script + 1] = gnuplot.data("d", list)
  return "$d using 1:2:3 with image title ''"
end

-- The cells as rectangles; none where there is no value
local function rectangles(grid, script)
  local list, across, upright = {}, maps.edges(grid.columns), maps.edges(grid.rows)
  local last_x, last_y = across[#across], upright[#upright]
  local more_x, more_y = OVERLAP*(last_x - across[1]), OVERLAP*(last_y - upright[1])
  local function is_there(i, k)
    local value = grid.columns[i] and grid.rows[k] and grid.value(grid.columns[i], grid.rows[k])
    return value and value - value == 0
  end
  for k, b in ipairs(grid.rows) do
    for i, a in ipairs(grid.columns) do
      if is_there(i, k) then
        local right = is_there(i + 1, k) and math.min(across[i + 1] + more_x, across[i + 2]) or across[i + 1]
        local top = is_there(i, k + 1) and math.min(upright[k + 1] + more_y, upright[k + 2]) or upright[k + 1]
        list[#list + 1] = { a, b, across[i], right, upright[k], top, grid.value(a, b) }
      end
    end
  end
  if #list == 0 then return image(grid, script) end
  script[#script + 1] = ("set xrange [%.17g:%.17g]\nset yrange [%.17g:%.17g]"):format(across[1], last_x, upright[1], last_y)
  script[#script + 1] = gnuplot.data("d", list)
  return "$d using 1:2:3:4:5:6:7 with boxxyerror fillstyle solid 1 noborder fillcolor palette title ''"
end

--- What is plotted for a grid; its data go into the script. Each cell reaches midway to its neighbours.
function maps.cells(grid, script)
  if is_even(grid.columns) and is_even(grid.rows) then return image(grid, script) end
  return rectangles(grid, script)
end

return maps
