-- chart/exponents.lua: Lyapunov exponents of each motion of a grid: in lanes where these carry directions, else one motion after the other.
local core = require "hamel.core"
local jobs = require "hamel.analysis.sweep.jobs"
local Lyapunov = require "hamel.analysis.lyapunov"
local shards = require "hamel.analysis.shards"
local Sweep = require "hamel.analysis.sweep"
local tangent = require "hamel.analysis.tangent"

local names_of = { "rtol", "atol", "method", "max_step", "first_step", "max_steps", "project", "form" }

-- Signs of the exponents, as "chaos (+ 0 -)"
local function regime(row)
  if not row.exponents then return nil end
  local signs, plus, zero = {}, 0, 0
  for k, e in ipairs(row.exponents) do
    local near = math.abs(e) < 3*row.settled + 1e-4
    signs[k] = near and "0" or e > 0 and "+" or "-"
    if signs[k] == "+" then plus = plus + 1 elseif signs[k] == "0" then zero = zero + 1 end
  end
  local word = plus > 1 and "hyperchaos" or plus == 1 and "chaos" or zero > 1 and "torus" or zero == 1 and "cycle" or "rest or driven cycle"
  return ("%s (%s)"):format(word, table.concat(signs, " "))
end

local function fill(row, exponents, settled, whole)
  row.exponents, row.sum, row.settled = exponents, 0, settled
  for k, e in ipairs(exponents) do row["exponent" .. k], row.sum = e, row.sum + e end
  row.dimension = whole and Lyapunov.dimension(exponents) or nil
end

local function settled_of(L)
  local half, last, change = L.history[math.max(1, #L.history//2)], L.history[#L.history], 0
  for k = 1, #L.exponents do change = math.max(change, math.abs(half[k] - last[k])) end
  return change
end

-- From the growth of directions in lanes; false: there is none
local function from_growth(row, n, whole)
  local growth = row.growth
  row.growth = nil
  if not growth then return false end
  local list, settled = {}, 0
  for k = 1, n do
    if growth[k] ~= growth[k] or growth[n + k] ~= growth[n + k] then return false end
    list[k] = growth[k]
    settled = math.max(settled, math.abs(growth[k] - growth[n + k]))
  end
  table.sort(list, function(a, b) return a > b end)
  fill(row, list, settled, whole)
  return true
end

-- The first directions for the lanes: over the kept states, none special
local function directions_of(E, n)
  local ignorable, size = tangent.ignorable_coordinates(E), #E.kin + #E.dyn
  local kept = tangent.kept(E, ignorable)
  if #E.positions + #E.velocities > 0 then return nil, nil, #kept end
  local basis = {}
  for b = 1, #kept do
    basis[b] = {}
    for i = 1, #kept do basis[b][i] = i == b and 1.0 or 0.0 end
  end
  n = math.min(n or #kept, #kept)
  local flat, ignored = {}, {}
  for k, d in ipairs(Lyapunov.first_directions(basis, n, #kept)) do
    for i = 1, size do flat[(k - 1)*size + i] = 0.0 end
    for i, place in ipairs(kept) do flat[(k - 1)*size + place] = d[i] end
  end
  for i = 1, size do ignored[i] = true end
  for _, place in ipairs(kept) do ignored[place] = false end
  return flat, ignored, #kept
end

-- One motion by itself
local function alone(system, o, row, q, v, parameters, t0, t1)
  local given = { q = q, v = v, t = { t0, t1 }, skip = o.skip, n = o.n, parameters = parameters }
  for _, name in ipairs(names_of) do given[name] = o[name] end
  local fine, L = pcall(system.lyapunov, system, given)
  if core.host.interrupted() then error("interrupted", 0) end
  if not fine then
    row.status, row.reason = "NO_EXPONENTS", tostring(L)
    return
  end
  fill(row, L.exponents, settled_of(L), L.dimension)
  row.t = t1
end

return function(system, o, settings, t0, t1)
  o.form = o.form or system:default_form()
  settings.form = o.form
  local count, kept
  local function carried(E)
    local flat, ignored, size = directions_of(E, o.n)
    kept = size
    count = math.min(o.n or size, size)
    return flat and { first = flat, ignored = ignored, skip = o.skip + 0.0 } or nil
  end
  local W = Sweep.carrying(system, settings, carried)
  local job_of
  for _, row in ipairs(W) do
    for _, name in ipairs(W.names) do row[name] = nil end
    if shards.ended(row) and not from_growth(row, count or 0, count == kept) and row.status ~= "EVENT" then
      job_of = job_of or jobs.of(system, settings, {})
      local q, v, parameters, _, late = job_of(row.index)
      if late then v = late() end
      alone(system, o, row, q, v, parameters, t0, t1)
    end
  end
  local columns, most = { "exponents", "sum", "dimension", "settled" }, 0
  for _, row in ipairs(W) do most = math.max(most, #(row.exponents or {})) end
  for k = 1, most do columns[#columns + 1] = "exponent" .. k end
  return W, columns, { regime = regime, note = "an exponent counts as 0 where it is below three times its change over the second half, and 1e-4" }
end
