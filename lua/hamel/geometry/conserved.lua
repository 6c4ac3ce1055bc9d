-- conserved.lua: S:conserved{...}: first integrals of the motion: those that theorems give, and all others among given functions.
--
-- The search samples dF/dt on the surface of the constraints at random points modulo a prime: its rank bounds the number of integrals from above, and
-- null vectors are candidates. Each candidate is then proved by exact algebra. Nothing is called conserved because a run says so.
local along = require "hamel.geometry.along"
local ansatz = require "hamel.geometry.ansatz"
local attempt = require "hamel.base.attempt"
local candidates = require "hamel.geometry.candidates"
local core = require "hamel.core"
local echelon = require "hamel.algebra.echelon"
local fields = require "hamel.geometry.fields"
local known_integrals = require "hamel.geometry.known_integrals"
local object = require "hamel.base.object"
local options = require "hamel.base.options"
local sampling = require "hamel.geometry.sampling"
local smoothness = require "hamel.geometry.smoothness"
local surface_flow = require "hamel.geometry.surface_flow"
local System = require "hamel.system"
local vanishing = require "hamel.algebra.vanishing"

require "hamel.geometry.group"

local fail = object.fail
local Conserved = object.class "Conserved"

local schema = {
  degree = { type = "number", whole = true, from = 1, to = 2,
    doc = "of the integrals in the velocities: 1 or 2 (the default, where the unknowns are not too many)" },
  angle = { type = "number", or_type = "table", whole = true, from = 0, to = 12,
    doc = "multiples of angles in sines and cosines, default 2; by coordinate { theta = 3, psi = 1 }" },
  power = { type = "number", or_type = "table", whole = true, from = 0, to = 12,
    doc = "total degree in the other coordinates, default 2 without cyclic ones; by coordinate { x = 1 }" },
  time = { type = "number", whole = true, from = 0, to = 8, default = 0, doc = "powers of t" },
  over = { type = "table", list = true, doc = "functions of the coordinates that take the place of `angle` and `power` for the coordinates in them" },
  products = { type = "number", whole = true, from = 1, to = 8, default = 1, doc = "products of the functions in `over` up to so many factors" },
  functions = { type = "table", list = true, doc = "further functions of the coordinates: each times all of the above" },
  velocities = { type = "table", list = true, doc = "functions linear in the velocities that join the velocities of the coordinates" },
  symmetry = { type = "table",
    doc = "what S:symmetry returned, or fields { x = -y, y = x } for it: their conserved momenta, and the energy in a frame that goes with them" },
  along = { type = "string", doc = "a coordinate: linear integrals by a linear differential equation over it, as of the rolling disc" },
  parameters = { type = "string", default = "any", choices = { "any", "declared" },
    doc = "\"any\": integrals for all values of the parameters first; \"declared\": for the declared values alone" },
  unknowns = { type = "number", whole = true, from = 1, to = 8000, default = 2000, doc = "the most unknowns of the search" },
  seconds = { type = "number", above = 0, default = 20, doc = "time for the search" },
  search = { type = "boolean", default = true, doc = "false: only what theorems give" },
}

local LONG = 80                        -- characters of a field that is printed whole

local short = echelon.short

-- ---- the list

local function note(C, text)
  if not object.contains(C.notes, text) then C.notes[#C.notes + 1] = text end
end

local ENERGIES = { energy = true, Jacobi = true, ["moving energy"] = true }

-- Those listed at the declared values, with one function more
local function values_of(C, extra, without_energy)
  local list = {}
  for i, entry in ipairs(C._on) do
    if entry and not (without_energy and ENERGIES[C[i].kind]) then list[#list + 1] = C._declared.put_in{ entry }[1] end
  end
  if extra then list[#list + 1] = C._declared.put_in{ extra }[1] end
  return list
end

-- Is a function on the surface independent of those listed? Rank of gradients at one random point. Functions linear in the velocities are compared
-- without the energy: they tell more than the energy, which may be a function of them
local function is_independent(C, on, without_energy)
  local list = values_of(C, on, without_energy)
  local fine, rank = attempt(sampling.gradient_rank, C._declared, list, { fixed = C._declared.parameters })
  if fine then return rank == #list end
  note(C, "whether those listed are independent is not decided: " .. rank)
  return true
end

-- What holds on either side of a jump is not proved across it
local function withdraw(C, record)
  local jump = record.proof and (C._jump or smoothness.jump{ record.of })
  if not jump then return end
  record.proof, record.jumps, record.why = nil, true, ("%s; %s may jump, and this holds on either side"):format(record.why, core.text(jump))
end

local function add(C, record, on)
  withdraw(C, record)
  C[#C + 1], C._on[#C._on + 1] = record, on
end

local function degree_of(flow, on)
  local at_rest = {}
  for a, e in ipairs(core.gradient(on, flow.w)) do
    at_rest[a] = vanishing.without(e, flow.w)
    if not vanishing.proved(e - at_rest[a]) then return 2 end
  end
  if vanishing.all(at_rest) then return 0 end
  return 1, vanishing.proved(vanishing.without(on, flow.w))
end

-- Kind and reason of an integral that the search found
local function described(C, flow, record, on)
  local degree, homogeneous = degree_of(flow, on)
  record.kind = degree == 0 and "constraint" or degree == 1 and "linear" or "quadratic"
  record.why = degree == 0 and "a function of the coordinates: the constraints keep it" or nil
  if degree == 1 and homogeneous then
    local Z = flow:generator(on)
    record.generator = Z and fields.named(flow.system, Z)
    local text = Z and fields.text(flow.system, Z)
    record.why = text and #text <= LONG and ("gauge momentum of %s: horizontal"):format(text) or text and "gauge momentum of a horizontal field" or nil
    if text and #text <= LONG and flow:is_zero(flow:lifted(Z)) then
      record.kind, record.why = "horizontal", record.why .. ", leaves L unchanged"
    end
  elseif degree == 2 and C._energy_on then
    local energy = flow.put_in{ C._energy_on, C._energy_shown }
    local moving = candidates.moving_energy(flow, on, energy[1])
    if moving then
      local less = short(flow:off(moving))
      record.kind, record.why, record.of = "moving energy", ("the energy less %s"):format(core.text(less)), short(energy[2] - less)
    end
  end
  record.why = record.why or "found by the search"
end

local function name_next(C, record)
  if record and record.kind == "moving energy" and #C:of_kind(record.kind) == 0 then return record.kind end
  C._numbered = C._numbered + 1
  return "I" .. C._numbered
end

-- Adds what the search found if it is independent of what is listed
local function add_found(C, found)
  if not is_independent(C, found.on, degree_of(found.flow, found.on) < 2) then return end
  local record = { of = found.shown, parameters = found.parameters, proof = found.proof }
  described(C, found.flow, record, found.on)
  record.name = name_next(C, record)
  add(C, record, found.on)
end

local function add_root(C, found)
  local root = candidates.root(found.flow, found.on)
  if not root or not is_independent(C, root, true) or not found.flow:is_zero(found.flow:rate(root)) then return end
  add(C, { name = name_next(C), kind = "linear", of = short(found.flow:off(root)), parameters = found.parameters, proof = true,
    why = ("root of the quadratic integral %s"):format(core.text(found.shown)) }, root)
end

-- The square that the squares of linear integrals leave of the energy
local function add_rest_of_energy(C, flow)
  local integrals = {}
  for i, record in ipairs(C) do
    local degree, homogeneous = nil, nil
    if C._on[i] then degree, homogeneous = degree_of(flow, C._on[i]) end
    if degree == 1 and homogeneous and record.proof and record.parameters == "any" then integrals[#integrals + 1] = C._on[i] end
  end
  if not (C.energy and C.energy.proof) then return end
  local fine, rest = attempt(candidates.rest_of_energy, flow, C._energy_on, integrals)
  if fine and rest then add_root(C, { flow = flow, on = rest, shown = short(flow:off(rest)), parameters = "any" }) end
end

-- Integrals by a linear equation over one coordinate; they are not compared with the others
local function add_along(C, flow, name)
  C.along = along.structure(flow, name)
  for i, e in ipairs(along.integrals(C.along)) do
    add(C, { _row = i, name = name_next(C), kind = "by a linear equation", of = e, parameters = "any", proof = true,
      why = ("K' = -K C with the matrix C of dw/d%s = C w, C.along.matrix"):format(name) }, false)
  end
end

-- ---- search

-- One degree; false: it could not be made
local function search(C, flow, columns, degree, o, texts)
  local fine, result = attempt(candidates.find, flow, C._declared, columns, o)
  if not fine then
    note(C, ("the search of degree %d was not made: %s"):format(degree, result))
    return false
  end
  C.search[degree] = { degree = degree, functions = texts, unknowns = #columns + 1, independent = result.independent, solutions = result.nullity,
    complete = result.complete, proved = #result.proved, reason = result.reason }
  for _, found in ipairs(result.proved) do add_found(C, found) end
  for _, found in ipairs(result.proved) do add_root(C, found) end
  for _, found in ipairs(result.unproved) do add_found(C, found) end
  return true
end

-- The energy less a function linear in the velocities, where the energy itself is not conserved
local function search_moving_energy(C, flow, columns, settings)
  if C.energy or not C._energy_on then return end
  local extended = table.move(columns, 1, #columns, 1, {})
  extended[#extended + 1] = { on = C._energy_on, shown = C._energy_shown }
  local fine, result = attempt(candidates.find, flow, C._declared, extended, settings)
  for _, found in ipairs(fine and result.proved or {}) do
    if degree_of(found.flow, found.on) == 2 then add_found(C, found) end
  end
end

local ASKING = { "degree", "angle", "power", "time", "over", "products", "functions", "velocities" }

local function asks_for_search(given)
  for _, key in ipairs(ASKING) do if given and given[key] ~= nil then return true end end
  return false
end

local function largest_of(given, default)
  if type(given) == "number" then return given end
  local most = default
  for _, value in pairs(given or {}) do most = math.max(most, value) end
  return most
end

local function unknowns_text(count) return (count < 1e9 and "%.0f unknowns" or "%.2g unknowns"):format(count) end

-- Options that leave few enough unknowns of a degree, in words, the largest search of each kind first
local function smaller(flow, o, velocities, degree)
  local list = {}
  local function try(change)
    local other, words = {}, {}
    for key, value in pairs(o) do other[key] = value end
    for _, key in ipairs{ "degree", "angle", "power", "products" } do
      if change[key] then
        other[key] = change[key]
        words[#words + 1] = ("%s = %d"):format(key, change[key])
      end
    end
    local unknowns = ansatz.count(ansatz.plan(flow, other).count, velocities, change.degree or degree)
    if unknowns > o.unknowns then return false end
    list[#list + 1] = ("%s (%s)"):format(table.concat(words, ", "), unknowns_text(unknowns))
    return true
  end
  local function lowered(key, highest, with)
    for k = highest - 1, 0, -1 do
      with[key] = k
      if try(with) then return end
    end
  end
  local angle, power = largest_of(o.angle, 2), largest_of(o.power, 2)
  if o.degree == 2 then try{ degree = 1 } end
  lowered("angle", angle, {})
  lowered("power", power, {})
  if o.products > 1 then try{ products = 1 } end
  if #list == 0 then lowered("power", power, { angle = 0 }) end
  return list
end

-- What to do about too many unknowns
local function advice(flow, o, velocities, degree)
  local list = smaller(flow, o, velocities, degree)
  local few = #list > 0 and ("fewer are left by %s"):format(table.concat(list, ", or by ")) or "give fewer functions"
  return ("%s; angle = 0, power = 0, over = {...} takes the functions given alone; search = false looks for none"):format(few)
end

-- The degree asked for; without one 2, or 1 where that are too many unknowns, or 0. A search that was asked for must be small enough
local function highest_degree(C, o, given, flow, functions, velocities)
  for degree = 1, o.degree or 2 do
    local unknowns = ansatz.count(functions, velocities, o.degree or degree)
    if unknowns > o.unknowns then
      local message = ("%s are more than %d: %s"):format(unknowns_text(unknowns), o.unknowns, advice(flow, o, velocities, o.degree or degree))
      if o.degree or degree == 1 and asks_for_search(given) then fail("conserved: %s", message) end
      note(C, degree == 1 and ("the search was left out: %s"):format(message) or ("degree %d was not searched: %s"):format(degree, message))
      return degree - 1
    end
  end
  return o.degree or 2
end

local function search_all(C, flow, o, given)
  local finish = os.clock() + o.seconds
  local plan, velocities = ansatz.plan(flow, o), ansatz.velocities(flow, o)
  local highest = highest_degree(C, o, given, flow, plan.count, #velocities)
  if highest == 0 then return end
  local functions = ansatz.functions(flow, plan)
  for degree = 1, highest do
    if os.clock() >= finish then return note(C, ("degree %d was not searched: more than %g s"):format(degree, o.seconds)) end
    local settings = { parameters = o.parameters, finish = finish, unknowns = o.unknowns }
    local columns = ansatz.columns(functions, velocities, degree)
    if degree == 1 then search_moving_energy(C, flow, columns, settings) end
    if not search(C, flow, columns, degree, settings, plan.text) then return end
  end
end

-- What is lost for some values of the parameters may be conserved at the declared ones
local function mark_special(C)
  for _, lost in pairs(C.not_conserved) do
    local flow = C._declared
    local on = flow:on(lost.of)
    if flow:is_zero(flow:rate(on)) then
      lost.declared, lost.why = true, lost.why .. "; at the declared values of the parameters it is conserved"
    end
  end
end

-- The symmetry of the option, which S:symmetry returned for this system or for a copy of it, or fields
local function symmetry_of(system, given)
  if not object.is_a(given, "Symmetry") then return system:symmetry(given) end
  if given._system ~= system then fail("conserved: symmetry = G: G is the symmetry of %s, not of %s", given._system.name, system.name) end
  return given
end

--- Finds first integrals of the motion, functions of coordinates and velocities that are constant along every motion, and proves them.
--- First those that theorems give: the energy (or Jacobi's integral), momenta of cyclic coordinates on which no reaction works, integrals of
--- integrable constraints. Then a search of degree 1 and 2 in the velocities, with sines, cosines and powers of the coordinates as coefficients
--- (options angle, power, time, over, products, functions, velocities; for rotations polynomials in direction cosines, of degree 1 where angle is
--- not given). The option symmetry adds momenta of symmetries and the energy in a frame that moves with them.
--- Coordinates that do not occur in the equations enter where power is a number, or angle or power name them.
--- Result C: C[i] = { name, kind, of, why, parameters, proof, generator }: kind is "energy", "Jacobi", "moving energy", "cyclic", "horizontal",
--- "linear", "quadratic", "constraint" or "by a linear equation"; parameters is "any" or "declared" (it holds at the declared values); proof is true,
--- or nil where it vanished at all random points but exact algebra gave up. C.energy, C:of_kind "linear", C:contains(F), C:drift(run).
--- C.search[d] = { unknowns, solutions, complete, ... }: complete means that there are no other integrals of this form.
--- C.not_conserved[name] = { of, rate, why, declared }: declared is true for what is conserved at the declared values of the parameters alone.
--- On holonomic constraints and unit quaternions functions are compared where these hold. Inputs of S:input are zero, but for their functions; C.notes says so.
--- A search with more unknowns than the option unknowns is left out, and C.notes says so; where an option such as angle or power asks for it, it is an error.
--- Further errors: systems with one-sided constraints or friction, holonomic constraints in which no coordinate occurs linearly or quadratically.
--- Example: print(S:conserved{ power = 2 }).
--- Source: Bloch, Krishnaprasad, Marsden, Murray 1996; Fasso, Giacobbe, Sansonetto 2012 (gauge momenta).
function System:conserved(given)
  local o = options.check("conserved", schema, given)
  local flow = surface_flow.demand(self, "conserved", nil, { rotations = true, holonomic = true })
  local C = setmetatable({ system = self, search = {}, not_conserved = {}, notes = {}, _on = {}, _numbered = 0, _declared = flow:declared(),
    _jump = smoothness.jump_of_system(self) or false }, Conserved.meta)
  if #self._inputs > 0 then note(C, flow:without_inputs()) end
  known_integrals(flow, {
    add = function(record, on) if is_independent(C, on, flow.linear and degree_of(flow, on) < 2) then add(C, record, on) end end,
    set_energy = function(on, shown) C._energy_on, C._energy_shown = on, shown end,
    energy = function() return C._energy_shown end,
    has_energy = function() return C.energy ~= nil end,
    lost = function(name, record) C.not_conserved[name] = record end,
    note = function(text) note(C, text) end,
  }, o.symmetry and symmetry_of(self, o.symmetry))
  if o.search and flow.linear then search_all(C, flow, o, given)
  elseif o.search then note(C, "not searched: the constraints or quasi-velocities are not linear in the velocities") end
  if flow.linear then add_rest_of_energy(C, flow) end
  if o.along and flow.linear then add_along(C, flow, o.along) end
  mark_special(C)
  return C
end

-- ---- reading

--- The linear equation of the option along: { coordinate, matrix = entries by row, of = the functions it is for }; nil without the option.
function Conserved.get.along() return nil end

--- The record of the energy; nil where it is not conserved.
function Conserved.get.energy(self)
  for _, record in ipairs(self) do if record.kind == "energy" or record.kind == "Jacobi" then return record end end
end

--- The records of one kind, as a list.
function Conserved:of_kind(kind)
  local list = {}
  for _, record in ipairs(self) do if record.kind == kind then list[#list + 1] = record end end
  return list
end

--- Some of the integrals, by name, as a list of the same kind: C:only("energy", "I2").
function Conserved:only(...)
  local part, index, names = { _on = {} }, {}, {}
  for i, record in ipairs(self) do index[record.name], names[i] = i, record.name end
  for key, value in pairs(self) do if type(key) == "string" and key ~= "_on" then part[key] = value end end
  for i, name in ipairs{ ... } do
    local place = index[name] or fail("only: there is no integral '%s'%s", tostring(name), object.hint(tostring(name), names))
    part[i], part._on[i] = self[place], self._on[place]
  end
  return setmetatable(part, Conserved.meta)
end

--- Is F conserved and a function of the integrals listed, both at the declared values of the parameters? The first is proved, the second decided by the
--- rank of the gradients at a random point.
function Conserved:contains(F)
  local flow = self._declared
  local on, o = flow:on(self.system:admit(F, "contains", 1)), { fixed = flow.parameters }
  if not flow:is_zero(flow:rate(on)) or smoothness.jump{ F } then return false end
  return sampling.gradient_rank(flow, values_of(self, on), o) == sampling.gradient_rank(flow, values_of(self), o)
end

-- The largest change of a column of values, relative to 1 + the largest; nan where a value is none
local function change(column)
  local worst, largest = 0, 0
  for _, value in ipairs(column) do
    if value ~= value then return value end
    worst, largest = math.max(worst, math.abs(value - column[1])), math.max(largest, math.abs(value))
  end
  return worst/(1 + largest)
end

--- The values of the integrals over the stored states of a run: the times, and a list of { name, values }.
function Conserved:series(run)
  local list, result = {}, {}
  for i, record in ipairs(self) do if self._on[i] then list[#list + 1] = record.of end end
  local columns, over = table.pack(run:series("t", table.unpack(list))), self.along and along.series(self.along, run)
  local by_formula, by_equation = 0, 0
  for i, record in ipairs(self) do
    if self._on[i] then by_formula = by_formula + 1 else by_equation = record._row end
    result[i] = { record.name, self._on[i] and columns[by_formula + 2] or over[by_equation] }
  end
  return columns[1], result
end

--- The largest change of each integral along a run, relative to 1 + its largest value: { name = change }. Evidence, no proof.
function Conserved:drift(run)
  local changes, _, list = {}, self:series(run)
  for _, item in ipairs(list) do changes[item[1]] = change(item[2]) end
  return changes
end

local function proof_text(record)
  local proof = record.proof and "proved" or record.jumps and "not proved" or "not proved: it vanished at all random points"
  return record.parameters == "declared" and proof .. " for the declared parameters" or proof
end

local function search_text(s)
  local verdict = s.complete and (s.solutions == 0 and "none of this form" or "no others of this form") or s.reason or "others of this form are not excluded"
  return ("degree %d, %d unknowns: %s"):format(s.degree, s.unknowns, verdict)
end

local function title_of(self) return self.system.name .. ": conserved" .. (#self == 0 and ": nothing found" or "") end

-- The forms searched, and what the search noted
local function notes_of(self)
  local searched, notes = {}, {}
  for _, s in ipairs(self.search) do searched[#searched + 1] = search_text(s) end
  if #searched > 0 then notes[1] = ("searched over %s: %s"):format(self.search[1].functions, table.concat(searched, "; ")) end
  for _, name in ipairs(object.keys(self.not_conserved)) do
    local lost = self.not_conserved[name]
    notes[#notes + 1] = ("not conserved%s: %s = %s%s"):format(lost.declared and " for other values" or "", name, core.text(lost.of),
      lost.why and ", " .. lost.why or "")
  end
  return table.move(self.notes, 1, #self.notes, #notes + 1, notes)
end

function Conserved.meta.__tostring(self)
  local lines = { title_of(self) }
  local width = 6
  for _, record in ipairs(self) do width = math.max(width, #record.name) end
  for _, record in ipairs(self) do
    lines[#lines + 1] = ("  %s%s  %s   %s   %s"):format(record.name, (" "):rep(width - #record.name), core.text(record.of), record.why, proof_text(record))
  end
  for _, text in ipairs(notes_of(self)) do lines[#lines + 1] = "  " .. text end
  return table.concat(lines, "\n")
end

function Conserved.meta.__blocks(self)
  local rows = {}
  for i, record in ipairs(self) do rows[i] = { { name = record.name }, record.of, record.why, proof_text(record) } end
  return { title = title_of(self), head = { "name", "integral", "reason", "proof" }, rows = rows, notes = notes_of(self) }
end

options.declare("conserved", schema)

return Conserved
