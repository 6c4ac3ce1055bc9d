-- functions of the core ask Lua for the places that they take on its stack: one that takes more writes behind the end of it where that is near, and the heap
-- is damaged, which the C library notices when the stack is freed. Each call is made in a new coroutine, behind one local variable more than the last one
local check = require "check"

local program = [[
  local core, hm = require "hamel.core", require "hamel"
  local PLACES, count, behind = 48, {}, {}
  for k = 0, PLACES - 1 do
    behind[k] = assert(load(("local f, given = ... %s return f(table.unpack(given, 1, given.n))"):format(("local _ "):rep(k))))
  end
  for name, f in next, core do
    if type(f) == "function" then
      core[name] = function(...)
        local k = count[name] or 0
        count[name] = k + 1
        local results = table.pack(coroutine.wrap(behind[k % PLACES])(f, table.pack(...)))
        return table.unpack(results, 1, results.n)
      end
    end
  end
  local S = hm.system "wells"
  local z = S:coordinates "z"
  local g = S:parameters "g=0"
  S:kinetic_energy(z.dot^2/2)
  S:potential_energy(z^4/4 - z^2/2)
  S:force(z, -z.dot/5 + g*hm.cos(hm.t))
  local D = hm.system "drop"
  local y = D:coordinates "y"
  D:kinetic_energy(y.dot^2/2)
  D:force(y, -10)
  D:unilateral("floor", y, { law = hm.newton(0.5) })
  local over = { { "z", { 0.5, 1 } }, { "g", { 0, 0.1 } } }
  for _ = 1, PLACES do
    S:sweep{ over = over, v = { z = 0 }, t = 1, keep = { "z", m = hm.mean(z), h = hm.highest(z) } }
    S:sweep{ over = over, v = { z = 0 }, t = 1, keep = { "z" } }
    S:chart{ over = over, v = { z = 0 }, t = 1, of = "exponents" }
    S:simulate{ q = { z = 1 }, v = { z = 0 }, t = 5 }
    D:sweep{ over = { { "y", { 1, 2 } } }, v = { y = 0 }, t = 1, keep = { "y", "lambda.floor" } }
    D:simulate{ q = { y = 1 }, v = { y = 0 }, t = 1 }
  end
  collectgarbage()
  for _, name in ipairs{ "ensemble", "run", "program" } do assert(count[name] >= PLACES, name) end
  print "sound"
]]

describe("functions of the core", function()
  it("take no more of Lua's stack than they ask for", function()
    local status, text = check.script(program)
    assert.are.equal(0, status, text)
    assert.truthy(text:find "sound", text)
  end)
end)
