-- symmetry_search.lua: fields that leave a system unchanged, sought among combinations of given functions of the coordinates.
local ansatz = require "hamel.geometry.ansatz"
local constants = require "hamel.geometry.constants"
local core = require "hamel.core"
local fields = require "hamel.geometry.fields"
local object = require "hamel.base.object"
local options = require "hamel.base.options"

local symmetry_search = {}

local schema = {
  find = { type = "boolean", doc = "true: fields are sought" },
  angle = { type = "number", or_type = "table", default = 1, doc = "highest multiple of angles in sines and cosines: a number for all, or by name" },
  power = { type = "number", or_type = "table", default = 1, doc = "degree of monomials in the other coordinates: a number for all together, or by name" },
  functions = { type = "table", list = true, doc = "further factors: each times all of the above" },
  time = { type = "number", default = 0, from = 0, whole = true, doc = "highest power of the time" },
}

local MOST = 300                       -- unknowns
local FACTOR = 10                      -- so many more may be built: some functions are combinations of others

-- What must vanish for a field, one expression per condition
local function conditions(system, flow, Z)
  local Q, list = flow:forces(), { fields.lift(system, Z, { system:lagrangian() })[1] }
  local along = fields.lift(system, Z, Q)
  for j, q in ipairs(system:coordinate_list()) do
    local terms = { along[j] }
    for i, force in ipairs(Q) do terms[#terms + 1] = force*core.diff(Z[i], q) end
    list[#list + 1] = core.sum(terms)
  end
  for _, c in ipairs(system.constraints) do list[#list + 1] = flow:on(fields.lift(system, Z, { c.f })[1]) end
  return list
end

-- The functions of a list without those that are combinations of others
local function independent(list)
  local row, dropped, kept = {}, {}, {}
  for j, f in ipairs(list) do row[j] = f.e end
  for _, c in ipairs(constants.relations({ row }, #row)) do
    local last = 0
    for j, e in ipairs(c) do if core.number_value(e) ~= 0 then last = j end end
    dropped[last] = true
  end
  for j, f in ipairs(list) do if not dropped[j] then kept[#kept + 1] = f end end
  return kept
end

-- The relation with most of its coefficients positive
local function upright(c)
  local positive, turned = 0, {}
  for j, e in ipairs(c) do
    local value = core.number_value(e)
    positive, turned[j] = positive + (value > 0 and 1 or value < 0 and -1 or 0), -e
  end
  return positive < 0 and turned or c
end

local function demand_few(unknowns, most)
  if unknowns > most then object.fail("symmetry: %.15g unknowns are more than %d: lower angle or power, or give them by name", unknowns, MOST) end
end

--- Fields with Z^C(L) = 0 that carry forces and constraints along, as combinations with rational coefficients of functions of the coordinates times
--- unit fields; a list of fields, each proved.
function symmetry_search.found(system, flow, given)
  local o = options.check("symmetry", schema, given)
  local plan = ansatz.plan(flow, { angle = o.angle, power = o.power, time = o.time, functions = o.functions, products = 1 })
  local n, unit, rows = #system.coordinate_names, {}, {}
  demand_few(n*plan.count, FACTOR*MOST)
  local functions = independent(ansatz.functions(flow, plan))
  demand_few(n*#functions, MOST)
  for _, f in ipairs(functions) do
    for i = 1, n do
      local Z = {}
      for j = 1, n do Z[j] = i == j and f.e or core.rational(0) end
      unit[#unit + 1] = Z
      for k, e in ipairs(conditions(system, flow, Z)) do
        rows[k] = rows[k] or {}
        rows[k][#unit] = e
      end
    end
  end
  local list = {}
  for _, c in ipairs(constants.relations(rows, #unit)) do list[#list + 1] = fields.combined(unit, upright(c)) end
  return list
end

options.declare("symmetry", schema)

return symmetry_search
