-- methods.lua: the methods of S:simulate: the steppers of the core and further methods, each with the options it takes.
--
-- A row: title; fixed: its steps have one size, the option `step`; contacts: it takes one-sided constraints and friction; refuses: a message
-- for each option that it does not take; check(system): further demands on the system; stands_for: the options that it abbreviates;
-- run(run, o, t0, t1, x): replaces the loop of the core; locates_impacts (false: no); steps_over_corners: its steps do not end where a force
-- changes its formula.
local contact = require "hamel.system.contact"
local core = require "hamel.core"
local discrete = require "hamel.model.discrete"
local object = require "hamel.base.object"
local redundant = require "hamel.model.redundant"

local fail = object.fail
local methods = {}

local function rubs_at(system, gap)
  for _, item in ipairs(system.frictions) do if item.normal == gap.name then return true end end
  return false
end

-- As hm.moreau takes it
local function restitution_text(law)
  local e = core.number_value(law.restitution)
  return e and object.number(e) or core.text(law.restitution)
end

-- The laws and rows of a gap that time stepping supports
local function check_time_stepping(system)
  if #system._rotations > 0 then
    fail("simulate: method 'moreau' moves coordinates by their velocities, and '%s' of %s is a rotation by a unit quaternion; take dop853, or turn its "
      .. "frame by three angles (N:rotate)", system._rotations[1].name, system.name)
  end
  if not contact.any(system) then fail("simulate: method 'moreau' is for one-sided constraints and friction; %s has none", system.name) end
  for _, gap in ipairs(system.gaps) do
    if gap.bound then fail("simulate: method 'moreau' does not support bounds on velocities; '%s' is one", gap.name) end
    if type(gap.law) == "function" or (gap.law.law ~= "newton" and gap.law.law ~= "moreau") then
      fail("simulate: method 'moreau' obeys the law hm.moreau(e), which is not that of '%s': S:set_law(\"%s\", hm.moreau(e))", gap.name, gap.name)
    end
    if gap.law.law == "newton" and rubs_at(system, gap) then
      fail("simulate: '%s' has the law %s, whose friction acts along the impact; method 'moreau' obeys hm.moreau(e), with friction after the impact: "
        .. "S:set_law(\"%s\", hm.moreau(%s))", gap.name, tostring(gap.law), gap.name, restitution_text(gap.law))
    end
    if #gap.rough + #gap.held > 0 then fail("simulate: method 'moreau' has no rough and no continuous velocities; '%s' has some", gap.name) end
  end
end

-- Method 'dla' steps coordinates, in which a quaternion does not stay on its sphere
local function check_discrete(system)
  if #system._rotations > 0 then
    fail("simulate: method 'dla' steps coordinates whose velocities are free, and '%s' of %s is a rotation by a unit quaternion; take "
      .. "gauss6, or turn its frame by three angles (N:rotate)", system._rotations[1].name, system.name)
  end
end

-- A multiplier of a redundant constraint is one of the unknowns of a step
local function demand_independent(run)
  if not run.redundant then return end
  fail("simulate: the equations of a step of the method 'dla' are singular, since %s %s redundant; leave %s out of the system, or take another method",
    redundant.text(run.redundant), #run.redundant == 1 and "is" or "are", #run.redundant == 1 and "it" or "them")
end

local own = {
  dla = {
    steps_over_corners = true,
    refuses = { events = "locates no events; read them off the run: run:section", form = "is a discrete form of its own; remove form = '%s'",
                elimination = "solves equations of its own, which are not corrected in quadruple precision; take gauss6, or remove elimination = '%s'" },
    check = check_discrete,
    run = function(run, o, t0, t1, x)
      demand_independent(run)
      core.discrete_run(run.workspace, discrete.map(run.system, o.parameters), o, t0, t1, x, run)
    end,
  },
  moreau = {
    locates_impacts = false,
    refuses = { refuse_several = "does not look for several motions; remove several, or method",
                events = "locates no events; remove events, or method" },
    check = check_time_stepping,
  },
  ["whole course"] = {
    title = "the form 'whole course' by dop853",
    stands_for = { form = "whole course", method = "dop853" },
    refuses = { form = "is a form of its own; remove form = '%s'" },
  },
}

--- The rows by name.
methods.rows = core.steppers()
for name, row in pairs(own) do
  local stepper = methods.rows[name] or {}
  row.title, row.fixed, row.contacts = row.title or stepper.title, stepper.fixed or false, stepper.contacts or false
  methods.rows[name] = row
end

-- Its series are of the equations of motion alone
methods.rows.taylor.without_directions = true
methods.rows.taylor.refuses = { elimination = "expands formulas in doubles, which are not corrected in quadruple precision; take method = \"dop853\", or "
  .. "remove elimination = '%s'" }

local function given(o, option)
  if option == "form" then return o.form ~= nil and o.form ~= "lagrange" end
  if option == "elimination" then return o.elimination == "refined" end
  return o[option]
end

-- Names of the rows with a property
local function names_with(property)
  local list = {}
  for _, name in ipairs(object.keys(methods.rows)) do if methods.rows[name][property] then list[#list + 1] = name end end
  return table.concat(list, ", ")
end

-- Names of the methods with steps of one size
local function fixed_names() return names_with "fixed" end
methods.fixed_names = fixed_names

--- The row of a method; raises with the nearest name and all there are.
function methods.find(name)
  return methods.rows[name] or fail("simulate: there is no method '%s'%s", tostring(name), object.known(name, object.keys(methods.rows)))
end

--- Does it run by equations of its own, not by those of the model?
function methods.has_own_run(name)
  local row = methods.rows[name]
  return row ~= nil and row.run ~= nil
end

--- Makes steps of one size?
function methods.is_fixed(name)
  local row = methods.rows[name]
  return row ~= nil and row.fixed or false
end

--- Does it find each impact? Where it does not, a step holds the work of its forces beside that of its impacts.
function methods.locates_impacts(name)
  local row = methods.rows[name]
  return not row or row.locates_impacts ~= false
end

--- Do runs have derivatives by their start: steps of a smooth method that end at impacts?
function methods.has_derivatives(name) return not methods.has_own_run(name) and methods.locates_impacts(name) end

--- Raises where runs by a method carry no directions along. what: the study; name: of the method, or nil; step: the size of its steps, 0: not given,
--- nil: the study makes none.
function methods.demand_directions(what, name, step)
  if name == nil then return end
  local row = methods.find(name)
  if not methods.has_derivatives(name) then fail("%s: derivatives of runs by '%s' are not defined; take dop853", what, name) end
  if row.fixed and step == nil then fail("%s: method '%s' makes steps of one size, along which this study carries no directions; take dop853", what, name) end
  if row.fixed and step == 0 then fail("%s: method '%s' makes steps of one size: give step, or take dop853", what, name) end
  if row.without_directions then fail("%s: method '%s' carries no directions along; take dop853", what, name) end
end

--- Raises where the forces of a model, compiled for runs, have corners and the method steps over them.
function methods.demand_smooth(name, spec)
  if methods.rows[name].steps_over_corners and spec.branches then
    fail("simulate: method '%s' steps over the places where a force changes its formula, here where %s changes its sign or its interval of data; "
      .. "take method = \"gauss4\", whose steps end there", name, spec.branches[1].text)
  end
end

-- An impact over a corner in velocities leads to another branch of the constraint, which runs with located impacts report
local function demand_no_corner(name, spec)
  if methods.locates_impacts(name) then return end
  local list = {}
  for g, kind in pairs(spec.passed_corners or {}) do if kind == "velocities" then list[#list + 1] = core.text(g) end end
  table.sort(list)
  if list[1] then
    fail("simulate: a constraint has a corner where %s = 0, and method '%s' does not locate where the motion passes it; take method = \"dop853\"",
      list[1], name)
  end
end

--- Raises where momenta, the energy or constraints may jump along a motion (spec: compiled for runs), or a constraint on velocities has a corner, and nothing
--- looks for that in the run.
function methods.demand_watched(name, spec)
  demand_no_corner(name, spec)
  local by = spec.unwatched and "the form 'whole course'" or spec.impulse and not methods.locates_impacts(name) and ("method '%s'"):format(name)
  if not by then return end
  fail("simulate: %s may jump along a motion, which takes an impulse, and %s does not look for that; take form = \"lagrange\" and method = \"dop853\"",
    (spec.unwatched or spec.impulse).first, by)
end

--- Puts the options in the place of a method that is short for them.
function methods.expand(o)
  local row = methods.find(o.method)
  if not row.stands_for then return end
  methods.refuse(o, row)
  for name, value in pairs(row.stands_for) do o[name] = value end
end

--- Raises for an option that the method does not take.
function methods.refuse(o, row)
  for _, option in ipairs(object.keys(row.refuses or {})) do
    if given(o, option) then fail("simulate: method '%s' " .. row.refuses[option], o.method, tostring(o[option])) end
  end
end

--- Raises where the method does not go with the options or with the system.
function methods.check(system, o)
  local row = methods.find(o.method)
  if row.stands_for then fail("simulate: method '%s' is %s: S:simulate takes it so; here give form and method", o.method, row.title) end
  methods.refuse(o, row)
  if row.fixed and o.step == 0 then fail("simulate: method '%s' makes fixed steps: give step = 0.001", o.method) end
  if not row.fixed and o.step > 0 then
    fail("simulate: step is for methods with fixed steps (%s); '%s' chooses its steps (max_step bounds them)", fixed_names(), o.method)
  end
  if contact.any(system) and not row.contacts then
    fail("simulate: method '%s' takes no one-sided constraints and no friction; %s has %s; take one of %s", o.method, system.name,
      contact.described(system), names_with "contacts")
  end
  if row.check then row.check(system) end
end

return methods
