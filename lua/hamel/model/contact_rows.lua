-- contact_rows.lua: gaps and slips as rows of velocities for the core, and the values of those rows by name.
local contact = require "hamel.system.contact"
local core = require "hamel.core"
local kinematics = require "hamel.equations.kinematics"
local motion = require "hamel.bodies.motion"
local object = require "hamel.base.object"
local options = require "hamel.base.options"
local symbols = require "hamel.algebra.symbols"

local fail = object.fail
local contact_rows = {}

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
--- tangents (counts), reactions (symbols, gaps then slips). whole: the whole-course record; its wall is no contact then, and bounds and slips
--- are expressed in its states.
function contact_rows.spec(system, whole)
  local q, v = system:coordinate_list(), system:every_velocity()
  local spec = { gaps = {}, frictions = {}, velocities = {}, rows = {}, drifts = {}, reactions = {}, slips = 0, tangents = 0 }
  refuse_rough_with_friction(system)
  local turning = #system._rotations > 0 and motion.of(system)
  -- f as it was declared, with the rates and cosines of rotations
  local function in_base(f)
    local kept = motion.in_base(system, f)
    return motion.numbers(system, kept), motion.numbers(system, motion.directional(turning, { kept }, true)[1])
  end
  -- other expressions of contacts, in the same velocities
  local function value(e) return turning and e and motion.numbers(system, motion.in_base(system, e)) or e end
  local function add(f)
    local drift
    if turning then f, drift = in_base(f) else drift = kinematics.drift({ f }, q, v)[1] end
    local row = core.gradient(f, turning and turning.base or v)
    if whole then
      for i, e in ipairs(row) do row[i] = whole.insert(e) end
      drift, f = whole.insert(drift) + kinematics.dot(row, whole.drift), whole.insert(f)
      local along = {}
      for s, column in ipairs(whole.columns) do along[s] = kinematics.dot(row, column) end
      row = along
    end
    spec.velocities[#spec.velocities + 1] = f
    table.move(row, 1, #row, #spec.rows + 1, spec.rows)
    spec.drifts[#spec.drifts + 1] = drift
    spec.reactions[#spec.reactions + 1] = core.symbol("reaction" .. #spec.drifts, symbols.EXTERNAL)
  end
  local gaps = {}
  for _, gap in ipairs(system.gaps) do if gap.bound or not whole then gaps[#gaps + 1] = gap end end
  local function rate(e) return turning and motion.directional(turning, { e }, true)[1] or kinematics.drift({ e }, q, v)[1] end
  for _, gap in ipairs(gaps) do add(gap.bound and (gap.given or gap.gap) or rate(gap.given or gap.gap)) end
  for j, item in ipairs(system.frictions) do
    local kind, index, normal = pressing(system, item)
    if whole and kind == "gap" then fail("friction '%s' is pressed by '%s': the whole-course description has no contact there", item.name, item.normal) end
    normal = whole and normal and whole.insert(normal) or value(normal)
    local function inserted(list)
      local result = {}
      for i, e in ipairs(list) do result[i] = whole and whole.insert(e) or value(e) end
      return result
    end
    spec.frictions[j] = { name = item.name, first = spec.slips, count = #item.slips, kind = kind, index = index, normal = normal, law = item.law,
                          coefficient = inserted(item.coefficient), static = inserted(item.static), radius = item.radius and inserted{ item.radius }[1] or nil,
                          cone = cone_of(system, item) }
    for _, s in ipairs(item.slips.given or item.slips) do add(s) end
    spec.slips = spec.slips + #item.slips
  end
  for i, gap in ipairs(gaps) do
    local by_user = type(gap.law) == "function"
    local e = whole and whole.insert(gap.gap) or gap.bound and value(gap.given or gap.gap) or gap.gap
    spec.gaps[i] = { name = gap.name, gap = e, level = gap.bound and 1 or 0, law = by_user and "user" or gap.law.law,
                     restitution = by_user and core.number(0) or value(core.number(gap.law.restitution)),
                     tangential = by_user and core.number(0) or value(core.number(gap.law.tangential)), capture = gap.capture,
                     rough = spec.tangents, n_rough = #gap.rough, held = spec.tangents + #gap.rough, n_held = #gap.held }
    for _, list in ipairs{ gap.rough, gap.held } do
      for _, f in ipairs(list.given or list) do add(f) end
      spec.tangents = spec.tangents + #list
    end
  end
  return spec
end

--- The suffix of the name of a friction for each of its rows: "", or "[1]", "[2]" for two directions, ".spin" for the moment of a spot.
function contact_rows.suffixes(item)
  local list, slips = {}, item.count - (item.radius and 1 or 0)
  for a = 1, slips do list[a] = slips > 1 and ("[%d]"):format(a) or "" end
  if item.radius then list[item.count] = ".spin" end
  return list
end

-- Values of consecutive rows: a number, or a list with the moment of a spin by name
local function of_rows(values, first, count, spin)
  if count == 1 then return values[first] end
  local list = { table.unpack(values, first, first + count - 1 - (spin and 1 or 0)) }
  if spin then list.spin = values[first + count - 1] end
  return list
end

--- Values of the rows of a spec by name: gaps, frictions, rough and continuous rows (tables of lists by gap).
function contact_rows.by_name(system, spec, values)
  local gaps, frictions, rough, held, place = {}, {}, {}, {}, #spec.gaps
  for i, gap in ipairs(spec.gaps) do gaps[gap.name] = values[i] end
  for _, item in ipairs(spec.frictions) do
    frictions[item.name] = of_rows(values, place + 1, item.count, item.radius)
    place = place + item.count
  end
  for _, gap in ipairs(#spec.gaps > 0 and system.gaps or {}) do
    for _, into in ipairs{ { gap.rough, rough }, { gap.held, held } } do
      if #into[1] > 0 then into[2][gap.name] = { table.unpack(values, place + 1, place + #into[1]) } end
      place = place + #into[1]
    end
  end
  return gaps, frictions, rough, held
end

--- The user's laws as one function of the core: (gap, t, x, normal, rough) -> wanted normal, { wanted rough }.
function contact_rows.law_function(system, velocities_of)
  local names = system.coordinate_names
  return function(index, t, x, normal, rough)
    local item, q, v, rates = system.gaps[index], {}, {}, velocities_of(x)
    for i, name in ipairs(names) do q[name], v[name] = x[i], rates[i] end
    local answer = item.law{ name = item.name, t = t, q = q, v = v, normal = normal, rough = rough }
    local wanted_normal = type(answer) == "table" and options.returned(answer.normal)
    if not wanted_normal then
      fail("the law of '%s' returned %s: a table { normal = number, rough = {...} } is needed", item.name,
        type(answer) == "table" and "a table without a number 'normal'" or type(answer))
    end
    for key in pairs(answer) do
      if key ~= "normal" and key ~= "rough" then
        fail("the law of '%s' returned '%s', which means nothing there: it returns { normal = number, rough = {...} }", item.name, tostring(key))
      end
    end
    local given, wanted = answer.rough or {}, {}
    if #given ~= #rough then fail("the law of '%s' returned %d rough velocities, not %d", item.name, #given, #rough) end
    for i, velocity in ipairs(given) do
      wanted[i] = options.returned(velocity)
        or fail("the law of '%s' returned %s as rough velocity %d: a number is needed", item.name, tostring(velocity), i)
    end
    return wanted_normal, wanted
  end
end

return contact_rows
