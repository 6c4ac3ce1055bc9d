-- constants.lua: linear relations with constant rational coefficients between columns of expressions: guessed from values, then proved.
local core = require "hamel.core"

local constants = {}

local EXTRA = 6                        -- samples more than unknowns
local SMALL = 1e-9                     -- of the largest entry: what counts as zero in an elimination in doubles
local LARGEST = 5000                   -- denominator of a coefficient

-- Numbers in (1/4, 5/4), always the same ones
local function generator()
  local k = 0
  return function()
    k = k + 1
    return 0.25 + k*0.6180339887498949 % 1
  end
end

-- Rows of values at random points; a point where a value is missing is skipped
local function samples(rows, width)
  local flat, random, list = {}, generator(), {}
  for _, row in ipairs(rows) do table.move(row, 1, width, #flat + 1, flat) end
  local inputs = core.symbols(flat)
  local program = core.program(inputs, flat)
  local wanted = width + EXTRA
  for _ = 1, 4*wanted do
    local x = {}
    for i = 1, #inputs do x[i] = random() end
    local values = program:eval(x)
    local fine = true
    for _, value in ipairs(values) do fine = fine and value - value == 0 end
    if fine then
      for r = 0, #rows - 1 do list[#list + 1] = table.move(values, r*width + 1, (r + 1)*width, 1, {}) end
    end
    if #list >= wanted*#rows then break end
  end
  return list
end

-- Reduced echelon form in doubles with the largest pivot of each column in turn; pivots by column
local function eliminated(rows, width)
  local pivots, r, largest = {}, 0, 0
  for _, row in ipairs(rows) do for _, value in ipairs(row) do largest = math.max(largest, math.abs(value)) end end
  for j = 1, width do
    local best = r + 1
    for i = r + 2, #rows do if math.abs(rows[i][j]) > math.abs(rows[best][j]) then best = i end end
    if rows[best] and math.abs(rows[best][j]) > SMALL*largest then
      r = r + 1
      rows[r], rows[best] = rows[best], rows[r]
      local pivot = rows[r][j]
      for c = 1, width do rows[r][c] = rows[r][c]/pivot end
      for i = 1, #rows do
        local factor = rows[i][j]
        if i ~= r and factor ~= 0 then for c = 1, width do rows[i][c] = rows[i][c] - factor*rows[r][c] end end
      end
      pivots[j] = r
    end
  end
  return pivots
end

-- The rational number near x with a small denominator; nil: there is none
local function rational(x)
  local sign = x < 0 and -1 or 1
  local rest, p0, q0, p1, q1 = math.abs(x), 0, 1, 1, 0
  for _ = 1, 20 do
    local whole = math.floor(rest)
    p0, q0, p1, q1 = p1, q1, whole*p1 + p0, whole*q1 + q0
    if q1 > LARGEST then return nil end
    if math.abs(math.abs(x) - p1/q1) < 1e-9*(1 + math.abs(x)) then return core.rational(sign*math.tointeger(p1), math.tointeger(q1)) end
    rest = 1/(rest - whole)
  end
end

-- Is the sum of the columns with these factors zero in every row?
local function holds(rows, factors)
  for _, row in ipairs(rows) do
    local terms = {}
    for j, c in ipairs(factors) do terms[j] = c*row[j] end
    if core.sum(terms):is_zero() ~= true then return false end
  end
  return true
end

--- A basis of the relations sum c_j column_j = 0 with rational constants c that hold identically, each proved. Relations with coefficients
--- that are not rational, or that depend on parameters, are not found.
---@param rows table lists of expressions, one entry per column
---@param width integer
---@return table relations lists of expressions c
function constants.relations(rows, width)
  local values = samples(rows, width)
  local pivots, list = eliminated(values, width), {}
  for j = 1, width do
    if not pivots[j] then
      local factors, fine = {}, true
      for i = 1, width do
        local c = i == j and 1 or pivots[i] and -values[pivots[i]][j] or 0
        factors[i] = rational(c)
        fine = fine and factors[i] ~= nil
      end
      if fine and holds(rows, factors) then list[#list + 1] = factors end
    end
  end
  return list
end

return constants
