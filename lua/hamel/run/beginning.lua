-- beginning.lua: what a run has to remark on its start and on the options it was given: sentences for its notes.
local core = require "hamel.core"
local forms = require "hamel.forms"
local Observer = require "hamel.model.observe"
local redundant = require "hamel.model.redundant"

local beginning = {}

local TINY = 1e-10                     -- of the largest entry of the mass matrix: a smaller pivot is zero

-- ---- the kinetic energy

-- The mass matrix at the first stored state, as rows of numbers, and the names of its columns
local function inertia_at_start(run)
  local base = run.system:equations "lagrange"
  local n, list, point = #base.dyn, {}, {}
  for i = 1, n do for j = 1, n do list[#list + 1] = base.M[i][j] end end
  local state = run[1]
  for i, name in ipairs(run.names) do point[i], point[#run.names + i] = state.q[name], state.v[name] end
  local observer = Observer.new(base, run.options.parameters)
  local values, rows = observer:evaluate(observer:program(list, "mass matrix"), nil, state.t, point), {}
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
  local fine, rows, names = pcall(inertia_at_start, run)
  if not fine then return nil end
  local own = {}
  for i = 1, #rows do own[i] = rows[i][i] end
  local i = negative_column(rows)
  if not i then return nil end
  return own[i] < 0 and ("the kinetic energy is negative: the inertia along '%s' is %.6g at the start; look at the signs of masses and moments of inertia")
    :format(names[i], own[i])
    or ("the kinetic energy is negative for some velocities with %s' at the start; look at the signs of masses and moments of inertia"):format(names[i])
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
  local whole = run.equations.whole_course
  if whole and whole.discontinuity then
    texts[#texts + 1] = ("the kinetic energy is not continuous across the wall: it jumps by %s, so that this law does not conserve energy")
      :format(core.text(whole.discontinuity))
  end
  return texts
end

return beginning
