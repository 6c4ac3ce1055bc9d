-- proved_place.lua: what proofs of steady states and of fixed points share: symbols of their own, and why a place cannot be judged.
local core = require "hamel.core"
local symbols = require "hamel.algebra.symbols"

local place = {}

--- The symbols of a list of parameters { symbol, value }.
function place.symbols(parameters)
  local list = {}
  for i, item in ipairs(parameters) do list[i] = item[1] end
  return list
end

--- n symbols, prefix1 ... prefixn, that none of the lists has.
function place.fresh(prefix, n, lists)
  local taken, out = {}, {}
  for _, list in ipairs(lists) do for _, s in ipairs(list) do taken[core.text(s)] = true end end
  for i = 1, n do
    local name = prefix .. i
    while taken[name] do name = name .. "_" end
    taken[name], out[i] = true, core.symbol(name, symbols.EXTERNAL)
  end
  return out
end

--- A message of the core without its place and its advice, which is for runs.
function place.cause(message) return (tostring(message):gsub("^.-:%d+: ", ""):gsub(";.*", "")) end

-- The last step of Newton's method, relative to the size of the unknowns, beyond which it comes near no zero. Near a zero that is regular, the number of
-- digits doubles with each step, so that the last one is about the precision
local FAR = 1e-3

-- Where Newton's method was still on its way; nil: it was at its end
local function on_the_way(found, bits)
  local size = 1
  for _, x in ipairs(found.x) do size = math.max(size, math.abs(x.lower), math.abs(x.upper)) end
  if not (found.step <= FAR*size) then
    return ("Newton's method comes near no solution: its last step is %.2g; there may be none, or give a better guess"):format(found.step)
  end
  if found.step > 2.0^(-0.6*bits)*size then
    return ("Newton's method comes to its end but slowly, its last step is %.2g: so it does near a solution that is not isolated, or where several come "
      .. "together, and near a place that is almost one; more iterations help where it is none of these"):format(found.step)
  end
end

--- Why Krawczyk's test with so many bits proved no zero: `found` is the result of core.ball_zero.
function place.refusal(found, bits)
  if found.reason:find("the derivatives of the equations are dependent", 1, true) then
    return "Newton's method does not converge: it comes to a place where the derivatives of the equations are dependent to the precision; there may be no "
      .. "solution, or give a better guess"
  end
  if found.reason ~= "" then return place.cause(found.reason) end
  local way = on_the_way(found, bits)
  if way then return way end
  if found.least >= 1 then
    return ("the derivatives are not proved regular where Newton's method ends (contraction %.2g in a box however small): it comes near no solution, or to one "
      .. "that is not isolated, or where several come together"):format(found.least)
  end
  return ("image %.2g exceeds radius %.2g (contraction %.2g); give a better guess, more iterations or more bits"):format(found.image, found.tried,
    found.contraction)
end

--- Why the equations have no values or derivatives at a place, from a message of the core; other errors are raised again.
function place.doubt(message)
  local text = place.cause(message)
  if text:find "^singular" or text:find "^not analytic" or text:find "^not finite" or text:find "no value" then return text end
  error(message, 0)
end

return place
