-- slips.lua: slips that no friction fits: those that two-sided constraints determine, and components of a velocity that are not at right angles.
local core = require "hamel.core"
local kinematics = require "hamel.equations.kinematics"
local object = require "hamel.base.object"

local fail = object.fail
local slips = {}

local PLACES = 3                       -- points at which ranks are compared: columns that depend at all of them depend everywhere
local RANK = 1e-9                      -- of a column of length one: the remainder of a dependent column

-- Columns of length one, as one row-major matrix; nil where a value is not finite
local function matrix_of(values, first, last, size)
  local a, count = {}, last - first + 1
  for k = 1, count do
    local sum = 0
    for i = 1, size do sum = sum + values[(first + k - 2)*size + i]^2 end
    if not (sum < math.huge) then return nil end
    for i = 1, size do a[(i - 1)*count + k] = sum > 0 and values[(first + k - 2)*size + i]/math.sqrt(sum) or 0 end
  end
  return a, count
end

local function rank_of(values, first, last, size)
  local a, count = matrix_of(values, first, last, size)
  if not a then return nil end
  local zeros = {}
  for i = 1, size do zeros[i] = 0 end
  return (select(2, core.least_squares(size, count, a, zeros, RANK)))
end

-- Does one of the slips' columns behind m columns of constraints depend on the others at every place?
local function depends(observer, program, m, count, size)
  local n, seen = #observer.equations.kin + #observer.equations.dyn, false
  for place = 1, PLACES do
    local x = {}
    for i = 1, n do x[i] = 0.3 + (i*0.754877666 + place*0.569840291) % 1 end
    local values = observer:evaluate(program, nil, 0.1*place, x)
    local all, held = rank_of(values, 1, m + count, size), m > 0 and rank_of(values, 1, m, size) or 0
    if all and held then
      if all == held + count then return false end
      seen = true
    end
  end
  return seen
end

--- Raises where two-sided constraints determine the slip of a friction, whose force then has nothing to act on.
function slips.check(system, observer)
  -- a friction by hand on a rotation is judged at the run
  if #system._rotations > 0 then return end
  local q, v, constraints, names = system:coordinate_list(), system:velocity_list(), {}, {}
  for k, c in ipairs(#system.frictions > 0 and system.constraints or {}) do
    names[k] = c.name
    for _, e in ipairs(kinematics.levels(c, q, v).velocity.row) do constraints[#constraints + 1] = e end
  end
  for _, item in ipairs(#names > 0 and system.frictions or {}) do
    local list, texts = table.move(constraints, 1, #constraints, 1, {}), {}
    for i, s in ipairs(item.slips) do
      texts[i] = core.text(s)
      for _, e in ipairs(core.gradient(s, v)) do list[#list + 1] = e end
    end
    if depends(observer, observer:program(list, "slips of " .. item.name), #names, #item.slips, #v) then
      fail("friction '%s': the two-sided constraint%s %s determine%s %s %s; remove the friction, or the slip that does not occur", item.name,
        #names > 1 and "s" or "", object.quoted(names), #names > 1 and "" or "s", #texts > 1 and "a combination of its slips" or "its slip",
        table.concat(texts, ", "))
    end
  end
end

-- ---- angles between slips

local RIGHT = 1e-7                     -- cosine of an angle that differs from a right one

local TURNS = { sin = true, cos = true, tan = true }

-- Coordinates of which an expression takes sines: angles
local function add_angles(e, angles)
  if core.kind(e) == "call" and TURNS[core.name(e)] then
    for _, s in ipairs(core.symbols{ e }) do angles[s] = true end
  end
  for _, part in ipairs(core.operands(e)) do add_angles(part, angles) end
  return angles
end

-- Are these velocities Cartesian components: of coordinates that are no angles, with one inertia, which couples none of them with another?
local function are_cartesian(M, places, q, angles)
  for a, i in ipairs(places) do
    if angles[q[i]] or (M[i][i] - M[places[1]][places[1]]):is_zero() ~= true then return false end
    for b = 1, a - 1 do if M[i][places[b]]:is_zero() ~= true then return false end end
  end
  return true
end

-- Products of two slips of a friction along the directions of Cartesian velocities: { w1.w2, w1.w1, w2.w2 }; nil where the slips hold other
-- velocities, whose directions in space are not known, or are at right angles identically
local function products(system, item)
  local v, rows, places, angles = system:velocity_list(), {}, {}, {}
  if #item.slips - (item.radius and 1 or 0) ~= 2 then return nil end
  for a = 1, 2 do
    rows[a] = core.gradient(item.slips[a], v)
    add_angles(item.slips[a], angles)
  end
  for i = 1, #v do
    if rows[1][i]:is_zero() ~= true or rows[2][i]:is_zero() ~= true then places[#places + 1] = i end
  end
  if not are_cartesian(kinematics.inertia(system).M, places, system:coordinate_list(), angles) then return nil end
  local list = {}
  for k, pair in ipairs{ { 1, 2 }, { 1, 1 }, { 2, 2 } } do
    local terms = {}
    for j, i in ipairs(places) do terms[j] = rows[pair[1]][i]*rows[pair[2]][i] end
    list[k] = core.sum(terms)
  end
  return list[1]:is_zero() ~= true and list or nil
end

-- Frictions whose slips are at right angles at some states only, made once for a system; with their products
local function doubtful(system)
  local known = rawget(system, "_slip_angles")
  if known and known.changes == system._changes then return known end
  known = { changes = system._changes, products = {} }
  for _, item in ipairs(#system._rotations == 0 and system.frictions or {}) do
    local list = products(system, item)
    if list then
      known[#known + 1] = item
      table.move(list, 1, 3, #known.products + 1, known.products)
    end
  end
  system._slip_angles = known
  return known
end

--- Has a start of the system to be checked for the angles of its slips?
function slips.has_angles(system) return #doubtful(system) > 0 end

--- Words on two slips of a friction along directions that are not at right angles at a state; nil where there are none.
function slips.askew(system, observer, t, x)
  local list = doubtful(system)
  if #list == 0 then return nil end
  local values = observer:evaluate(observer:program(list.products, "angles of slips"), nil, t, x)
  for k, item in ipairs(list) do
    local cosine = values[3*k - 2]/math.sqrt(values[3*k - 1]*values[3*k])
    if math.abs(cosine) > RIGHT then
      return ("friction '%s': its slips %s and %s are along directions that make an angle of %.6g degrees at t = %.6g; give the components of the slip "
        .. "along two directions at right angles"):format(item.name, core.text(item.slips[1]), core.text(item.slips[2]), math.deg(math.acos(cosine)), t)
    end
  end
end

--- Raises where there are such slips.
function slips.check_angles(system, observer, t, x)
  local words = slips.askew(system, observer, t, x)
  if words then fail("%s", words) end
end

return slips
