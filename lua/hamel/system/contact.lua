-- contact.lua: one-sided constraints as their user states them: gaps with a law of impact, friction along slip velocities.
local affine = require "hamel.algebra.affine"
local core = require "hamel.core"
local laws = require "hamel.laws"
local linear = require "hamel.algebra.linear"
local object = require "hamel.base.object"
local options = require "hamel.base.options"
local System = require "hamel.system"

local fail = object.fail
local contact = {}

-- ---- declarations

local function free_name(system, name, method)
  if type(name) ~= "string" or name == "" then fail("S:%s(name, ...): the first argument is a name", method) end
  if tonumber(name) then fail("S:%s: a name cannot be a number: '%s'", method, name) end
  if name == "rough" or name == "continuous" then
    fail("S:%s: impact.impulses.%s holds impulses of another kind: choose another name than '%s'", method, name, name)
  end
  for kind, list in pairs{ constraint = system.constraints, ["one-sided constraint"] = system.gaps, friction = system.frictions } do
    if list[name] then fail("%s has already a %s '%s'; choose another name", system.name, kind, name) end
  end
end

local function any_nonzero(row)
  for _, e in ipairs(row) do if core.number_value(e) ~= 0 then return true end end
  return false
end

-- Velocity functions, linear in the velocities
local function velocity_list(system, list, what)
  if list == nil then return {} end
  if core.is_expression(list) then list = { list } end
  if type(list) ~= "table" then fail("%s is a list of velocities, such as {x.dot - r*phi.dot}", what) end
  local result, kept = {}, {}
  for i, e in ipairs(list) do
    kept[i] = system:admit(e, ("%s[%d]"):format(what, i), 1)
    result[i] = system:plain(kept[i])
    if not affine.is(result[i], system:every_velocity()) then fail("%s[%d] is not linear in the velocities", what, i) end
    if not any_nonzero(core.gradient(result[i], system:every_velocity())) then
      fail("%s[%d] = %s contains no velocity of %s", what, i, core.text(result[i]), system.name)
    end
  end
  if #system._rotations > 0 then result.given = kept end
  return result
end

local function check_law(law, name)
  if type(law) == "function" or (type(law) == "table" and getmetatable(law) == laws.Law.meta) then return law end
  fail("unilateral '%s': law is a law of impact: %s, or a function(impact)", name, laws.calls)
end

local gap_schema = {
  law = { doc = "law of impact: " .. laws.calls .. ", or function(impact) -> { normal =, rough = {} }" },
  rough = { type = "table", list = true, doc = "velocities at the contact that are reversed by an impact: f+ = -e_t f-" },
  continuous = { type = "table", list = true, doc = "velocities that an impact leaves as they are" },
  capture = { default = 0, from = 0, type = "number", doc = "normal speed after an impact below which contact persists" },
}

-- A bound on velocities has no law of impact: it is reached continuously
local function declare_bound(name, e, given)
  for key in pairs(given or {}) do
    if gap_schema[key] then fail("'%s' bounds a velocity: it has no %s; leave %s out", name, key == "law" and "law of impact" or "option " .. key, key) end
  end
  options.check("unilateral", gap_schema, given)
  return { name = name, gap = e, bound = true, law = laws.constructors.plastic(), capture = 0, rough = {}, held = {} }
end

-- A factor as a base and an exponent: abs(y) is y to the first, sign(y) to the power 0
local function power_of(e)
  local name = core.kind(e) == "call" and core.name(e)
  if name == "abs" or name == "sign" then
    local base, n = power_of(core.operands(e)[1])
    return base, name == "abs" and n or 0
  end
  if core.kind(e) ~= "power" then return e, 1 end
  local base, exponent = table.unpack(core.operands(e))
  local inner, n = power_of(base)
  local outer = core.number_value(exponent)
  return outer and inner or e, outer and n*outer or 1
end

-- A power of an expression other than the first, times a number, has no gradient where it vanishes, or an infinite one
local function refuse_power(name, gap)
  local base, sum
  for _, factor in ipairs(core.kind(gap) == "product" and core.operands(gap) or { gap }) do
    if not core.number_value(factor) then
      local b, n = power_of(factor)
      if base and b ~= base then return end
      base, sum = b, (sum or 0) + n
    end
  end
  if not sum or sum <= 0 or sum == 1 then return end
  fail("one-sided constraint '%s' = %s: its gradient %s where it closes, so that it has no velocity there; declare %s, or a gap that grows like the distance",
    name, core.text(gap), sum > 1 and "vanishes" or "is infinite", core.text(base))
end

--- Declares the one-sided constraint gap >= 0, gap an expression in coordinates and time:
--- S:unilateral("wall", q1, { law = hm.newton(1), rough = {f1}, continuous = {f2}, capture = 1e-6 }).
--- When the gap closes, an impact follows the law. Contact that persists has the reaction lambda.wall >= 0, + (d gap/dq) lambda: the normal force where the
--- gap is a distance, with a gradient of length 1. A friction pressed by "wall" takes lambda for it: over the gap 2*y it is half as strong.
--- rough: constraints on the surface, as in the text on one-sided constraints, (1.3) and (2.1). Contact that persists holds them at zero, with
--- the reactions rough.wall[i].
--- The gap grows like the distance where it closes: a power of it, such as y^3 or y*abs(y), is refused. It may have kinks, by hm.max, hm.abs or
--- linear data: a body that slides over one is struck or leaves the floor. A flight that ends on a kink stops the run: on an outer edge what follows
--- is not unique, and an inner corner is two gaps. A gap that jumps under a contact stops the run.
--- An expression with velocities is a bound on them, without options: S:unilateral("governor", 3 - x.dot), reaction lambda.governor >= 0 along
--- its derivatives by the velocities (Chetaev). Bounds go with method = "whole course" too, where a run stops if an impact would leave one.
function System:unilateral(name, gap, given)
  free_name(self, name, "unilateral")
  if given ~= nil and (type(given) ~= "table" or getmetatable(given) == laws.Law.meta) then
    fail("S:unilateral: the law of impact is an option: S:unilateral(\"%s\", gap, { law = hm.newton(0.5) })", name)
  end
  local kept = self:admit(gap, ("one-sided constraint '%s'"):format(name), 1)
  gap = self:plain(kept)
  local item
  if any_nonzero(core.gradient(gap, self:every_velocity())) then
    item = declare_bound(name, gap, given)
  else
    local o = options.check("unilateral", gap_schema, given)
    if not any_nonzero(core.gradient(gap, self:coordinate_list())) then
      fail("one-sided constraint '%s' = %s contains no coordinate of %s", name, core.text(gap), self.name)
    end
    refuse_power(name, gap)
    item = { name = name, gap = gap, law = check_law(o.law, name), capture = o.capture,
             rough = velocity_list(self, o.rough, "rough"), held = velocity_list(self, o.continuous, "continuous") }
  end
  item.given = kept ~= gap and kept or nil
  table.insert(self.gaps, item)
  self.gaps[name] = item
  self:changed()
  return self
end

--- Replaces the law of impact of a one-sided constraint: S:set_law("wall", hm.newton(0.5)), or a Lua function.
--- The function gets the impact { name, t, q, v, normal = velocity of the gap before, rough = velocities before } and returns the velocities after:
--- { normal =, rough = {} }.
function System:set_law(name, law)
  local item = self.gaps[name]
  if not item then fail("%s has no one-sided constraint '%s'%s", self.name, tostring(name), object.hint(tostring(name), contact.names(self.gaps))) end
  if item.bound then fail("'%s' bounds a velocity: it has no law of impact", name) end
  item.law = check_law(law, name)
  self:changed()
  return self
end

local friction_schema = {
  slip = { doc = "slip velocity, or a list of two" },
  spin = { doc = "angular velocity about the normal of a spot of contact, for the coupled law of Contensou; with radius and pressure" },
  radius = { doc = "radius of that spot" },
  pressure = { type = "string", choices = { "uniform", "hertz" }, doc = "over the spot: 'uniform' or 'hertz'" },
  normal = { doc = "normal force: an expression, or the name of the constraint whose reaction presses" },
  coefficient = { doc = "coefficient of friction in slip; two numbers for two directions (an ellipse)" },
  static = { doc = "coefficient in stick, or two; those of slip unless given" },
  cone = { type = "table", list = true, doc = "names of two-sided constraints whose reactions use the same friction" },
  regularised = { type = "string", choices = { "tanh", "stribeck" }, doc = "smooth law in place of slip and stick: 'tanh' or 'stribeck'" },
  velocity = { from = 0, type = "number", or_type = "userdata", doc = "slip at which a regularised law is half way to its full force" },
  stribeck = { from = 0, type = "number", or_type = "userdata", doc = "slip at which the static part of a Stribeck law has fallen to 1/e" },
}

local HALF = 0.5493061443340548        -- tanh of this is 1/2

-- mu N tanh(s/v0) against the slip, as a generalised force: an approximation that creeps where Coulomb's law sticks
local function add_regularised(system, name, o, slips)
  if type(o.normal) == "string" then fail("friction '%s': a regularised law needs its normal force as an expression", name) end
  if not o.velocity or o.velocity == 0 then fail("friction '%s': a regularised law needs velocity = ..., the slip of half its force", name) end
  local size = #slips == 1 and slips[1] or core.sqrt(slips[1]^2 + slips[2]^2 + o.velocity^2*1e-12)
  local mu = o.coefficient
  if o.regularised == "stribeck" then
    if not o.stribeck or o.stribeck == 0 then fail("friction '%s': a Stribeck law needs stribeck = ..., the slip where the static part has decayed", name) end
    mu = mu + (o.static - mu)*core.functions.exp(-(size/o.stribeck)^2)
  end
  local strength = -mu*o.normal*core.functions.tanh(size/(o.velocity/HALF))
  for _, q in ipairs(system:coordinate_list()) do
    local Q = {}
    for a, s in ipairs(slips) do
      local direction = #slips == 1 and 1 or slips[a]/size
      Q[a] = strength*direction*core.diff(s, q.dot)
    end
    Q = core.sum(Q)
    if core.number_value(Q) ~= 0 then system:force(q, Q) end
  end
end

-- A slip of a regularised law, a positive number or an expression of positive parameters
local function positive_speed(system, given, what)
  if not core.is_expression(given) then return given end
  local e = system:check_expression(given, what, 0)
  if not core.known_positive(e) then fail("%s: %s may be zero or negative: declare its parameters by S:positive", what, core.text(e)) end
  return e
end

-- Options of one kind of law given with another one
local function refuse_idle(o, what)
  for _, key in ipairs{ "velocity", "stribeck" } do
    if o[key] and not o.regularised then fail("%s: %s belongs to a regularised law; add regularised = \"%s\", or leave %s out", what, key,
      key == "velocity" and "tanh" or "stribeck", key) end
  end
  if o.stribeck and o.regularised == "tanh" then fail("%s: stribeck belongs to regularised = \"stribeck\"; leave it out for 'tanh'", what) end
  if o.static ~= nil and o.regularised == "tanh" then fail("%s: regularised = \"tanh\" does not use static; leave it out, or take \"stribeck\"", what) end
  if o.cone and o.regularised then fail("%s: a regularised law has no cone; leave cone out", what) end
end

-- One coefficient, or two for two directions: a list of expressions
local function coefficients(system, given, what, label, n_slips)
  local list = type(given) == "table" and not core.is_expression(given) and given or { given }
  if #list == 2 and n_slips ~= 2 then fail("%s: two numbers for %s need two directions of slip, not %d", what, label, n_slips) end
  if #list < 1 or #list > 2 then fail("%s: %s is a number, or two for two directions", what, label) end
  local result = {}
  for i, e in ipairs(list) do
    result[i] = system:check_expression(type(e) == "number" and core.number(e) or e, what .. " " .. label, 1)
    local number = options.number(result[i])
    if number and number < 0 then fail("%s: %s = %g is negative; a coefficient of friction is 0 or more", what, label, number) end
  end
  local one, other = options.number(result[1]), result[2] and options.number(result[2])
  if one and other and (one == 0) ~= (other == 0) then
    fail("%s: %s = {%g, %g} has one direction without friction; make both positive, or give slip the other direction alone", what, label, one, other)
  end
  return result
end

-- The set of reactions in stick holds that of slip: a friction at rest that holds less would let go and be caught again at once
local function refuse_weak_stick(mu, static, what)
  for i, e in ipairs(static) do
    local rest, slip = options.number(e), options.number(mu[i])
    if rest and slip and rest < slip then
      fail("%s: static = %s is below coefficient = %s; friction at rest holds at least as much as in slip: raise static, or leave it out", what,
        object.number(rest), object.number(slip))
    end
  end
end


-- The law of a friction: its name, and the data of a spot of contact
local function friction_law(system, o, what, n_coefficients)
  local spot = 0
  for _, key in ipairs{ "spin", "radius", "pressure" } do spot = spot + (o[key] ~= nil and 1 or 0) end
  if spot == 0 then return n_coefficients == 2 and "elliptic" or "coulomb" end
  if spot < 3 then fail("%s: spin needs radius = ... and pressure = \"uniform\" or \"hertz\"; give all three", what) end
  if n_coefficients == 2 then fail("%s: the law of a spot has one coefficient, not one for each direction", what) end
  local radius = system:check_expression(type(o.radius) == "number" and core.number(o.radius) or o.radius, what .. " radius", 0)
  local number = options.number(radius)
  if number and number <= 0 then fail("%s: radius = %g is not positive", what, number) end
  local spin = velocity_list(system, o.spin, what .. " spin")
  if #spin ~= 1 then fail("%s: spin is one angular velocity, not %d", what, #spin) end
  return o.pressure, spin, radius
end

-- A friction against velocities of which one follows from the others has no reactions of its own for each
local function refuse_dependent(system, slips, spins, what)
  local rows, texts = {}, {}
  for i, s in ipairs(slips) do rows[i], texts[i] = core.gradient(s, system:every_velocity()), core.text(s) end
  if #rows == 1 or linear.choose_columns(rows, #system.coordinate_names) then return end
  if #rows == 2 and not spins then
    fail("%s: its slips %s and %s are parallel; give one of them, or two at right angles", what, texts[1], texts[2])
  end
  fail("%s: its slips and its spin depend on each other: %s; the spin is about the normal, the slips are across it", what, table.concat(texts, ", "))
end

--- Dry friction against slip velocities (one, or the two components of one velocity in directions at right angles):
--- S:friction("slip", { slip = x.dot - r*w.dot, normal = N, coefficient = mu, static = mu_s, cone = {"roll y"} }). In slip the force is mu N
--- against the slip, in stick the slip is zero while the reaction stays within mu_s N, mu_s >= mu; the reaction is friction.slip in states and
--- runs. normal: an expression, or the name of the constraint that presses, two-sided or one-sided. The name takes its multiplier for the normal force:
--- right where the gap or the constraint is a distance, with a gradient of length 1; 2*y presses with half of the force. Every law is that of
--- greatest dissipation: coefficient = {mu1, mu2} in two directions is an ellipse of reactions; spin = w, radius = R, pressure = "hertz" or "uniform"
--- is the law of Contensou and Zhuravlev for a spot of contact, whose slip and spin share the friction (friction.slip is {z, spin = moment} then).
--- Rolling and pivoting friction are frictions against angular velocities, with a coefficient that is a length.
--- With a cone, |reaction|^2 + sum of the squares of the named reactions <= (mu N)^2: what those reactions leave is this friction's; a model of its
--- own, in which a named reaction need not vanish while this one slips.
--- regularised = "tanh" or "stribeck" with velocity = v0 is a smooth approximation, a force and no constraint.
function System:friction(name, given)
  free_name(self, name, "friction")
  local o = options.check("friction", friction_schema, given)
  local what = ("friction '%s'"):format(name)
  if o.slip == nil then fail("%s: slip is missing: slip = x.dot - r*phi.dot", what) end
  local slips = velocity_list(self, o.slip, what .. " slip")
  if #slips < 1 or #slips > 2 then fail("%s: slip has one or two directions, not %d", what, #slips) end
  if o.normal == nil then fail("%s: normal is missing: an expression, or the name of the constraint that presses", what) end
  if o.coefficient == nil then fail("%s: coefficient is missing", what) end
  local mu = coefficients(self, o.coefficient, what, "coefficient", #slips)
  local static = o.static == nil and mu or coefficients(self, o.static, what, "static", #slips)
  if #static < #mu then static = { static[1], static[1] } end
  if #mu < #static then mu = { mu[1], mu[1] } end
  refuse_weak_stick(mu, static, what)
  local law, spin, radius = friction_law(self, o, what, #mu)
  refuse_idle(o, what)
  if spin then
    slips[#slips + 1] = spin[1]
    if slips.given then slips.given[#slips.given + 1] = spin.given[1] end
  end
  refuse_dependent(self, slips, spin, what)
  if law ~= "coulomb" and o.cone then fail("%s: a cone shared with constraints goes with Coulomb's law and one coefficient only", what) end
  if type(o.normal) ~= "string" then
    o.normal = self:check_expression(type(o.normal) == "number" and core.number(o.normal) or o.normal, what .. " normal", 1)
  end
  if o.regularised then
    if law ~= "coulomb" then fail("%s: a regularised law has one coefficient and no spin", what) end
    o.coefficient, o.static = mu[1], static[1]
    o.velocity, o.stribeck = positive_speed(self, o.velocity, what .. " velocity"), positive_speed(self, o.stribeck, what .. " stribeck")
    add_regularised(self, name, o, slips)
    return self
  end
  local item = { name = name, slips = slips, normal = o.normal, law = law, coefficient = mu, static = static, radius = radius or false,
                 cone = o.cone or {} }
  table.insert(self.frictions, item)
  self.frictions[name] = item
  self:changed()
  return self
end

--- Names of a list of declared items, in order.
function contact.names(list)
  local names = {}
  for i, item in ipairs(list) do names[i] = item.name end
  return names
end

--- Has the system one-sided constraints?
function contact.any(system) return #system.gaps > 0 or #system.frictions > 0 end

local function counted(kind, list) return ("the %s%s %s"):format(kind, #list > 1 and "s" or "", object.quoted(contact.names(list))) end

--- For refusals: "the one-sided constraint 'floor' and the friction 'rub'".
function contact.described(system)
  local parts = {}
  if #system.gaps > 0 then parts[1] = counted("one-sided constraint", system.gaps) end
  if #system.frictions > 0 then parts[#parts + 1] = counted("friction", system.frictions) end
  return table.concat(parts, " and ")
end

options.declare("unilateral", gap_schema)
options.declare("friction", friction_schema)

return contact
