-- contact.lua: one-sided constraints as their user states them: gaps with a law of impact, friction along slip velocities.
local core = require "hamel.core"
local kinematics = require "hamel.kinematics"
local laws = require "hamel.laws"
local object = require "hamel.object"
local options = require "hamel.options"
local symbols = require "hamel.symbols"
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

local function is_linear(e, v)
  for _, row in ipairs(core.gradient(e, v)) do
    for _, second in ipairs(core.gradient(row, v)) do
      if second:is_zero() == false then return false end
    end
  end
  return true
end

-- Velocity functions, linear in the velocities
local function velocity_list(system, list, what)
  if list == nil then return {} end
  if core.is_expression(list) then list = { list } end
  if type(list) ~= "table" then fail("%s is a list of velocities, such as {x.dot - r*phi.dot}", what) end
  local result = {}
  for i, e in ipairs(list) do
    result[i] = system:check_expression(e, ("%s[%d]"):format(what, i), 1)
    if not is_linear(result[i], system:velocity_list()) then fail("%s[%d] is not linear in the velocities", what, i) end
  end
  return result
end

local function check_law(law, name)
  if type(law) == "function" or (type(law) == "table" and getmetatable(law) == laws.Law.meta) then return law end
  fail("unilateral '%s': law is a law of impact, such as law = hm.newton(1), hm.plastic(), or a function(impact)", name)
end

local gap_schema = {
  law = { doc = "law of impact: hm.newton(e), hm.poisson(e), hm.stronge(e), hm.plastic(), or function(impact) -> { normal =, rough = {} }" },
  rough = { type = "table", list = true, doc = "velocities at the contact that are reversed by an impact: f+ = -e_t f-" },
  continuous = { type = "table", list = true, doc = "velocities that an impact leaves as they are" },
  capture = { default = 0, from = 0, type = "number", doc = "normal speed after an impact below which contact persists" },
}

--- Declares the one-sided constraint gap >= 0, gap an expression in coordinates and time:
--- S:unilateral("wall", q1, { law = hm.newton(1), rough = {f1}, continuous = {f2}, capture = 1e-6 }).
--- Where the gap closes an impact follows the law; contact that persists has the reaction lambda.wall >= 0, + (d gap/dq) lambda.
--- rough: the constraints on the surface of the text on one-sided constraints, (1.3) and (2.1).
function System:unilateral(name, gap, given)
  free_name(self, name, "unilateral")
  gap = self:check_expression(gap, ("one-sided constraint '%s'"):format(name), 0)
  local o = options.check("unilateral", gap_schema, given)
  local row = core.gradient(gap, self:coordinate_list())
  local moves = false
  for _, e in ipairs(row) do moves = moves or core.number_value(e) ~= 0 end
  if not moves then fail("one-sided constraint '%s' = %s contains no coordinate of %s", name, core.text(gap), self.name) end
  local item = { name = name, gap = gap, law = check_law(o.law, name), capture = o.capture,
                 rough = velocity_list(self, o.rough, "rough"), held = velocity_list(self, o.continuous, "continuous") }
  table.insert(self.gaps, item)
  self.gaps[name] = item
  self:changed()
  return self
end

--- Replaces the law of impact of a one-sided constraint: S:set_law("wall", hm.newton(0.5)), or a function of the impact
--- { name, t, q, v, normal = velocity of the gap before, rough = velocities before } that returns those after: { normal =, rough = {} }.
function System:set_law(name, law)
  local item = self.gaps[name]
  if not item then fail("%s has no one-sided constraint '%s'%s", self.name, tostring(name), object.hint(tostring(name), contact.names(self.gaps))) end
  item.law = check_law(law, name)
  self:changed()
  return self
end

local friction_schema = {
  slip = { doc = "slip velocity, or a list of two" },
  normal = { doc = "normal force: an expression, or the name of the constraint whose reaction presses" },
  coefficient = { doc = "coefficient of friction in slip" },
  static = { doc = "coefficient in stick; that of slip unless given" },
  cone = { type = "table", list = true, doc = "names of two-sided constraints whose reactions use the same friction" },
  regularised = { type = "string", doc = "smooth law in place of slip and stick: 'tanh' or 'stribeck'" },
  velocity = { from = 0, type = "number", doc = "slip at which a regularised law is half way to its full force" },
  stribeck = { from = 0, type = "number", doc = "slip at which the static part of a Stribeck law has fallen to 1/e" },
}

local HALF = 0.5493061443340548        -- tanh of this is 1/2

-- mu N tanh(s/v0) against the slip, as a generalised force: an approximation that creeps where Coulomb's law sticks
local function add_regularised(system, name, o, slips)
  if type(o.normal) == "string" then fail("friction '%s': a regularised law needs its normal force as an expression", name) end
  if not o.velocity or o.velocity == 0 then fail("friction '%s': a regularised law needs velocity = ..., the slip of half its force", name) end
  if o.regularised ~= "tanh" and o.regularised ~= "stribeck" then
    fail("friction '%s': regularised = '%s' is neither 'tanh' nor 'stribeck'", name, o.regularised)
  end
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

--- Dry friction against slip velocities (one, or two in directions at right angles): S:friction("slip", { slip = x.dot - r*w.dot,
--- normal = N, coefficient = mu, static = mu_s, cone = {"roll y"} }). In slip the force is mu N against the slip, in stick the slip is
--- zero while the reaction stays within mu_s N; the reaction is friction.slip in states and runs. normal: an expression, or the name of a
--- two-sided or one-sided constraint. With a cone, |reaction|^2 + sum of the squares of the named reactions <= (mu N)^2.
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
  local function value(e, label) return self:check_expression(type(e) == "number" and core.number(e) or e, what .. " " .. label, 1) end
  o.coefficient = value(o.coefficient, "coefficient")
  o.static = o.static == nil and o.coefficient or value(o.static, "static")
  for _, label in ipairs{ "coefficient", "static" } do
    local number = core.number_value(o[label])
    if number and number < 0 then fail("%s: %s = %g is negative", what, label, number) end
  end
  if type(o.normal) ~= "string" then o.normal = value(o.normal, "normal") end
  if o.regularised then
    add_regularised(self, name, o, slips)
    return self
  end
  local item = { name = name, slips = slips, normal = o.normal, coefficient = o.coefficient, static = o.static, cone = o.cone or {} }
  table.insert(self.frictions, item)
  self.frictions[name] = item
  self:changed()
  return self
end

-- ---- what the core needs

--- Names of a list of declared items, in order.
function contact.names(list)
  local names = {}
  for i, item in ipairs(list) do names[i] = item.name end
  return names
end

--- Has the system one-sided constraints?
function contact.any(system) return #system.gaps > 0 or #system.frictions > 0 end

local function constraint_index(system, name)
  for i, c in ipairs(system.constraints) do if c.name == name then return i - 1 end end
end

-- Who presses: kind, index, expression
local function pressing(system, item)
  if type(item.normal) ~= "string" then return "expression", 0, item.normal end
  for i, gap in ipairs(system.gaps) do if gap.name == item.normal then return "gap", i - 1 end end
  local index = constraint_index(system, item.normal)
  if index then return "multiplier", index end
  local known = contact.names(system.gaps)
  for _, c in ipairs(system.constraints) do known[#known + 1] = c.name end
  fail("friction '%s': normal = \"%s\" is no constraint of %s%s", item.name, item.normal, system.name, object.hint(item.normal, known))
end

local function cone_of(system, item)
  local list = {}
  for k, name in ipairs(item.cone) do
    list[k] = constraint_index(system, name)
    if not list[k] then fail("friction '%s': cone: there is no two-sided constraint '%s' in %s", item.name, tostring(name), system.name) end
  end
  return list
end

local function refuse_rough_with_friction(system)
  for _, item in ipairs(system.frictions) do
    local gap = type(item.normal) == "string" and system.gaps[item.normal]
    if gap and #gap.rough > 0 then
      fail("'%s' is rough and pressed for friction '%s': an impact would have two tangential laws; drop one", gap.name, item.name)
    end
  end
end

--- Gaps, slips and their rows for the core, with symbols for the reactions: fields gaps, frictions, velocities, rows, drifts, slips,
--- tangents (counts), reactions (symbols, gaps then slips). whole: the whole-course record; gaps are no contacts then, and slips are
--- expressed in its states.
function contact.spec(system, whole)
  local q, v = system:coordinate_list(), system:velocity_list()
  local spec = { gaps = {}, frictions = {}, velocities = {}, rows = {}, drifts = {}, reactions = {}, slips = 0, tangents = 0 }
  refuse_rough_with_friction(system)
  local function add(f, with_drift)
    local row, drift = core.gradient(f, v), kinematics.drift({ f }, q, v)[1]
    if whole then
      for i, e in ipairs(row) do row[i] = whole.insert(e) end
      drift, f = whole.insert(drift) + kinematics.dot(row, whole.drift), whole.insert(f)
      local along = {}
      for s, column in ipairs(whole.columns) do along[s] = kinematics.dot(row, column) end
      row = along
    end
    spec.velocities[#spec.velocities + 1] = f
    table.move(row, 1, #row, #spec.rows + 1, spec.rows)
    if with_drift then
      spec.drifts[#spec.drifts + 1] = drift
      spec.reactions[#spec.reactions + 1] = core.symbol("reaction" .. #spec.drifts, symbols.EXTERNAL)
    end
  end
  local gaps = whole and {} or system.gaps
  for _, gap in ipairs(gaps) do add(kinematics.drift({ gap.gap }, q, v)[1], true) end
  for j, item in ipairs(system.frictions) do
    local kind, index, normal = pressing(system, item)
    if whole and kind == "gap" then fail("friction '%s' is pressed by '%s': the whole-course description has no contact there", item.name, item.normal) end
    if whole and normal then normal = whole.insert(normal) end
    spec.frictions[j] = { name = item.name, first = spec.slips, count = #item.slips, kind = kind, index = index, normal = normal,
                          coefficient = whole and whole.insert(item.coefficient) or item.coefficient,
                          static = whole and whole.insert(item.static) or item.static, cone = cone_of(system, item) }
    for _, s in ipairs(item.slips) do add(s, true) end
    spec.slips = spec.slips + #item.slips
  end
  for i, gap in ipairs(gaps) do
    local by_user = type(gap.law) == "function"
    spec.gaps[i] = { name = gap.name, gap = gap.gap, law = by_user and "user" or gap.law.law, restitution = by_user and 0 or gap.law.restitution,
                     tangential = by_user and 0 or gap.law.tangential, capture = gap.capture, rough = spec.tangents, n_rough = #gap.rough,
                     held = spec.tangents + #gap.rough, n_held = #gap.held }
    for _, list in ipairs{ gap.rough, gap.held } do
      for _, f in ipairs(list) do add(f, false) end
      spec.tangents = spec.tangents + #list
    end
  end
  return spec
end

--- The user's laws as one function of the core: (gap, t, x, normal, rough) -> wanted normal, { wanted rough }.
function contact.law_function(system, velocities_of)
  local names = system.coordinate_names
  return function(index, t, x, normal, rough)
    local item, q, v, rates = system.gaps[index], {}, {}, velocities_of(x)
    for i, name in ipairs(names) do q[name], v[name] = x[i], rates[i] end
    local answer = item.law{ name = item.name, t = t, q = q, v = v, normal = normal, rough = rough }
    if type(answer) ~= "table" or type(answer.normal) ~= "number" then
      fail("the law of '%s' returned %s: a table { normal = number, rough = {...} } is needed", item.name,
        type(answer) == "table" and "a table without a number 'normal'" or type(answer))
    end
    for key in pairs(answer) do
      if key ~= "normal" and key ~= "rough" then
        fail("the law of '%s' returned '%s', which means nothing there: it returns { normal = number, rough = {...} }", item.name, tostring(key))
      end
    end
    local wanted = answer.rough or {}
    if #wanted ~= #rough then fail("the law of '%s' returned %d rough velocities, not %d", item.name, #wanted, #rough) end
    return answer.normal, wanted
  end
end

options.declare("unilateral", gap_schema)
options.declare("friction", friction_schema)

return contact
