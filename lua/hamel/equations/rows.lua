-- rows.lua: the printed rows of equations: each side in a short form, divided by the common factors of both sides, without a leading
-- minus. The rows of the form itself do not change.
local core = require "hamel.core"
local object = require "hamel.base.object"
local unit_quaternion = require "hamel.algebra.unit_quaternion"

local rows = {}

local LARGE, EASY = 2000, 60           -- nodes beyond which a side is not collected as well; nodes up to which it is done at once

-- possible divisors of a row: numbers, and powers of parameters declared positive. A sum of such, C + m r^2, is kept: it is an inertia.

local function gcd(a, b)
  while b ~= 0 do a, b = b, a % b end
  return math.abs(a)
end

-- The number n/d, whole numbers; nil for an inexact or long one
local function fraction(e)
  local n, d = core.text(e):match "^%-?(%d+)/?(%d*)$"
  n, d = math.tointeger(tonumber(n)), d == "" and 1 or math.tointeger(tonumber(d))
  if n and d then return n, d end
end

-- Powers that two contents share
local function shared(a, b)
  local both = { n = gcd(a.n, b.n), d = gcd(a.d, b.d), powers = {} }
  for base, k in pairs(a.powers) do
    local other = b.powers[base]
    if other and (other > 0) == (k > 0) then both.powers[base] = k > 0 and math.min(k, other) or math.max(k, other) end
  end
  return both
end

local content

local function content_of_factor(e, into, times)
  local kind = core.kind(e)
  if kind == "number" then
    local n, d = fraction(e)
    if n then into.n, into.d = into.n*n, into.d*d end
  elseif kind == "power" then
    local base, k = table.unpack(core.operands(e))
    k = core.number_value(k)
    if k and math.tointeger(k) and core.kind(base) == "symbol" and core.known_positive(base) then
      into.powers[base] = (into.powers[base] or 0) + times*math.tointeger(k)
    end
  elseif kind == "symbol" and core.known_positive(e) then
    into.powers[e] = (into.powers[e] or 0) + times
  elseif kind == "sum" then
    for base, k in pairs(content(e).powers) do into.powers[base] = (into.powers[base] or 0) + times*k end
  end
end

-- { n, d, powers }: |e| is n/d times the powers of positive parameters times the rest; nil for zero
function content(e)
  local kind, value = core.kind(e), core.number_value(e)
  if value == 0 then return nil end
  local own = { n = 1, d = 1, powers = {} }
  if kind == "sum" then
    local first = true
    for _, term in ipairs(core.operands(e)) do
      local one = content(term)        -- nil for an inexact zero
      if one then own, first = first and one or shared(own, one), false end
    end
  else
    for _, factor in ipairs(kind == "product" and core.operands(e) or { e }) do content_of_factor(factor, own, 1) end
  end
  return own
end

-- e divided by a part of its content, which is removed from `part`
local function divided(e, part)
  local kind = core.kind(e)
  if kind == "sum" then
    local terms = {}
    for i, term in ipairs(core.operands(e)) do
      local copy = { n = part.n, d = part.d, powers = {} }
      for base, k in pairs(part.powers) do copy.powers[base] = k end
      terms[i] = divided(term, copy)
    end
    part.powers = {}
    return core.sum(terms)
  end
  local factors, left = kind == "product" and core.operands(e) or { e }, {}
  for i, factor in ipairs(factors) do left[i] = factor end
  for i, factor in ipairs(factors) do
    local base, k = factor, 1
    if core.kind(factor) == "power" then
      base, k = table.unpack(core.operands(factor))
      k = math.tointeger(core.number_value(k) or 0.5) or 0
    end
    local wanted = part.powers[base]
    if wanted and k ~= 0 and (wanted > 0) == (k > 0) then
      local taken = k > 0 and math.min(k, wanted) or math.max(k, wanted)
      left[i] = base^(k - taken)
      part.powers[base] = wanted ~= taken and wanted - taken or nil
    end
  end
  for i, factor in ipairs(left) do
    if next(part.powers) and core.kind(factor) == "sum" then
      local inner, here = content(factor), { n = 1, d = 1, powers = {} }
      for base, wanted in pairs(part.powers) do
        local has = inner.powers[base]
        if has and (has > 0) == (wanted > 0) then
          here.powers[base] = has > 0 and math.min(has, wanted) or math.max(has, wanted)
          part.powers[base] = wanted ~= here.powers[base] and wanted - here.powers[base] or nil
        end
      end
      if next(here.powers) then left[i] = divided(factor, here) end
    end
  end
  left[#left + 1] = core.rational(part.d, part.n)
  return core.product(left)
end

-- ---- signs

local function opposite(e)
  if core.kind(e) ~= "sum" then return -e end
  local terms = {}
  for i, term in ipairs(core.operands(e)) do terms[i] = -term end
  return core.sum(terms)
end

local function is_negative(e) return core.text(e):sub(1, 1) == "-" end

-- Does the highest derivative of a side have a minus?
local function leads_negative(e)
  if core.kind(e) ~= "sum" then return is_negative(e) end
  local first
  for _, term in ipairs(core.operands(e)) do if not first or core.compare(term, first) < 0 then first = term end end
  return is_negative(first)
end

-- Both sides divided by the factors they share and turned so that the left one leads without a minus
local function tidy(row)
  local left, right = content(row.left), content(row.right)
  if not left then return row end
  local common = right and shared(left, right) or left
  if common.n ~= 1 or common.d ~= 1 or next(common.powers) then
    local function part()
      local powers = {}
      for base, k in pairs(common.powers) do powers[base] = k end
      return { n = common.n, d = common.d, powers = powers }
    end
    row.left = divided(row.left, part())
    if right then row.right = divided(row.right, part()) end
  end
  if leads_negative(row.left) then row.left, row.right = opposite(row.left), opposite(row.right) end
  return row
end

-- ---- all rows of an object, within a time

-- Why a side stayed as derived, in the order met, with the rows
local function noter()
  local notes = {}
  return notes, function(name, reason)
    for _, note in ipairs(notes) do
      if note.reason == reason then
        if not object.contains(note.rows, name) then table.insert(note.rows, name) end
        return
      end
    end
    notes[#notes + 1] = { reason = reason, rows = { name } }
  end
end

-- How the attitude follows the rates of each rotation: the rows of the direction cosines that occur, Rzx' = ..., where they are those of one
-- axis; nothing where none occurs; else the quaternion
local function attitude_rows(E, shown)
  local seen, result = {}, {}
  for _, row in ipairs(shown) do
    for _, s in ipairs(core.symbols{ row.left, row.right }) do seen[s] = true end
  end
  for _, R in ipairs(E.system._rotations) do
    local axes, places = 0, nil
    for i = 1, 9, 3 do
      if seen[R.cosine_list[i]] or seen[R.cosine_list[i + 1]] or seen[R.cosine_list[i + 2]] then axes, places = axes + 1, i end
    end
    local left, right = R.quaternion, R.quaternion_rates
    if axes == 1 then
      left, right = table.move(R.cosine_list, places, places + 2, 1, {}), table.move(R.cosine_rate_list, places, places + 2, 1, {})
    end
    for i = 1, axes == 0 and 0 or #left do result[#result + 1] = { name = "", left = left[i].dot, right = right[i], of = "rate" } end
  end
  return result
end

-- The sizes abs(u) that vanish where a contact ends, and u: a motion stays on one side of that place, and equations are printed for the side u > 0
local function one_sided(system)
  local sizes, values = {}, {}
  for _, touch in ipairs(system:_contacts_of_bodies()) do
    local size = touch.watch and core.tree_size(touch.watch.expression) <= LARGE and core.simplify(touch.watch.expression)
    if size and core.kind(size) == "call" and core.name(size) == "abs" and not object.contains(sizes, size) then
      sizes[#sizes + 1], values[#values + 1] = size, core.operands(size)[1]
    end
  end
  return sizes, values
end

-- The row on the sides u > 0, with its sides as they were in row.whole; true where they differ
local function on_one_side(row, sizes, values)
  local left, right = core.substitute(row.left, sizes, values), core.substitute(row.right, sizes, values)
  if left == row.left and right == row.right then return false end
  row.whole = { left = row.left, right = row.right }
  row.left, row.right = core.simplify(left), core.simplify(right)
  return true
end

--- The rows of equations as derived: list of { name, left, right, of = "equation", "rate" or "constraint" }.
function rows.derived(E)
  local list = {}
  for i, row in ipairs(E.rows) do list[i] = { name = row.name, left = row.left, right = row.right, of = "equation" } end
  for _, row in ipairs(E.kinematic or {}) do list[#list + 1] = { name = "", left = row.left, right = row.right, of = "rate" } end
  if not E.kinematic then
    for _, c in ipairs(E.system.constraints) do
      list[#list + 1] = { name = c.name, left = c.given or c.f, right = core.rational(0), of = "constraint" }
    end
  end
  return list
end

--- The rows of equations in their printed form: list of { name, left, right, constraint, whole = { left, right } }, what could not be simplified: list of
--- { reason, rows = names }, and the expressions that are positive where the rows hold; elsewhere those in `whole` do. `seconds`: for all of them; rows
--- that are done early leave their time to the others.
function rows.shown(E, seconds)
  local list, hard = rows.derived(E), 0
  for _, row in ipairs(list) do
    if row.of ~= "rate" and core.tree_size(row.left) > EASY then hard = hard + 1 end
    if core.tree_size(row.right) > EASY then hard = hard + 1 end
  end
  for _, row in ipairs(attitude_rows(E, list)) do list[#list + 1] = row end
  local by = E:rates_of()
  by = table.move(E.dyn, 1, #E.dyn, #by + 1, table.move(by, 1, #by, 1, {}))
  local begun, notes, note = core.host.clock(), noter()
  -- A side may take more than its share of the remaining time, since most take less
  local function time_for_one()
    local left = math.max(seconds - (core.host.clock() - begun), 1e-3)
    return math.min(left, 3*left/math.max(hard, 1))
  end
  local function short(e, name)
    local share = time_for_one()
    if core.tree_size(e) > EASY then hard = hard - 1 end
    if core.tree_size(e) == 1 then return e end
    local plain, status, reason = core.simplify(e, "auto", nil, { seconds = share })
    if status == "INTERRUPTED" then object.fail("interrupted") end
    if reason:find "^more than [%d.e-]+ s$" then reason = ("more than %.3g s for all rows"):format(seconds) end
    if reason ~= "" then note(name, reason) end
    if reason ~= "" or core.tree_size(plain) > LARGE then return plain end
    local fewer = unit_quaternion.fewer_terms(plain)
    if fewer ~= plain then
      fewer = core.simplify(fewer, "auto", nil, { seconds = time_for_one() })
      if #core.text(fewer) < #core.text(plain) then plain = fewer end
    end
    local collected = core.simplify(plain, "collected", by, { seconds = time_for_one() })
    return unit_quaternion.shorter(#core.text(collected) < #core.text(plain) and collected or plain)
  end
  for _, row in ipairs(list) do
    local name = row.name ~= "" and row.name or core.text(row.left)
    if row.of ~= "rate" then row.left = short(row.left, name) end
    row.right = short(row.right, name)
    if row.of == "equation" then tidy(row) end
  end
  local sizes, values = one_sided(E.system)
  local some = false
  for _, row in ipairs(#sizes > 0 and list or {}) do
    if on_one_side(row, sizes, values) then
      some = true
      if row.of == "equation" then tidy(row) end
    end
  end
  return list, notes, some and values or {}
end

return rows
