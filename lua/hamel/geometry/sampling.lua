-- sampling.lua: functions on the surface of a flow at random points modulo a prime; null vectors as fractions; ranks.
local chart = require "hamel.geometry.chart"
local core = require "hamel.core"
local symbols = require "hamel.algebra.symbols"

local sampling = {}

local PRIMES, MORE = 4, 30             -- primes up to which fractions are looked for; points beyond the number of unknowns

local function flattened(rows)
  local list = {}
  for _, row in ipairs(rows) do table.move(row, 1, #row, #list + 1, list) end
  return list
end

--- Symbols of the rates w', which the points get by elimination.
function sampling.rates(flow)
  local list = {}
  for a, w in ipairs(flow.w) do list[a] = w.dot end
  return list
end

--- Values of the expressions of a list at `points` random points of (q, w, t) that satisfy the conditions on q: { matrix, prime, independent }. The rates
--- w' may occur in them.
--- o: fixed = symbols with one value at all points, seconds, above (a prime: one below it is taken), seed.
function sampling.draw(flow, list, points, o)
  local branches = flow:chart()
  local matrix, prime, independent = core.residues{ roots = chart.put(branches, list), points = points, fixed = o.fixed or {},
    matrix = chart.put(branches, flattened(flow.G)), right = chart.put(branches, flow.h), rates = sampling.rates(flow),
    seconds = o.seconds, above = o.above, seed = o.seed or 1 }
  return { matrix = matrix, prime = prime, independent = independent }
end

local function indices(from, to)
  local list = {}
  for i = from, to do list[#list + 1] = i end
  return list
end

-- The residues of the combination of the columns `support` that vanishes, the last with 1, modulo a further prime; nil: there is not one
local function repeated(draw, support, above)
  local values = draw(support, above)
  local _, null = core.sift(values.matrix, indices(1, #support), nil, true)
  local vector = null[1]
  if #null ~= 1 or vector.columns[#vector.columns] ~= #support then return nil end
  local residues = {}
  for i = 1, #support do residues[i] = 0 end
  for i, column in ipairs(vector.columns) do residues[column] = vector.residues[i] end
  return residues, values.prime
end

-- Fractions of a null vector: by the first prime, or by further ones on the support of the vector; nil where they are too long
local function fractions(vector, support, prime, draw)
  local primes, lists = { prime }, {}
  for i, residue in ipairs(vector.residues) do lists[i] = { residue } end
  while true do
    local result = {}
    for i, list in ipairs(lists) do
      result[i] = core.fraction_of(primes, list)
      if not result[i] then break end
    end
    if #result == #lists then return result end
    if #primes == PRIMES then return nil end
    local residues, next_prime = repeated(draw, support, primes[#primes])
    if not residues then return nil end
    primes[#primes + 1] = next_prime
    for i, list in ipairs(lists) do list[#list + 1] = residues[i] end
  end
end

local LEAST = 1e-3                     -- seconds: a limit of zero would be none

--- The time that is left until `finish`, by os.clock; nil: there is no limit.
function sampling.left(finish) return finish and math.max(LEAST, finish - os.clock()) end

--- Linear combinations of functions e[1..N] that a linear operator takes to zero, images[i] being the image of e[i] (with the rates w'):
--- { independent = number of functions that do not depend on those before them and on constants, nullity, vectors = { { columns, factors } },
--- atoms = are the atoms independent }. factors is false where no fractions were found. o.seconds bounds all of it.
function sampling.kernel(flow, e, images, o)
  local count, finish = #e, o.seconds and os.clock() + o.seconds
  local list = { core.rational(1) }
  table.move(e, 1, count, 2, list)
  table.move(images, 1, count, count + 2, list)
  local values = sampling.draw(flow, list, count + MORE, o)
  local pivots, kept = core.sift(values.matrix, indices(1, count + 1), sampling.left(finish)), {}
  for _, p in ipairs(pivots) do if p > 1 then kept[#kept + 1] = p - 1 end end
  local shifted = {}
  for i, column in ipairs(kept) do shifted[i] = column + count + 1 end
  local _, null = core.sift(values.matrix, shifted, sampling.left(finish), true)
  local vectors = {}
  for k, vector in ipairs(null) do
    local columns = {}
    for i, place in ipairs(vector.columns) do columns[i] = kept[place] end
    local function draw(support, above)
      local some = {}
      for i, column in ipairs(support) do some[i] = images[column] end
      return sampling.draw(flow, some, #support + MORE, { fixed = o.fixed, seconds = sampling.left(finish), above = above, seed = o.seed })
    end
    vectors[k] = { columns = columns, factors = fractions(vector, columns, values.prime, draw) or false }
  end
  return { independent = #kept, nullity = #null, vectors = vectors, atoms = values.independent }
end

-- The rank of the gradients by (q, w, t) at one random point
local function rank_of(flow, functions, o)
  if #functions == 0 then return 0 end
  local variables, list = table.move(flow.w, 1, flow.m, flow.n + 1, table.move(flow.q, 1, flow.n, 1, {})), {}
  variables[#variables + 1] = symbols.t
  for _, f in ipairs(functions) do
    local row = core.gradient(f, variables)
    table.move(row, 1, #row, #list + 1, list)
  end
  return core.rank_at(sampling.draw(flow, list, 1, o).matrix, #functions)
end

--- Rank of the gradients of functions on the surface by (q, w, t), at one random point: the number of independent ones among them, those of the conditions
--- on q not counted.
function sampling.gradient_rank(flow, functions, o)
  local conditions = table.move(flow.surfaces, 1, #flow.surfaces, 1, {})
  for _, R in ipairs(flow.rotations) do conditions[#conditions + 1] = R.unit end
  local all = table.move(functions, 1, #functions, #conditions + 1, table.move(conditions, 1, #conditions, 1, {}))
  return rank_of(flow, all, o) - rank_of(flow, conditions, o)
end

sampling.indices = indices

return sampling
