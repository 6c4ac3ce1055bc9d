-- parametric.lua: equations in which parameters are states that keep their values, so that derivatives by them are derivatives by the start.
local compile = require "hamel.model.compile"
local core = require "hamel.core"
local Equations = require "hamel.equations"
local Observer = require "hamel.model.observe"

local parametric = {}

local function joined(one, two) return table.move(two, 1, #two, #one + 1, table.move(one, 1, #one, 1, {})) end

-- Corrections onto the constraints leave the parameters alone: their entries in the rows are zero; `slopes` has the derivatives
local function positions_of(E, held, zeros)
  local list = {}
  for i, p in ipairs(E.positions) do
    list[i] = { name = p.name, f = p.f, row = joined(p.row, zeros), slopes = joined(p.row, core.gradient(p.f, held)) }
  end
  return list
end

--- Equations E with the parameters `held` (symbols) behind the coordinates among the states, their model, workspace and observer, and the state that
--- belongs to the state x of E. override: values of parameters by name; implied: names of constraints that the others imply; elimination: of the model.
function parametric.lift(E, override, x, held, implied, elimination)
  local zeros, values, known = {}, {}, {}
  for i = 1, #held do zeros[i] = core.rational(0) end
  local lifted = {}
  for name, value in pairs(E) do if name:sub(1, 1) ~= "_" then lifted[name] = value end end
  lifted.kin, lifted.k, lifted.positions, lifted.held = joined(E.kin, held), joined(E.k, zeros), positions_of(E, held, zeros), held
  lifted.rates, lifted._derive = Equations.rates_of(E), E._derive
  setmetatable(lifted, getmetatable(E))
  local model = compile.model(lifted, override, nil, nil, implied, nil, elimination)
  local w, observer = compile.workspace(lifted, model, override), Observer.new(lifted, override)
  local symbols, numbers = compile.parameter_values(E.system, override)
  for i, symbol in ipairs(symbols) do known[symbol] = numbers[i] end
  for i, symbol in ipairs(held) do values[i] = known[symbol] end
  local n = #E.kin
  local state = table.move(x, n + 1, #x, n + #held + 1, joined(table.move(x, 1, n, 1, {}), values))
  return lifted, model, w, state, observer
end

return parametric
