-- prove_periodic.lua: S:prove_periodic: the proof that a closed orbit exists.
local ball = require "hamel.analysis.ball"
local certificate_text = require "hamel.analysis.certificate_text"
local compile = require "hamel.model.compile"
local core = require "hamel.core"
local enclosed = require "hamel.analysis.enclosed"
local exact = require "hamel.analysis.exact"
local files = require "hamel.base.files"
local launched = require "hamel.base.launched"
local motion = require "hamel.bodies.motion"
local object = require "hamel.base.object"
local options = require "hamel.base.options"
local orbit = require "hamel.analysis.closed_orbit"
local preparation = require "hamel.run.preparation"
local protected = require "hamel.base.protected"
local orbit_rest = require "hamel.analysis.orbit_rest"
local quantities = require "hamel.system.quantities"
local reasons = require "hamel.analysis.orbit_reasons"
local timeless = require "hamel.analysis.timeless"
local stability = require "hamel.analysis.proved_stability"
local symbols = require "hamel.algebra.symbols"
local vanishing = require "hamel.algebra.vanishing"
local System = require "hamel.system"

local fail = object.fail

local schema = {
  section = { doc = "an expression in coordinates and velocities: the orbit starts where it equals `at`" },
  at = { doc = "value of the section; 0 where it is missing" },
  energy = { doc = "energy of the orbit, for conservative systems, whose closed orbits form families" },
  integrals = { type = "table", list = true, doc = "further integrals of the motion that the orbit shall have: {expression, value} each" },
  advance = { type = "table", list = true, doc = "names of coordinates that need not close; only their own rates may depend on them" },
  turns = { type = "table", record = true, doc = "coordinates that gain whole turns in a period, and how many: {phi = 1}; no equation may see a turn" },
  stroboscope = { doc = "for systems that depend on time: the period of the forces, or a multiple of it; the orbit is closed after this time, and starts "
    .. "at t = 0" },
  reversal = { type = "table", list = true,
    doc = "coordinates whose signs a reversal of time changes: the orbit starts where these and the velocities of the others vanish; in forms with "
      .. "quasi-velocities also those of these that change" },
  period = { type = "number", above = 0, doc = "guess of the period" },
  bits = { default = 128, from = 40, to = 20000, type = "number", whole = true, doc = "precision of the computation" },
  order = { from = 2, to = 4000, type = "number", whole = true, doc = "order of the Taylor series; by the bits where it is missing" },
  radius = { type = "number", above = 0, doc = "radius of the box of the proof; chosen where it is missing" },
  iterations = { default = 20, from = 0, to = 200, type = "number", whole = true, doc = "steps of Newton's method before the proof" },
}
schema.keep = { type = "table", list = true, doc = "further names or expressions that have the value of the guess at the start, where orbits form families" }
for _, name in ipairs{ "q", "v", "form", "parameters" } do schema[name] = preparation.schema[name] end

local Proof = object.class "Proof"

function Proof.meta.__tostring(p)
  if not p.proved then return "closed orbit not proved: " .. p.reason end
  local what = "closed orbit proved"
  if p.driven and p.rest ~= false then what = p.rest and "constant solution proved, a state of rest" or "closed orbit proved, perhaps a state of rest" end
  local least = p.driven and ", that of the stroboscope" or p.least and ", the least one" or ", " .. orbit.PERHAPS_MULTIPLE
  local boxes = certificate_text.boxes(p._problem)
  return ("%s%s: radius %s, contraction %.2g, period %s%s"):format(what, certificate_text.for_every(p._problem),
    ball.radius_text(p._y), p.contraction, boxes and not p.driven and tostring(p.period) or p.period:text(24), least)
end

-- Fields that not every proof has
for _, name in ipairs{ "reason", "period", "q", "v", "radius", "advance", "driven", "x" } do Proof.get[name] = function() return nil end end

-- Computed when they are asked for
function Proof.get.multipliers(p)
  if not p.proved then return nil end
  p._multipliers = p._multipliers or { orbit.multipliers(p._problem, p._y, { bits = p.bits, order = p._order }) }
  return p._multipliers[1]
end

-- true: the period is proved to be the least one; nil: it may be a multiple of that
function Proof.get.least(p)
  if not p.proved or p.driven then return nil end
  if p._least == nil then p._least = orbit.least(p._problem, p._y, { bits = p.bits, order = p._order }) or false end
  return p._least or nil
end

-- true: the orbit is a state of rest, as it may be with a stroboscope; false: it is none; nil: not decided
function Proof.get.rest(p)
  if not p.proved then return nil end
  if p._rest == nil then
    local rest = orbit_rest.of(p._problem, p._y)
    p._rest = { rest }
  end
  return p._rest[1]
end

-- false: a multiplier outside of the unit circle; true: all inside; nil: not decided by them
function Proof.get.stable(p)
  local list = p.multipliers
  local inside = list and #list > 0 or nil
  for _, one in ipairs(list or {}) do
    local outside = stability.beyond_circle(one)
    if outside then return false end
    if outside == nil then inside = nil end
  end
  return inside
end

--- Writes the certificate: the equations, the conditions and the exact numbers of the proof, as a text which hm.check_certificate(S, path) or
--- `hamel verify path` proves again.
---@param path string
function Proof:save(path)
  if not self.proved then fail("save: nothing was proved: %s", self.reason) end
  certificate_text.demand_texts(self._problem)
  local proof = self._text
  local reason = orbit.put_bounds(self._problem, proof)
  if reason then fail("save: the proof is not repeated with more bits: %s; prove it with more bits (%d -> %d)", reason, self.bits, 2*self.bits) end
  local text = orbit.write(self._problem, proof)
  files.write("save", path, text)
  return files.written(path, "certificate of a closed orbit", { text = text })
end

local function condition(list, name, f, target, integral)
  list[#list + 1] = { name = name, f = f, target = target, integral = integral or false }
end

-- The energy and the constraints, and further integrals
local function put_integrals(system, m, o, conditions, half)
  local E = m.E
  if E.energy and m.conservative and not (half and o.energy == nil) then
    if o.energy == nil then
      fail("prove_periodic: energy is missing: %s is conservative, and its closed orbits form families; give energy = ...", system.name)
    end
    condition(conditions, "energy", E.energy, exact.number(o.energy, "energy"), true)
  elseif o.energy ~= nil then
    fail("prove_periodic: the energy of %s is not constant along its motions; leave the option energy out", system.name)
  end
  for _, level in ipairs{ E.positions, E.velocities } do
    for _, c in ipairs(level) do condition(conditions, "constraint " .. c.name, c.f, core.rational(0), true) end
  end
  for i, pair in ipairs(o.integrals or {}) do
    if type(pair) ~= "table" or #pair ~= 2 then fail("prove_periodic: integrals[%d] is not a list {expression, value}", i) end
    local what = ("integrals[%d]"):format(i)
    local f = m:expression(system:admit(pair[1], "prove_periodic: " .. what, 1))
    condition(conditions, ("integral %d"):format(i), f, exact.number(pair[2], what), true)
  end
end

local function index_of(system, name, what)
  for _, R in ipairs(what ~= "reversal" and system._rotations or {}) do
    local found = R.name == tostring(name)
    for _, e in ipairs(R.quaternion) do found = found or core.name(e) == tostring(name) end
    if found then
      fail("prove_periodic: %s: the rotation '%s' has no angle to leave open: turn its frame by angles (N:rotate), the first about the axis about which the "
        .. "orbit closes up to a turn, and name this angle", what, R.name)
    end
  end
  for i, other in ipairs(system.coordinate_names) do if other == tostring(name) then return i end end
  fail("prove_periodic: %s: %s has no coordinate '%s'", what, system.name, tostring(name))
end

-- The coordinate whose rate a velocity is
local function place_of(kin, s)
  for i, q in ipairs(kin) do if q.dot == s then return i end end
end

-- The states that a reversal takes to their negatives
local function mirrored(system, m, reversal)
  local changes, mirror, n = {}, {}, #m.E.kin
  for _, name in ipairs(reversal) do
    local velocity = false
    for _, s in ipairs(m.E.dyn) do velocity = velocity or not place_of(m.E.kin, s) and core.text(s) == tostring(name) end
    changes[velocity and tostring(name) or index_of(system, name, "reversal")] = true
  end
  for i, s in ipairs(m.E.dyn) do
    local q = place_of(m.E.kin, s)
    -- a velocity changes its sign where its coordinate does not
    if q and not changes[q] or not q and changes[core.text(s)] then mirror[#mirror + 1] = n + i end
  end
  for i = 1, n do if changes[i] then mirror[#mirror + 1] = i end end
  return mirror
end

-- A name that no state and no parameter has
local function unused(name, ...)
  local taken = {}
  for _, list in ipairs{ ... } do for _, s in ipairs(list) do taken[core.text(s)] = true end end
  while taken[name] do name = name .. "_" end
  return name
end

-- A number that may be an expression in the parameters
local function number_of(e, parameters, what)
  if not core.is_expression(e) then return exact.number(e, what) end
  local from, to = {}, {}
  for i, item in ipairs(parameters) do
    from[i], to[i] = item[1], item[2]
    local box = item[3] or core.is_ball(item[2])
    if box and object.contains(core.symbols{ e }, item[1]) then
      fail("prove_periodic: %s depends on %s, which is a box; the orbit closes after one period, so give %s one value", what, core.text(item[1]),
        core.text(item[1]))
    end
    if core.is_ball(to[i]) then to[i] = core.rational(0) end
  end
  return exact.number(core.substitute(e, from, to), what)
end

-- A coordinate that advances, taken out of expressions that name it but do not depend on it, such as sin(psi)^2 + cos(psi)^2
local function take_out(problem, i)
  local q, advances = problem.kin[i], {}
  for _, k in ipairs(problem.advance) do advances[k] = true end
  local function without(e)
    if type(e) == "number" or core.diff(e, q):is_zero() ~= true then return e end
    local fine, other = protected(vanishing.without, e, { q })
    return fine and other or e
  end
  for _, name in ipairs{ "k", "M", "A", "r", "b" } do
    for j, e in ipairs(problem[name]) do if name ~= "k" or not advances[j] then problem[name][j] = without(e) end end
  end
  for _, c in ipairs(problem.conditions) do if c.integral then c.f = without(c.f) end end
end

-- With time as a state of its own, which gains the period of the forces
local function put_stroboscope(problem, period)
  local phase = core.symbol(unused("time", problem.kin, problem.dyn), symbols.DYNAMIC)
  for _, name in ipairs{ "k", "M", "A", "r", "b" } do
    for i, e in ipairs(problem[name]) do problem[name][i] = core.substitute(e, { symbols.t }, { phase }) end
  end
  for _, c in ipairs(problem.conditions) do c.f = core.substitute(c.f, { symbols.t }, { phase }) end
  table.insert(problem.kin, phase)
  table.insert(problem.k, core.rational(1))
  table.insert(problem.conditions, 1, { name = "start of time", f = phase, target = core.rational(0), integral = false })
  table.insert(problem.shift, { #problem.kin, number_of(period, problem.parameters, "stroboscope") })
end

-- The statement, from the motion prepared by enclosed.new
local function problem_of(system, m, o, section)
  local E = m.E
  local lower = {}
  for i = 1, #E.dyn do for j = 1, i do lower[#lower + 1] = E.M[i][j] end end
  local conditions, advance, mirror = {}, {}, o.reversal and mirrored(system, m, o.reversal) or {}
  if section then
    local f = m:expression(section)
    condition(conditions, "section", f, exact.number(o.at or 0, "at"))
  end
  for _, name in ipairs(o.advance or {}) do
    local i = index_of(system, name, "advance")
    advance[#advance + 1] = i
    condition(conditions, ("start of %s"):format(name), E.kin[i], exact.number(o.q[system.coordinate_names[i]] or 0, "q." .. tostring(name)))
  end
  local free = {}
  for _, i in ipairs(advance) do free[i] = true end
  for _, i in ipairs(mirror) do
    local s = E.kin[i] or E.dyn[i - #E.kin]
    if not free[i] then condition(conditions, ("start of %s"):format(core.text(s)), s, core.rational(0)) end
  end
  for _, c in ipairs(o.kept or {}) do condition(conditions, "start of " .. c.name, c.f, c.target) end
  put_integrals(system, m, o, conditions, #mirror > 0)
  local parameters, shift = m:parameters(), {}
  for _, name in ipairs(object.keys(o.turns or {})) do
    local number = o.turns[name]
    if math.type(number) ~= "integer" then fail("prove_periodic: turns.%s is %s, not a whole number of turns", tostring(name), tostring(number)) end
    if number ~= 0 then shift[#shift + 1] = { index_of(system, name, "turns"), core.rational(2*number)*core.pi() } end
  end
  local function copied(list) return table.move(list, 1, #list, 1, {}) end
  local problem = { given = object.keys(o.parameters or {}), name = system.name, form = m.form, kin = copied(E.kin), dyn = E.dyn, k = copied(E.k), M = lower,
    A = compile.flat(E.A), r = copied(E.r), b = copied(E.b), conditions = conditions, parameters = parameters, advance = advance, mirror = mirror, flip = {},
    shift = shift }
  for _, i in ipairs(advance) do take_out(problem, i) end
  if o.stroboscope ~= nil then
    put_stroboscope(problem, o.stroboscope)
  else
    timeless.conditions(problem.conditions)
  end
  return problem
end

-- Quaternions that come back with the other sign from the start y, followed in doubles: e and -e are one attitude
local function put_signs(system, problem, y)
  if #system._rotations == 0 then return end
  local finish = orbit.finish(problem, y)
  local at = {}
  for i, s in ipairs(problem.kin) do at[core.text(s)] = i end
  for _, R in ipairs(system._rotations) do
    local along, places = 0, {}
    for k, e in ipairs(R.quaternion) do
      local i = at[core.text(e)]
      places[k] = i
      if finish then along = along + (finish[i].lower + finish[i].upper)*(y[i].lower + y[i].upper) end
    end
    if along < 0 then table.move(places, 1, 4, #problem.flip + 1, problem.flip) end
  end
  table.sort(problem.flip)
end

-- What `keep` names, with the values of the guess
local function kept_of(system, m, o, start, parameters)
  local list = {}
  for i, what in ipairs(o.keep or {}) do
    local name, prime = tostring(what):match "^(.-)('?)$"
    local e, value = nil, nil
    for k, other in ipairs(system.coordinate_names) do
      if type(what) == "string" and other == name then
        local s, given = system:coordinate_list()[k], prime == "" and o.q or o.v
        e, value = prime == "" and s or s.dot, given[name]
      end
    end
    local f = m:expression(system:admit(e or what, ("prove_periodic: keep[%d]"):format(i), 1))
    if value == nil then
      local values = table.move(parameters, 1, #parameters, #start + 1, table.move(start, 1, #start, 1, {}))
      value = core.ball_values(core.program(m:_inputs(m.E.kin, m.E.dyn), { f }), core.ball("0", 2), values, o.bits)[1]:midpoint():text(30)
    end
    list[i] = { name = tostring(what), f = f, target = exact.number(value, "keep " .. tostring(what)) }
  end
  return list
end

-- As many equations as unknowns, the states and the period
local function demand_count(problem)
  local advances, closing = {}, 0
  for _, i in ipairs(problem.advance) do advances[i] = true end
  for _, i in ipairs(problem.mirror) do closing = closing + (advances[i] and 0 or 1) end
  local integrals, names = 0, {}
  for i, c in ipairs(problem.conditions) do
    names[i] = c.name
    if c.integral then integrals = integrals + 1 end
  end
  local states = #problem.kin + #problem.dyn
  if #problem.mirror == 0 then closing = states - integrals - #problem.advance end
  local surplus = closing + #names - states - 1
  if surplus == 0 then return end
  fail("prove_periodic: the start and the period are %d unknowns, but there are %d equations: %d that the orbit closes, and %s; %s", states + 1,
    closing + #names, closing, table.concat(names, ", "), surplus > 0 and ("leave %d of section, energy, integrals and keep out"):format(surplus)
    or ("give %d more of section, energy, integrals and keep"):format(-surplus))
end

-- What the states that advance gain in a period; nil where their rates depend on such states. Over the other half of a half orbit a rate is the same where its
-- coordinate is mirrored, else the opposite
local function advances(system, problem, found)
  local list, changes = nil, {}
  for _, i in ipairs(problem.mirror) do changes[i] = true end
  for _, i in ipairs(problem.advance) do
    local simple = true
    for _, k in ipairs(problem.advance) do simple = simple and core.diff(problem.k[i], problem.kin[k]):is_zero() == true end
    if simple then
      local gain = core.ball_sum(found.finish[i], found.y[i], -1)
      if #problem.mirror > 0 then gain = changes[i] and core.ball_sum(gain, gain, 1) or core.ball("0", 2) end
      list = list or {}
      list[system.coordinate_names[i]] = gain
    end
  end
  return list
end

local function options_of(system, given)
  given = quantities.in_seconds(system, "prove_periodic", given)
  local o = options.check("prove_periodic", schema, given, system)
  o.q, o.v, o.parameters = system:by_name(o.q or {}, "q"), system:by_name(o.v or {}, "v"), system:by_name(o.parameters, "parameters")
  if o.reversal and not o.keep and (o.section == nil) == (o.energy == nil) then
    fail("prove_periodic: with reversal give the energy, a section, or keep: it chooses one orbit of the family")
  end
  if o.stroboscope ~= nil then
    if o.section ~= nil or o.reversal then
      fail "prove_periodic: with a stroboscope the orbit starts at t = 0 and closes after the given time; leave section and reversal out"
    end
    if o.period then fail "prove_periodic: with a stroboscope the orbit closes after the given time: leave period out" end
    o.period = 1.0
  elseif o.section == nil and not o.reversal then
    fail "prove_periodic: section is missing: an expression in coordinates and velocities, such as a coordinate"
  end
  if not o.period then fail("prove_periodic: period is missing: a guess, as S:periodic finds it") end
  return o
end

--- Proves that a closed orbit exists: S:prove_periodic{ section = x, at = 0, energy = -20, q =, v =, period = 2.7, bits = 128, radius =, iterations = 20 }.
--- q, v and period are a guess, as of S:periodic; the section is an expression that equals `at` at the start of the orbit. Newton's method in ball
--- arithmetic improves the guess. Krawczyk's test proves that a box about it holds one orbit, and only one, with this section and energy.
--- Orbits that form families besides that of the energy take `integrals`, {expression, value} each, that choose one; the reason says how many are missing.
--- Returns a proof: proved, reason (where it is not), q, v, period (balls), radius of the box that holds the orbit, contraction, bits. p:save(path) writes
--- a certificate. The system must not depend on time. Constraints hold along the orbit; conservative systems need `energy`.
--- Parameters may be boxes, {"9.80", "9.82"}: then each of their values has such an orbit, and the balls hold all of them. Coordinates that no equation
--- depends on have no isolated closed orbits: name them in `advance`, or leave them out by Routh's method (S:routh). Angles that turn on: turns = {phi = 1}.
--- Systems with forces of the time: stroboscope = 2*hm.pi, the period, in place of section and period. A rotation comes back as an attitude: its quaternion
--- may have the other sign. p.least: the period is proved to be the least one (true), or may be a multiple of that (nil). p.multipliers, p.stable.
--- p.rest: the orbit of a stroboscope is a state of rest (true), is none (false), or may be one (nil).
--- Source: Krawczyk 1969; validated integration as in S:enclosure.
--- Errors: as S:enclosure; a missing section, period or energy.
function System:prove_periodic(given)
  launched.demand_alone "prove_periodic"
  enclosed.demand_balls "prove_periodic"
  local o = options_of(self, given)
  enclosed.demand_formula(self, "prove_periodic")
  local section = o.section ~= nil and self:admit(o.section, "section", 1) or nil
  -- a section that is a coordinate or a velocity gives its value
  local reversed = {}
  for _, name in ipairs(o.reversal or {}) do reversed[tostring(name)] = true end
  local turned = {}
  for _, R in ipairs(self._rotations) do for _, e in ipairs(R.quaternion) do turned[e] = o.q[R.name] ~= nil end end
  for i, s in ipairs(self:coordinate_list()) do
    local name = self.coordinate_names[i]
    if section == s and not turned[s] and o.q[name] == nil then o.q[name] = o.at or 0 end
    if section == s.dot and o.v[name] == nil then o.v[name] = o.at or 0 end
    local list = reversed[name] and o.q or o.v
    if o.reversal and list[name] == nil and not turned[s] then list[name] = 0 end
  end
  local m = enclosed.new(self, o, "prove_periodic", 0.0, nil, o.stroboscope == nil)
  local start, parameters = m:start(core.ball("0", 2), o.bits)
  o.kept = kept_of(self, m, o, start, parameters)
  for i = #start, #start - #m.held + 1, -1 do start[i] = nil end
  local problem = problem_of(self, m, o, section)
  local n, states = #problem.kin, #m.E.kin
  if o.stroboscope ~= nil then
    table.insert(start, states + 1, core.ball("0", 2))
    start[#start + 1] = exact.ball(problem.shift[#problem.shift][2], "stroboscope", o.bits):midpoint()
    if start[#start]:positive() ~= true then fail("prove_periodic: stroboscope is %s, not a positive time", tostring(start[#start])) end
  else
    start[#start + 1] = exact.ball(o.reversal and o.period/2 or o.period, "period", o.bits)
  end
  demand_count(problem)
  put_signs(self, problem, start)
  local bits = o.bits
  local boxes = o.radius and orbit.same_radii(problem, o.radius, bits)
  local found = orbit.prove(problem, start, { bits = bits, order = o.order, radii = boxes, iterations = o.iterations })
  if not found.proved and not o.radius and o.iterations > 0 and not certificate_text.boxes(problem) and reasons.bits_help(found) then
    bits = 2*bits
    found = orbit.prove(problem, found.reason == "" and found.y or start, { bits = bits, order = o.order, iterations = o.iterations })
  end
  local result = { proved = found.proved, bits = bits, contraction = found.contraction, image = found.image, steps = found.steps, _problem = problem,
    _order = o.order, driven = o.stroboscope ~= nil or nil }
  if not found.proved then
    result.reason = reasons.text(problem, found, start, { bits = bits, order = o.order, radius = o.radius, iterations = o.iterations })
    return setmetatable(result, Proof.meta)
  end
  local centre, radii = {}, {}
  for i, x in ipairs(found.y) do centre[i] = x:midpoint():text(certificate_text.decimals(bits)) end
  local period, exactly = orbit.period(problem, found.y, bits)
  if exactly then found.y[#found.y] = period end
  result.q, result.v, result.radius, result.period = {}, {}, 0.0, period
  for _, x in ipairs(found.y) do result.radius = math.max(result.radius, x.radius) end
  for i, name in ipairs(self.coordinate_names) do result.q[name] = found.y[i] end
  local rates = m.E.from_velocities and {} or motion.of(self).names
  for i, name in ipairs(rates) do result.v[name] = found.y[n + i] end
  result.x = {}
  for i, s in ipairs(problem.kin) do result.x[core.text(s)] = found.y[i] end
  for i, s in ipairs(problem.dyn) do result.x[core.text(s)] = found.y[n + i] end
  result.advance = advances(self, problem, found)
  result._y = found.y
  for i, radius in ipairs(found.radii) do radii[i] = certificate_text.radius(radius) end
  result._text = { bits = bits, order = o.order or 0, centre = centre, radii = radii }
  return setmetatable(result, Proof.meta)
end

options.declare("prove_periodic", schema)

return { problem_of = problem_of }
