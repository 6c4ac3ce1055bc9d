-- show/contours.lua: lines on which a value on a grid has a level, cell by cell, with straight pieces.
local contours = {}

-- Where an edge between two corners { x, y, value } is crossed; nil: it is not
local function crossing(one, other)
  if (one[3] > 0) == (other[3] > 0) then return nil end
  local part = one[3]/(one[3] - other[3])
  return { one[1] + part*(other[1] - one[1]), one[2] + part*(other[2] - one[2]) }
end

-- Pieces of the line in a cell with the corners in order round it
local function pieces(corners)
  local met, middle = {}, 0
  for k, corner in ipairs(corners) do
    met[#met + 1] = crossing(corner, corners[k % 4 + 1])
    middle = middle + corner[3]
  end
  if #met < 4 then return #met == 2 and { met } or {} end
  -- a saddle: the middle says which corners are joined
  if (middle > 0) == (corners[1][3] > 0) then return { { met[1], met[2] }, { met[3], met[4] } } end
  return { { met[4], met[1] }, { met[2], met[3] } }
end

--- Rows { x, y } of the pieces, each pair followed by false. columns, rows: values of the axes, ascending; at: a function of both to the value, or nan.
function contours.lines(columns, rows, at, level)
  local list = {}
  for i = 1, #columns - 1 do
    for k = 1, #rows - 1 do
      local corners, whole = {}, true
      for c, place in ipairs{ { i, k }, { i + 1, k }, { i + 1, k + 1 }, { i, k + 1 } } do
        local x, y = columns[place[1]], rows[place[2]]
        corners[c] = { x, y, at(x, y) - level }
        whole = whole and math.abs(corners[c][3]) < math.huge
      end
      for _, piece in ipairs(whole and pieces(corners) or {}) do
        list[#list + 1], list[#list + 2], list[#list + 3] = piece[1], piece[2], false
      end
    end
  end
  return list
end

return contours
