-- coarse.lua: starts at numbers so large that their rounding is noise to the steps, as angles of many turns: steps become as short as the noise is strong.
local balance = require "hamel.run.balance"
local contact = require "hamel.system.contact"
local methods = require "hamel.run.methods"

local coarse = {}

local EPS = 2.0^-52
local FINE = 0.1                       -- of atol: rounding of a number that is never noise
local MOST = 1e6                       -- steps that noise may take
local STRONG = 30                      -- times the steps that the motion itself takes

--- May one of n numbers of a state be that large? flat: a list that holds it behind `offset`.
function coarse.may_be(flat, offset, n, o)
  local most = o.atol and FINE*o.atol/EPS or math.huge
  for i = offset + 1, offset + n do if math.abs(flat[i]) > most then return true end end
  return false
end

-- About how many steps the rounding of a number makes a run take: an error of a rate is one of a step in the part of it that the step is long. sharp: how
-- fast the rates change with the number, as a rate of time where it is a coordinate
local function steps_of(moved, rates, x, n, step, span, o)
  local worst = 0
  for j = 1, n do
    local off = math.abs(moved[j] - rates[j])
    local sharp = math.sqrt(off/step)
    local noise = sharp > 0 and off/(o.atol + o.rtol*math.max(math.abs(x[j]), math.abs(rates[j])/sharp)) or 0
    if noise > STRONG*sharp then worst = math.max(worst, noise*span) end
  end
  return worst
end

--- Why a run from the state x would take millions of steps, in words; nil: it would not. run: { system =, model =, workspace = of the core, options = }
function coarse.words(run, t0, t1, x)
  local o, w, n = run.options, run.workspace, run.model:state_size() - (run.model:has_work() and 1 or 0)
  if methods.is_fixed(o.method) or type(w) ~= "userdata" or contact.any(run.system) or #run.system:_external_forces() > 0 then return nil end
  if not coarse.may_be(x, 0, n, o) then return nil end
  x = table.move(x, 1, #x, 1, {})
  local rates = balance.rates_at(w, t0, x)
  for i = 1, rates and n or 0 do
    local kept, step = x[i], EPS*math.abs(x[i])
    x[i] = kept + step
    local moved = step > FINE*o.atol and balance.rates_at(w, t0, x)
    local steps = moved and steps_of(moved, rates, x, n, step, math.abs(t1 - t0), o) or 0
    x[i] = kept
    if steps > MOST then
      return ("a number of the start, %.6g, is rounded to %.2g, which is noise to the steps: the run would take about %.1g of them; start nearer to zero, with "
        .. "an angle without whole turns, take a larger rtol and atol, or give max_steps"):format(kept, step, steps)
    end
  end
end

return coarse
