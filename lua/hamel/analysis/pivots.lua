-- pivots.lua: a regular part of a matrix of doubles, chosen by complete pivoting.
local pivots = {}

local LEAST = 1e-8                     -- of the first pivot, after each row was divided by its largest entry: what counts as zero

-- Rows divided by their largest entries
local function scaled(matrix)
  local out = {}
  for i, row in ipairs(matrix) do
    local most = 0
    for _, value in ipairs(row) do most = math.max(most, math.abs(value)) end
    out[i] = {}
    for j, value in ipairs(row) do out[i][j] = most > 0 and most < math.huge and value/most or 0 end
  end
  return out
end

local function largest(a, used_rows, used_columns, columns, class, first)
  local most, row, column = 0, nil, nil
  for i = 1, #a do
    if not used_rows[i] and (first == nil or first[i] == class) then
      for j = 1, columns do
        local size = not used_columns[j] and math.abs(a[i][j]) or 0
        if size > most then most, row, column = size, i, j end
      end
    end
  end
  return most, row, column
end

--- Rows and columns, as lists of numbers, of a regular part as large as there is. first: a class for each row; rows of a higher class are taken before others.
function pivots.choose(matrix, columns, first)
  local a, used_rows, used_columns, rows, chosen = scaled(matrix), {}, {}, {}, {}
  local highest = 1
  for _, class in ipairs(first or {}) do highest = math.max(highest, class) end
  for class = highest, 1, -1 do
    while true do
      local most, row, column = largest(a, used_rows, used_columns, columns, class, first)
      if not (most > LEAST) then break end
      used_rows[row], used_columns[column] = true, true
      rows[#rows + 1], chosen[#chosen + 1] = row, column
      for i = 1, #a do
        if not used_rows[i] and a[i][column] ~= 0 then
          local factor = a[i][column]/a[row][column]
          for j = 1, columns do a[i][j] = used_columns[j] and a[i][j] or a[i][j] - factor*a[row][j] end
        end
      end
    end
  end
  return rows, chosen
end

--- The numbers up to n that are not in a list.
function pivots.others(list, n)
  local taken, out = {}, {}
  for _, i in ipairs(list) do taken[i] = true end
  for i = 1, n do if not taken[i] then out[#out + 1] = i end end
  return out
end

return pivots
