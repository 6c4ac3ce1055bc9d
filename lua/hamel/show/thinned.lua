-- thinned.lua: the points of a run that a picture shows, computed by the core: stored states, and points between them that make curves round. Of a
-- long run what falls on points drawn already is left out, and extreme values stay.
local reading = require "hamel.run.reading"

local thinned = {}

local MANY = 20000                     -- points from which a picture shows fewer
local MOST = 400000                    -- points up to which there are some between stored states
local BETWEEN = 6                      -- of them in each step
local COLUMNS = 2000                   -- parts of a horizontal axis that only grows
local CELLS = 320                      -- parts of each axis of a curve in a plane
local PAIRS = 15000                    -- lines in a plane up to which each differs in either end; further ones must end in a new place

--- How many points lie inside a step from a to b of a run with that many states; apart: the distance that points have at most.
function thinned.between(a, b, states, apart)
  return math.max(math.min(BETWEEN, MOST//states), apart > 0 and states <= MANY and math.floor(math.abs(b - a)/apart) or 0)
end

-- Inner times of the steps between from and to, and behind which state how many of them come. They keep to what is drawn.
local function inner_times(run, times, from, to, apart)
  local list, counts = {}, {}
  if not run.options.dense then return list, counts end
  for i = 1, #times - 1 do
    local a, b = math.max(from, math.min(to, times[i])), math.max(from, math.min(to, times[i + 1]))
    local n, before = a ~= b and thinned.between(a, b, #times, apart) or 0, #list
    for k = 0, a ~= b and n + 1 or -1 do
      local t = a + (b - a)*k/(n + 1)
      if t ~= times[i] and t ~= times[i + 1] then list[#list + 1] = t end
    end
    counts[i] = #list - before
  end
  return list, counts
end

-- Columns of the values at the points that are drawn, in the order of the run, and the points at which the curve begins anew; nil where the core
-- alone cannot compute them
local function points_in_columns(run, list, from, to, apart)
  local wanted = {}
  for i, what in ipairs(list) do wanted[i] = run.observer:expression(what) end
  local program = run.observer:program(wanted)
  local block = reading.block(run, {}, program)
  if not block then return nil end
  local times = run.t
  local inner, counts = inner_times(run, times, from, to, apart)
  local between = #inner > 0 and reading.block(run, { times = inner }, program) or nil
  local columns, begins, n = {}, {}, 0
  for c = 1, #list do
    local states, others, column = block:column(c + 1), between and between:column(c + 1), {}
    local at, size, is_new = 0, 0, false
    for i = 1, #times do
      is_new = is_new or i > 1 and times[i] == times[i - 1]
      if times[i] >= from and times[i] <= to then
        size = size + 1
        column[size] = states[i]
        if is_new then begins[size], is_new = true, false end
      end
      for _ = 1, between and counts[i] or 0 do
        at, size = at + 1, size + 1
        column[size] = others[at]
      end
    end
    columns[c], n = column, size
  end
  return columns, n, begins
end

local function row_of(columns, i)
  local row = {}
  for c = 1, #columns do row[c] = columns[c][i] end
  return row
end

local function is_finite(value) return value - value == 0 end

-- Does the column never turn back?
local function is_monotonic(column, first, last)
  local sign = column[last] >= column[first] and 1 or -1
  for i = first + 1, last do if not (sign*(column[i] - column[i - 1]) >= 0) then return false end end
  return true
end

-- Of each part of the horizontal axis the first state, the last one, and those with the extreme values of each column
local function extremes(columns, first, last, begins)
  local rows, x = {}, columns[1]
  local width = (x[last] - x[first])/COLUMNS
  local function flush(from, to)
    local kept = { [from] = true, [to] = true }
    for c = 2, #columns do
      local column, low, high = columns[c], from, from
      for i = from, to do
        local value = column[i]
        if is_finite(value) then
          if not (value >= column[low]) then low = i end
          if not (value <= column[high]) then high = i end
        end
      end
      kept[low], kept[high] = true, true
    end
    local order = {}
    for i in pairs(kept) do order[#order + 1] = i end
    table.sort(order)
    for _, i in ipairs(order) do rows[#rows + 1] = row_of(columns, i) end
  end
  local from, part, was_parted = first, 0, false
  for i = first + 1, last do
    local here = width ~= 0 and (x[i] - x[first])//width or 0
    -- a second jump in one part of the axis is narrower than what can be seen
    local parts = begins[i] and not was_parted
    if here ~= part or parts then
      flush(from, i - 1)
      if begins[i] then rows[#rows + 1] = false end
      from, part, was_parted = i, here, here == part and parts
    end
  end
  flush(from, last)
  return rows
end

local function cells_of(column, first, last)
  local low, high = math.huge, -math.huge
  for i = first, last do
    local value = column[i]
    if is_finite(value) then low, high = math.min(low, value), math.max(high, value) end
  end
  local width = high > low and (high - low)/CELLS or 1
  return function(i) return (column[i] - low)//width end
end

-- The points that end a line from another place, or in another place, than all lines before
local function in_plane(columns, first, last, begins)
  local rows, horizontal, upright, seen, ended, count = {}, cells_of(columns[1], first, last), {}, {}, {}, 0
  for c = 2, #columns do upright[c], seen[c], ended[c] = cells_of(columns[c], first, last), {}, {} end
  local SIDE = CELLS + 1
  -- the cells of the point before, none behind a gap; the point drawn last; was nothing left out since then but points in its cells?
  local before, drawn, stays = {}, nil, true
  for i = first, last do
    local is_new, h, moves = false, is_finite(columns[1][i]) and horizontal(i), false
    if begins[i] then before = {} end
    for c = 2, #columns do
      local cell = h and is_finite(columns[c][i]) and math.tointeger(h*SIDE + upright[c](i)) or nil
      moves = moves or cell ~= before[c]
      if cell and not before[c] then is_new = true
      elseif cell and before[c] ~= cell then
        local pair = before[c]*SIDE*SIDE + cell
        if not ended[c][cell] or count < PAIRS and not seen[c][pair] then
          is_new, seen[c][pair], ended[c][cell], count = true, true, true, count + 1
        end
      end
      before[c] = cell
    end
    if is_new or i == last then
      if drawn and (begins[i] or drawn ~= i - 1 and not stays) then rows[#rows + 1] = false end
      if drawn and drawn ~= i - 1 and not begins[i] then rows[#rows + 1] = row_of(columns, i - 1) end
      rows[#rows + 1], drawn, stays = row_of(columns, i), i, true
    elseif moves then
      stays = false
    end
  end
  return rows
end

local function all_rows(columns, n, begins)
  local rows = {}
  for i = 1, n do
    if begins[i] and #rows > 0 then rows[#rows + 1] = false end
    rows[#rows + 1] = row_of(columns, i)
  end
  return rows
end

--- Rows of the values of the things in the list, false between those that are not joined; nil where the core alone cannot compute them.
--- apart: the distance of points in time at most.
function thinned.points(run, list, from, to, apart)
  local columns, n, begins = points_in_columns(run, list, from, to, apart)
  if not columns then return nil end
  if n <= MANY then return all_rows(columns, n, begins) end
  if is_monotonic(columns[1], 1, n) then return extremes(columns, 1, n, begins) end
  return in_plane(columns, 1, n, begins)
end

return thinned
