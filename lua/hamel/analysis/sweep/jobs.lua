-- jobs.lua: the runs of a sweep: initial values and parameters of run i, from the lists of `over` or the function `each`.
local attitude = require "hamel.bodies.attitude"
local compile = require "hamel.model.compile"
local core = require "hamel.core"
local fingerprint = require "hamel.run.fingerprint"
local levels = require "hamel.analysis.sweep.levels"
local object = require "hamel.base.object"
local options = require "hamel.base.options"
local protected = require "hamel.base.protected"
local rows = require "hamel.analysis.sweep.rows"
local simulate = require "hamel.run.simulate"
local symbols = require "hamel.algebra.symbols"

local fail = object.fail

local jobs = {}

local job_schema = {
  q = simulate.run_schema.q, v = simulate.run_schema.v, parameters = simulate.run_schema.parameters,
  label = { doc = "a label of the row, row.label; or a table of values by name, which become fields of the row" },
}

-- Of a name in `over`: a setter (q, v, parameters, value); its name in the rows: "q.x" and "v.x" for initial values, since "x" is a kept value,
-- the name of a parameter, or "parameters.name" where rows have a field of that name; a function that converts values with units; the name of the
-- parameter itself
local function target(system, name, reserved)
  local kind, rest = name:match "^([qv])%.(.+)$"
  local coordinate, parameter = rest or name:match "^(.-)'?$", name:match "^parameters%.(.+)$" or name
  if not kind and system._parameter[parameter] then
    return function(_, _, parameters, value) parameters[parameter] = value end,
      rows.is_field(parameter, reserved) and "parameters." .. parameter or parameter,
      function(value) return system:value_in_si(parameter, value, "sweep") end, parameter
  end
  if system._coordinate[coordinate] then
    local velocity = kind == "v" or (not kind and name:sub(-1) == "'")
    local letter = velocity and "v" or "q"
    return function(q, v, _, value) (velocity and v or q)[coordinate] = value end, letter .. "." .. coordinate,
      function(value) return system:by_name({ [coordinate] = value }, letter)[coordinate] end
  end
  local rate = system._defined[coordinate]
  if kind ~= "q" and rate and rate.level == 1 then
    return function(_, v, _, value) v[coordinate] = value end, "v." .. coordinate, function(value) return value end
  end
  local known = table.move(system.parameter_names, 1, #system.parameter_names, 1, {})
  table.move(system.coordinate_names, 1, #system.coordinate_names, #known + 1, known)
  fail("sweep: over: '%s' is neither a parameter nor a coordinate of %s%s", name, system.name, object.hint(name, known))
end

-- The name given, or that of a symbol: a parameter, a coordinate or its velocity
local function varied_name(given) return core.is_expression(given) and core.kind(given) == "symbol" and core.text(given) or given end

local function axes_of(system, over, reserved)
  local axes, total = {}, 1
  for i, item in ipairs(over) do
    local name = type(item) == "table" and varied_name(item[1])
    local level = type(item) == "table" and levels.of(system, name)
    if not (type(name) == "string" or level) or type(item[2]) ~= "table" or #item[2] == 0 then
      fail("sweep: over[%d] is {\"name\", {values}} with one value or more", i)
    end
    for key in pairs(item) do
      if key ~= 1 and key ~= 2 then fail("sweep: over[%d] is {\"name\", {values}}; '%s' means nothing there", i, tostring(key)) end
    end
    local values, set, label, in_si, parameter = {}
    if level then set, label, in_si = function() end, level.name, function(value) return value end
    else set, label, in_si, parameter = target(system, name, reserved) end
    for k, value in ipairs(item[2]) do
      values[k] = symbols.number(in_si(value))
      if not values[k] or values[k] ~= values[k] then fail("sweep: over: value %d of '%s' is %s, not a number", k, name, tostring(value)) end
      if parameter then compile.parameter_values(system, { [parameter] = values[k] }) end
    end
    for k = 1, i - 1 do if axes[k].name == label then fail("sweep: over has '%s' twice; give its values in one list", label) end end
    axes[i] = { name = label, values = values, set = set, level = level }
    total = total*#values
  end
  if #axes == 0 then fail("sweep: over is empty: over = { {\"m\", {1, 2, 3}} }") end
  if total > 1e8 then fail("sweep: %g runs are too many for one table; take parts of it", total) end
  return axes, total
end

-- In stock Lua an interrupt is an ordinary error, "interrupted!"; it must not become the reason of a failed start
function jobs.rethrow_interrupt(ok, message)
  if ok then return end
  if core.host.interrupted() then error("interrupted", 0) end
  if tostring(message):find("interrupted", 1, true) then error(message, 0) end
end

-- q, v, parameters of run i, and its row
local function job_by_each(system, o, i, kept, reserved)
  local fine, job = protected(o.each, i)
  jobs.rethrow_interrupt(fine, job)
  if not fine then fail("sweep: each(%d): %s", i, tostring(job)) end
  if type(job) ~= "table" then fail("sweep: each(%d) returned %s, not a table { q =, v =, parameters = }", i, type(job)) end
  options.check(("sweep: each(%d)"):format(i), job_schema, job)
  local q, v, parameters = object.copied(o.q), object.copied(o.v), object.copied(o.parameters)
  for into, from in pairs{ [q] = system:by_name(job.q, "q") or {}, [v] = system:by_name(job.v, "v") or {},
                           [parameters] = system:by_name(job.parameters, "parameters") or {} } do
    for name, value in pairs(from) do into[name] = value end
  end
  return q, v, parameters, rows.labelled(i, job.label, kept, reserved)
end

-- Conditions on starts: levels of axes, and those of `where`
local function conditions_of(system, o, axes)
  local list = {}
  for _, axis in ipairs(axes) do list[#list + 1] = axis.level and { name = axis.level.name, e = axis.level.e } or nil end
  for i, pair in ipairs(o.where or {}) do
    local value = type(pair) == "table" and symbols.number(pair[2] == nil and 0 or pair[2])
    if not value then fail("sweep: where[%d] is {expression, number}", i) end
    local e = system:check_expression(pair[1], ("where[%d]"):format(i), 1)
    list[#list + 1] = { name = core.text(e), e = e, value = value }
  end
  return list
end

local function check_branch(system, branch, conditions)
  for name, sign in pairs(branch or {}) do
    local names = levels.names(system)
    if not object.contains(names, name) then
      fail("sweep: branch: '%s' is %s of %s%s", tostring(name), #system._rotations > 0 and "neither a coordinate nor a body rate" or "not a coordinate",
        system.name, object.hint(tostring(name), names))
    end
    local value = symbols.number(sign)
    if not value or value ~= value or value == 0 then fail("sweep: branch.%s is the sign of a velocity, 1 or -1, not %s", name, tostring(sign)) end
    if #conditions == 0 then fail("sweep: branch.%s has no effect: no velocity is found from a level or from a condition in where", name) end
  end
end

-- What both `over` and q, v or parameters give: sentences
local function given_twice(o, axes)
  local notes = {}
  for _, axis in ipairs(axes) do
    local set = { q = {}, v = {}, parameters = {} }
    axis.set(set.q, set.v, set.parameters, axis.values[1])
    for _, where in ipairs{ "q", "v", "parameters" } do
      local name = next(set[where])
      if name and (o[where] or {})[name] ~= nil then
        notes[#notes + 1] = ("'%s' is given twice: the values of over are used, the one of %s is not"):format(axis.name, where)
      end
    end
  end
  return notes
end

--- Options with starts and parameters by name, of rotations with the body rates, so that the values of `over` can take the place of single ones.
function jobs.by_name(system, o)
  local named = object.copied(o)
  named.q, named.v = system:by_name(o.q, "q"), attitude.rates_by_name(system, system:by_name(o.v, "v"))
  named.parameters = system:by_name(o.parameters, "parameters")
  return named
end

-- A function i -> q, v, parameters, labels; the number of runs; names of the labels; notes. kept: names of the kept values; reserved: see rows.is_field
function jobs.of(system, o, kept, reserved)
  if o.each then
    check_branch(system, o.branch, {})
    if not o.n or o.over then fail("sweep: each goes with n, the number of runs, and without over") end
    return function(i) return job_by_each(system, o, i, kept, reserved) end, o.n, {}, {}
  end
  if not o.over or o.n then fail("sweep: the varied names are missing: give over = { {\"m\", {1, 2, 3}} }, or n = 100 with each = function(i) ... end") end
  local axes, total = axes_of(system, o.over, reserved)
  local names, conditions = {}, conditions_of(system, o, axes)
  check_branch(system, o.branch, conditions)
  for i, axis in ipairs(axes) do names[i] = axis.name end
  local t0 = type(o.t) == "table" and symbols.number(o.t[1]) or 0
  local find = #conditions > 0 and levels.finder(system, conditions, t0, o.branch)
  return function(i)
    local q, v, parameters, labels, rest = object.copied(o.q), object.copied(o.v), object.copied(o.parameters), rows.new(), i - 1
    for k = #axes, 1, -1 do
      local axis = axes[k]
      local value = axis.values[rest % #axis.values + 1]
      axis.set(q, v, parameters, value)
      labels[axis.name] = value
      rest = rest//#axis.values
    end
    -- a start without such a velocity is a row
    local late = find and function()
      local values = {}
      for k, c in ipairs(conditions) do values[k] = c.value or labels[c.name] end
      return find(q, v, parameters, values)
    end or nil
    return q, v, parameters, labels, late
  end, total, names, given_twice(o, axes)
end

local TRIED = 16

--- The coordinate whose velocity a level determines, of two velocities one, where `branch` does not choose it; nil: there is none.
function jobs.unchosen(system, o)
  if not o.over or o.branch then return nil end
  -- n of a chart is another one
  local job_of, total = jobs.of(system, jobs.by_name(system, { over = o.over, q = o.q, v = o.v, parameters = o.parameters, where = o.where, t = o.t }), {})
  for i = 1, math.min(total, TRIED) do
    local late = select(5, job_of(i))
    if not late then return nil end
    local fine, _, name = protected(late)
    if fine then return name end
  end
  return nil
end

-- A fingerprint of the initial values of a run: rows of `each` have it, so that a file of other runs is noticed
function jobs.inputs(q, v, parameters) return fingerprint.of{ q, v, parameters } end

-- q, v, parameters of run i, and its row; if `each` fails, only the row, with the reason
function jobs.made(self, o, job_of, i)
  if not o.each then
    local q, v, parameters, row, late = job_of(i)
    if not late then return q, v, parameters, row end
    local fine, velocities = protected(late)
    jobs.rethrow_interrupt(fine, velocities)
    if not fine then return nil, nil, nil, rows.did_not_start(self, row, i, velocities) end
    return q, velocities, parameters, row
  end
  local fine, q, v, parameters, row = protected(job_of, i)
  jobs.rethrow_interrupt(fine, q)
  if not fine then
    self._faults, self._fault = self._faults + 1, self._fault or q
    return nil, nil, nil, rows.did_not_start(self, {}, i, q)
  end
  row.index, row.inputs = i, jobs.inputs(q, v, parameters)
  return q, v, parameters, row
end

--- Some motions of a sweep, different ones from the first to the last: a list of { q, v, parameters } of those that can begin. Starts on levels are found.
function jobs.samples(system, settings, count)
  local fine, job_of, total = protected(jobs.of, system, jobs.by_name(system, settings), {})
  local list, before = {}, 0
  local function look_at(i)
    local made, q, v, parameters, _, late = protected(job_of, i)
    local found
    if made and late then made, found = protected(late) end
    if made then list[#list + 1] = { q = q, v = found or v, parameters = parameters } end
  end
  for k = 0, fine and count - 1 or -1 do
    local i = 1 + (total - 1)*k//(count - 1)
    if i > before then look_at(i) end
    before = i
  end
  return list
end

return jobs
