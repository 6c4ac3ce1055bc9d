-- explicit.lua: constraints, linear or not, solved for as many velocities: q_d' = phi_d(q, independent velocities, t).
local core = require "hamel.core"
local gradients = require "hamel.algebra.gradients"
local kinematics = require "hamel.equations.kinematics"
local object = require "hamel.base.object"
local symbols = require "hamel.algebra.symbols"

local explicit = {}

-- f is linear in the velocity, given df/dv: slopes as those of abs(v) have the derivative zero, yet two values
local function linear_in(f, slope, velocity)
  if gradients.jump(f, { velocity }) then return false end
  if #gradients.variables(slope, { velocity }) == 0 then return true end
  return not gradients.jump(slope, { velocity }) and core.diff(slope, velocity):is_zero() == true
end

-- How much a velocity is worth as the one to solve for: nil where the constraint is not linear in it
local function cost_of(f, velocity)
  local slope = core.diff(f, velocity)
  local value = core.number_value(slope)
  if value == 0 or not linear_in(f, slope, velocity) then return nil end
  if value then return 0, slope end
  local moving = 0
  for _, s in ipairs(core.symbols{ slope }) do
    local _, order = core.name(s)
    if order > 0 then moving = 1e6 end
  end
  return 1 + moving + math.min(core.tree_size(slope), core.tree_size(-slope)), slope
end

local function allowed_columns(system, names, form)
  local n, m = #system.coordinate_names, #system.constraints
  local allowed, index = {}, {}
  for j, name in ipairs(system.coordinate_names) do index[name], allowed[j] = j, names == nil end
  if not names then return allowed end
  if #names ~= m then
    object.fail("%s: %d constraint%s, but %d dependent velocit%s", form, m, m == 1 and "" or "s", #names, #names == 1 and "y" or "ies")
  end
  for _, name in ipairs(names) do
    local j = index[name]
    if not j then
      object.fail("dependent: '%s' is not a coordinate of %s%s", tostring(name), system.name, object.hint(tostring(name), system.coordinate_names))
    end
    if allowed[j] then object.fail("dependent: '%s' occurs twice", name) end
    allowed[j] = true
  end
  for j = 1, n do allowed[j] = allowed[j] or false end
  return allowed
end

-- The remaining constraint and velocity that are solved next: constant slopes first, then short ones, later coordinates before earlier ones
local function choose(f, v, allowed, done)
  local best
  for k = 1, #f do
    for j = #v, 1, -1 do
      if not done[k] and allowed[j] then
        local cost, slope = cost_of(f[k], v[j])
        if cost and (not best or cost < best.cost) then best = { k = k, j = j, cost = cost, slope = slope } end
      end
    end
  end
  return best
end

--- Solves f = 0 for as many of the velocities v as there are functions, among those allowed, by elimination: each function must be linear in
--- the velocity it is solved for. Returns { phi = by index of the velocity, by_column = index of the function, slopes (must not vanish),
--- steps = { f, slope } in the order of solving }, or nil, the index of a function that could not be solved, and its form after the others.
function explicit.eliminate(functions, v, allowed)
  local f, open, done = table.move(functions, 1, #functions, 1, {}), table.move(allowed, 1, #v, 1, {}), {}
  local phi, slopes, by_column, steps = {}, {}, {}, {}
  for _ = 1, #f do
    local best = choose(f, v, open, done)
    if not best then
      local k = 1
      while done[k] do k = k + 1 end
      return nil, k, f[k]
    end
    local velocity = v[best.j]
    steps[#steps + 1] = { f = f[best.k], slope = best.slope }
    local value = -core.substitute(f[best.k], { velocity }, { 0 })/core.substitute(best.slope, { velocity }, { 0 })
    done[best.k], open[best.j], by_column[best.j], slopes[#slopes + 1] = true, false, best.k, best.slope
    for k = 1, #f do if not done[k] then f[k] = core.substitute(f[k], { velocity }, { value }) end end
    for j, e in pairs(phi) do phi[j] = core.substitute(e, { velocity }, { value }) end
    phi[best.j] = value
  end
  return { phi = phi, by_column = by_column, slopes = slopes, steps = steps }
end

--- Solves the constraints, on the level of velocities, for as many of them. names: coordinates whose velocities are dependent; chosen
--- when nil. Returns dependent (indices), phi (expressions, in that order), constraint (the one solved for each), independent (indices),
--- v (all velocities in the independent ones), slopes (must not vanish), steps of the elimination.
function explicit.solve(system, names, form)
  local q, v = system:coordinate_list(), system:velocity_list()
  local f = {}
  for k, c in ipairs(system.constraints) do f[k] = kinematics.levels(c, q, v).velocity.f end
  local solved, stuck, left = explicit.eliminate(f, v, allowed_columns(system, names, form))
  if not solved then
    if left:is_zero() then object.fail("%s: '%s' holds wherever the other constraints do; drop it", form, system.constraints[stuck].name) end
    object.fail("%s: '%s' is not linear in any velocity it could be solved for%s; write it solved, as y.dot - phi", form,
      system.constraints[stuck].name, names and " (" .. table.concat(names, ", ") .. ")" or "")
  end
  local result = { dependent = {}, independent = {}, phi = {}, constraint = {}, v = {}, slopes = solved.slopes, steps = solved.steps, q = q }
  for j = 1, #q do
    if solved.by_column[j] then
      table.insert(result.dependent, j)
      table.insert(result.phi, solved.phi[j])
      table.insert(result.constraint, system.constraints[solved.by_column[j]])
    else
      table.insert(result.independent, j)
    end
    result.v[j] = solved.phi[j] or v[j]
  end
  return result
end

--- Total time derivative along q_d' = phi_d, accelerations of the independent coordinates left as symbols.
function explicit.rate(X, e)
  local from, along = table.move(X.q, 1, #X.q, 1, {}), table.move(X.v, 1, #X.v, 1, {})
  for _, j in ipairs(X.independent) do from[#from + 1], along[#along + 1] = X.q[j].dot, X.q[j].ddot end
  from[#from + 1], along[#along + 1] = symbols.t, 1
  return core.directional({ e }, from, along)[1]
end

return explicit
