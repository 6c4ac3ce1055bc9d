-- input.lua: S:input: forces chosen from outside: zero, or a given function in runs. S:linearize returns a matrix B for them.
local algebra = require "hamel.algebra"
local object = require "hamel.base.object"
local System = require "hamel.system"

local fail = object.fail

-- The function of an input is made of coordinates, velocities, parameters and time, and of no input
local function checked(self, name, e)
  if algebra.is_equation(e) then fail("input '%s': write an expression, not an equation", name) end
  return self:admit(e, ("input '%s'"):format(name), 1)
end

--- Declares an input, a force that is chosen from outside: local u = S:input "u" returns a symbol for expressions in S:force and
--- for the vectors of S:force(b, F) and S:torque, and only there.
--- An input is zero unless it has a function: S:input("u", -k*x.dot), an expression in coordinates, velocities, parameters and time. It replaces an
--- earlier one; 0 removes it. S:linearize returns the matrix B by the inputs, about the motion with these functions.
---@param name string
---@param e any? the function of the input in runs
---@return any symbol
function System:input(name, e)
  if type(name) ~= "string" or not name:find "^[%a][%w_]*$" then fail("S:input takes one name, as in S:input \"u\"") end
  local known = object.contains(self._inputs, name)
  if not known then
    if self._parameter[name] then fail("'%s' is already a parameter of %s", name, self.name) end
    self:parameters(name .. "=0")
    self._inputs[#self._inputs + 1] = name
  end
  local symbol = self._parameter[name]
  if e ~= nil then
    -- the symbol stays, as a deviation from the function: forces are linearized by it
    self._drives[symbol] = checked(self, name, e)
    self:changed()
  end
  return symbol
end

return System
