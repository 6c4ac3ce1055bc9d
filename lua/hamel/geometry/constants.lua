-- constants.lua: linear relations with constant rational coefficients between columns of expressions: found modulo a prime, then proved.
local core = require "hamel.core"
local kinematics = require "hamel.equations.kinematics"

local constants = {}

local EXTRA = 6                        -- samples more than unknowns

-- Is the sum of the columns with these factors zero in every row?
local function holds(rows, factors)
  for _, row in ipairs(rows) do if kinematics.dot(factors, row):is_zero() ~= true then return false end end
  return true
end

-- One expression for each column: the sum of its entries with factors that are random numbers at each point
local function mixed(rows, width)
  local factors, roots = {}, {}
  for k = 1, #rows do factors[k] = core.symbol("_" .. k, 0) end
  for j = 1, width do
    local column = {}
    for k, row in ipairs(rows) do column[k] = row[j] end
    roots[j] = kinematics.dot(factors, column)
  end
  return roots
end

-- The combination of columns with these residues as a list of fractions; nil where they are none with short terms
local function in_fractions(vector, prime, width)
  local factors = {}
  for j = 1, width do factors[j] = core.rational(0) end
  for i, column in ipairs(vector.columns) do
    factors[column] = core.fraction_of({ prime }, { vector.residues[i] })
    if not factors[column] then return nil end
  end
  return factors
end

--- A basis of the relations sum c_j column_j = 0 with rational constants c that hold identically, each proved. Relations with coefficients
--- that are not rational, or that depend on parameters, are not found. Raises an error for functions that have no values modulo a prime.
---@param rows table lists of expressions, one entry per column
---@param width integer
---@return table relations lists of expressions c
function constants.relations(rows, width)
  local places, list = {}, {}
  for j = 1, width do places[j] = j end
  local values, prime = core.residues{ roots = mixed(rows, width), points = width + EXTRA }
  local _, null = core.sift(values, places, 0, true)
  for _, vector in ipairs(null) do
    local factors = in_fractions(vector, prime, width)
    if factors and holds(rows, factors) then list[#list + 1] = factors end
  end
  return list
end

return constants
