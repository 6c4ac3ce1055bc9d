-- parts.lua: the parts of a motion that do not act on each other, as uncoupled oscillators: each keeps its own energy. A small one may be lost beside a large
-- one, whose energy balance shows nothing of it. One coordinate acts on another where L or a force couples them, also without power, as a gyroscopic force
-- does, and where the rate of one is seen to depend on the other.
local contact = require "hamel.system.contact"
local core = require "hamel.core"
local gradients = require "hamel.algebra.gradients"
local protected = require "hamel.base.protected"
local symbols = require "hamel.algebra.symbols"

local parts = {}

local ASIDE = 1e-3                     -- of the size of a number, and of 1: how far it is moved to see on what it acts
local known = setmetatable({}, { __mode = "k" })      -- parts by equations

-- The energies from which the equations come; nil: something else acts, or coordinates and velocities do not belong together one by one
local function lagrangian(E, model, workspace)
  local S = E.system
  if #E.kin < 2 or #E.kin ~= #E.dyn or E.base or E.held or E.mu or E.whole_course or E.carried or not E.keeps_energy then return nil end
  if #E.multipliers > 0 or #E.positions > 0 or #E.velocities > 0 or model:has_work() or type(workspace) ~= "userdata" then return nil end
  if contact.any(S) or #S:_external_forces() > 0 or #S:forces_on_rates() > 0 or #S:coordinate_list() ~= #E.kin then return nil end
  for i, q in ipairs(S:coordinate_list()) do
    -- quasi-velocities may mix the velocities
    local own = { [q] = true, [E.dyn[i]] = true }
    if E.kin[i] ~= q then return nil end
    for _, list in ipairs{ E.kin, E.dyn } do
      for _, s in ipairs(gradients.variables(E.k[i], list)) do if not own[s] then return nil end end
    end
  end
  local L = S._L or S._T and (S._V and S._T - S._V or S._T) or nil
  -- what depends on the time does work in one part, and would change the energy of the others
  return L and #gradients.variables(L, { symbols.t }) == 0 and L or nil
end

-- Joins the groups of i and k in a list that names for each number the group that it is in
local function join(group, i, k)
  local from, to = group[i], group[k]
  for j = 1, from ~= to and #group or 0 do if group[j] == from then group[j] = to end end
end

local function is_one(group)
  for _, g in ipairs(group) do if g ~= group[1] then return false end end
  return true
end

local function singles(n)
  local group = {}
  for i = 1, n do group[i] = i end
  return group
end

-- The groups of the coordinates that are seen to act on each other at (t, x), directly or by way of further ones; nil: not known
local function seen_groups(w, t, x, n)
  local group = singles(n)
  local function rates()
    w:set_state(t, x)
    local fine, list = protected(w.rate, w)
    return fine and list or nil
  end
  local first = rates()
  if not first then return nil end
  for i = 1, n do
    local q, v = x[i], x[n + i]
    x[i], x[n + i] = q + ASIDE*(1 + math.abs(q)), v + ASIDE*(1 + math.abs(v))
    local list = rates()
    x[i], x[n + i] = q, v
    if not list then return nil end
    for k = 1, n do if list[k] ~= first[k] or list[n + k] ~= first[n + k] then join(group, i, k) end end
  end
  return group
end

-- The coordinates and velocities of a system, and the number of the coordinate to which each belongs
local function variables_of(S)
  local variables, place = {}, {}
  for i, c in ipairs(S:coordinate_list()) do
    variables[#variables + 1], place[c] = c, i
    variables[#variables + 1], place[c.dot] = c.dot, i
  end
  return variables, place
end

-- Joins coordinates that L couples
local function join_by_energies(group, L, variables, place)
  for k, slope in ipairs(core.gradient(L, variables)) do
    for _, s in ipairs(gradients.variables(slope, variables)) do join(group, place[variables[k]], place[s]) end
  end
  -- a jump of the energy is in no derivative
  for _, term in ipairs(gradients.jump(L, variables) and (core.kind(L) == "sum" and core.operands(L) or { L }) or {}) do
    local all = gradients.variables(term, variables)
    for _, s in ipairs(gradients.jump(term, variables) and all or {}) do join(group, place[all[1]], place[s]) end
  end
end

-- Joins coordinates with those on which the forces on them depend
local function join_by_forces(group, forces, variables, place)
  for i, Q in ipairs(forces) do
    for _, s in ipairs(gradients.variables(Q, variables)) do join(group, i, place[s]) end
  end
end

-- Do the forces on each group do no work there? Without it those on all coordinates may still have no power together
local function keep_energies(group, forces, velocities)
  local power = {}
  for i, Q in ipairs(forces) do
    if core.number_value(Q) ~= 0 then power[group[i]] = (power[group[i]] or 0) + Q*velocities[i] end
  end
  for _, sum in pairs(power) do if core.simplify(sum):is_zero() ~= true then return false end end
  return true
end

-- The groups of coordinates; nil: there is only one, or the forces exchange energy between them. seen: those that are seen to act on each other
local function groups_of(S, L, seen)
  if is_one(seen) then return nil end                  -- most systems need no further look
  local variables, place = variables_of(S)
  local group, forces, velocities = seen, S:generalised_forces(true), {}
  join_by_energies(group, L, variables, place)
  join_by_forces(group, forces, variables, place)
  for i, c in ipairs(S:coordinate_list()) do velocities[i] = c.dot end
  return not is_one(group) and keep_energies(group, forces, velocities) and group or nil
end

local function collected(E, group)
  local list, place = {}, {}
  for i, g in ipairs(group) do
    if not place[g] then
      list[#list + 1] = { members = {}, names = {} }
      place[g] = list[#list]
    end
    table.insert(place[g].members, i)
    table.insert(place[g].names, core.text(E.kin[i]))
  end
  return list
end

--- The parts of the equations: list of { members = numbers of the coordinates, names = }; nil: there is only one, or that is not known. (t, x): a state
function parts.of(E, model, workspace, t, x)
  if known[E] == nil then
    local L, n = lagrangian(E, model, workspace), #E.kin
    local seen = L and seen_groups(workspace, t, table.move(x, 1, #x, 1, {}), n)
    local group = seen and groups_of(E.system, L, seen)
    known[E] = group and collected(E, group) or false
  end
  return known[E] or nil
end

-- Puts the numbers of a part from one state into another; velocities: false: not its velocities, which become zero
local function put(part, n, from, into, velocities)
  for _, i in ipairs(part.members) do into[i], into[n + i] = from[i], velocities and from[n + i] or 0 end
end

-- Does the part stay within atol of its start, and its velocities within atol of zero?
local function is_noise(part, n, states, atol)
  for _, x in ipairs(states) do
    for _, i in ipairs(part.members) do
      if not (math.abs(x[i] - states[1][i]) <= atol and math.abs(x[n + i]) <= atol) then return false end
    end
  end
  return true
end

--- The changes of the energy of a part from the first of the states on, and the energies met; nil where it is all within atol, or has no value. times, states:
--- lists. rounding: of the energies of the whole motion
function parts.balances(part, w, times, states, atol, rounding)
  local n = #states[1]//2
  if is_noise(part, n, states, atol) then return nil end
  local x, list, met = table.move(states[1], 1, 2*n, 1, {}), {}, {}
  local function energies(t, from, velocities)
    put(part, n, from, x, velocities)
    w:set_state(t, x)
    local fine, energy, kinetic = protected(w.energies, w)
    if fine then return energy, kinetic end
  end
  local first = energies(times[1], states[1], true)
  for k, from in ipairs(states) do
    local _, without = energies(times[k], from, false)
    local energy, kinetic = energies(times[k], from, true)
    if not (first and energy and without) then return nil end
    list[k] = energy - first
    core.meet(met, list[k], kinetic - without, 0)
  end
  met.rounding = math.max(met.rounding, rounding)
  return list, met
end

--- What errors of the tolerances of o change of the energy of a part at these states, and the largest of them.
function parts.allowed(part, w, o, times, states)
  local n, list, largest = states[1] and #states[1]//2 or 0, {}, 0
  for k, from in ipairs(states) do
    local x, sum = table.move(from, 1, 2*n, 1, {}), 0
    w:set_state(times[k], x)
    local fine, energy = protected(w.energies, w)
    for _, member in ipairs(part.members) do
      for _, i in ipairs{ member, n + member } do
        local kept = x[i]
        x[i] = kept + o.atol + o.rtol*math.abs(kept)
        w:set_state(times[k], x)
        local known_there, moved = protected(w.energies, w)
        sum = sum + (fine and known_there and math.abs(moved - energy) or math.huge)
        x[i] = kept
      end
    end
    list[k], largest = sum, math.max(largest, sum)
  end
  return list, largest
end

return parts
