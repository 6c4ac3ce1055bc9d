-- beginning.lua: what a run has to remark on its start and on the options it was given: sentences for its notes.
local compile = require "hamel.model.compile"
local core = require "hamel.core"
local forms = require "hamel.forms"
local kinematics = require "hamel.equations.kinematics"
local Observer = require "hamel.model.observe"
local protected = require "hamel.base.protected"
local redundant = require "hamel.model.redundant"

local beginning = {}

local SAME_MASS = 1e-9                 -- of the mass: an entry that differs by no more is the same
local SAME_LENGTH = 1e-6               -- a length that differs from 1 by no more is 1
local TINY = 1e-10                     -- of the largest entry of the mass matrix: a smaller pivot is zero

-- ---- the kinetic energy

-- The values of expressions in coordinates and velocities at the first stored state
local function values_at_start(run, base, list, key)
  local state, point = run[1], {}
  for i, name in ipairs(run.names) do point[i], point[#run.names + i] = state.q[name], state.v[name] end
  local observer = Observer.new(base, run.options.parameters)
  return observer:evaluate(observer:program(list, key), nil, state.t, point)
end

-- The mass matrix at the first stored state, as rows of numbers, and the names of its columns
local function inertia_at_start(run)
  local base = run.system:equations "lagrange"
  local n, rows, values = #base.dyn, {}
  if run.equations == base and not rawget(base, "M") then                   -- M is not written out
    local w = compile.workspace(base, run.model, run.options.parameters)
    w:set_state(run.raw:time(1), run.raw:state(1))
    values = w:mass_matrix()
  else
    local list = {}
    for i = 1, n do for j = 1, n do list[#list + 1] = base.M[i][j] end end
    values = values_at_start(run, base, list, "mass matrix")
  end
  for i = 1, n do rows[i] = table.move(values, (i - 1)*n + 1, i*n, 1, {}) end
  return rows, base.dyn_names
end

-- A column of a symmetric matrix along which the quadratic form is negative, after elimination of the columns before; nil where none is found.
-- The largest pivot is taken first
local function negative_column(rows)
  local n, largest, left = #rows, 0, {}
  for i = 1, n do largest, left[i] = math.max(largest, math.abs(rows[i][i])), i end
  while #left > 0 do
    local best = 1
    for k, i in ipairs(left) do if math.abs(rows[i][i]) > math.abs(rows[left[best]][left[best]]) then best = k end end
    local p = table.remove(left, best)
    local pivot = rows[p][p]
    if pivot < -TINY*largest then return p end
    if pivot <= TINY*largest then return nil end
    for _, i in ipairs(left) do
      local factor = rows[i][p]/pivot
      for _, j in ipairs(left) do rows[i][j] = rows[i][j] - factor*rows[p][j] end
    end
  end
end

-- Not of a whole course, whose mass matrix belongs to one side of its wall
local function negative_energy(run)
  if run.equations.whole_course then return nil end
  -- where all pivots on the graph of velocities are positive, so is the mass matrix
  if run.model:by_graph() and #run.system.constraints == 0 and run.outcome.handed_over == 0 then return nil end
  local fine, rows, names = protected(inertia_at_start, run)
  if not fine then return nil end
  local own = {}
  for i = 1, #rows do own[i] = rows[i][i] end
  local i = negative_column(rows)
  if not i then return nil end
  return own[i] < 0 and ("the kinetic energy is negative: the inertia along '%s' is %.6g at the start; look at the signs of masses and moments of inertia")
    :format(names[i], own[i])
    or ("the kinetic energy is negative for some velocities with %s' at the start; look at the signs of masses and moments of inertia"):format(names[i])
end

-- ---- normal forces

-- What presses a friction by its name: an expression whose multiplier is the force along its gradient, by velocities or by coordinates
local function gradient_of_pressing(system, name)
  local q, v = system:coordinate_list(), system:velocity_list()
  local gap = system.gaps[name]
  if gap then return not gap.bound and core.gradient(gap.gap, q) or nil, ("the gap %s"):format(core.text(gap.gap)) end
  local constraint = system.constraints[name]
  return constraint and kinematics.levels(constraint, q, v).velocity.row, "its equation"
end

-- Is the mass matrix m times the unit matrix in the places, without coupling to the others?
local function is_point_mass(rows, places)
  local m = rows[next(places)][next(places)]
  for i in pairs(places) do
    for j, value in ipairs(rows[i]) do
      if not (math.abs(value - (i == j and m or 0)) <= SAME_MASS*math.abs(m)) then return false end
    end
  end
  return true
end

-- Lengths of gradients are those of the space where the coordinates are Cartesian
local function length_of_gradient(run, rows, gradient, slips)
  local system, places, list, n, sum = run.system, {}, table.move(gradient, 1, #gradient, 1, {}), #gradient, 0
  for _, slip in ipairs(slips) do table.move(core.gradient(slip, system:velocity_list()), 1, n, #list + 1, list) end
  local values = values_at_start(run, system:equations "lagrange", list, "gradients of contacts")
  for i, value in ipairs(values) do
    if value ~= 0 then places[(i - 1) % n + 1] = true end
    if i <= n then sum = sum + value^2 end
  end
  if sum > 0 and is_point_mass(rows, places) then return math.sqrt(sum) end
end

-- A multiplier is the normal force where what presses is a distance
local function scaled_pressings(run)
  local texts = {}
  if run.equations.whole_course or #run.system._rotations > 0 then return texts end
  for _, item in ipairs(run.system.frictions) do
    local gradient, what = nil, nil
    if type(item.normal) == "string" then gradient, what = gradient_of_pressing(run.system, item.normal) end
    local fine, length = protected(function() return gradient and length_of_gradient(run, (inertia_at_start(run)), gradient, item.slips) end)
    if fine and length and math.abs(length - 1) > SAME_LENGTH then
      texts[#texts + 1] = ("friction '%s' takes the multiplier of '%s' for the normal force, but the gradient of %s has the length %.6g at the start, not 1: "
        .. "the multiplier is the normal force divided by it; declare '%s' as a distance, divided by that length")
        :format(item.name, item.normal, what, length, item.normal)
    end
  end
  return texts
end

-- ---- options

-- Options that are shared by calls with several forms may hold it
local function idle_dependent(run)
  local form = run.options.dependent and forms[run.options.form]
  if not form or form.takes.dependent then return nil end
  return ("dependent = {...} is not used: the form '%s' eliminates no velocities; forms such as 'maggi' do"):format(run.options.form)
end

--- The sentences, in the order of importance.
function beginning.remarks(run)
  local texts = {}
  if rawget(run, "redundant") then texts[1] = redundant.note(run.redundant) end
  texts[#texts + 1] = rawget(run, "assembly") or nil
  texts[#texts + 1] = negative_energy(run)
  texts[#texts + 1] = idle_dependent(run)
  for _, text in ipairs(scaled_pressings(run)) do texts[#texts + 1] = text end
  local whole = run.equations.whole_course
  if whole and whole.discontinuity then
    texts[#texts + 1] = ("the kinetic energy is not continuous across the wall: it jumps by %s, so that this law does not conserve energy")
      :format(core.text(whole.discontinuity))
  end
  return texts
end

return beginning
