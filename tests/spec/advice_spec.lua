-- advice: a start that is refused asks for values only where values help, and a word on dependent constraints fits the place they depend at
local hm, check = require "hamel", require "check"

local function plane(names, constraint)
  local S = hm.system "advice"
  local symbols = { S:coordinates(names) }
  local T = hm.number(0)
  for _, q in ipairs(symbols) do T = T + q.dot^2/2 end
  S:kinetic_energy(T)
  S:constraint("c", constraint(table.unpack(symbols)))
  return S
end

-- No value of the velocities left out would do, since the derivative vanishes wherever the constraint holds at this place
local without_values = {
  { "a square", "x y z", function(x, y, z) return (y.dot - z*x.dot)^2 end, { x = 0, y = 0, z = 0 }, { x = 0.9, z = 0.6 } },
  { "a square elsewhere", "x y z", function(x, y, z) return (y.dot - z*x.dot)^2 end, { x = 0, y = 0, z = 0.5 }, { x = 0.9, z = 0.6 } },
  { "an expanded square", "x y z", function(x, y, z) return ((y.dot - z*x.dot)^2):expand() end, { x = 0, y = 0, z = 0 }, { x = 0.9, z = 0.6 } },
  { "a square on positions", "x y", function(x, y) return (x - y^2 - 1)^2 end, { x = 2, y = 1 }, { y = 1 } },
  { "a factor that vanishes", "x y", function(x, y) return x*y.dot - x^2 end, { x = 0, y = 1 }, { x = 1 } },
}

-- A value of the velocity named makes the start regular
local with_values = {
  { "a product", "x y", function(x, y) return x.dot*y.dot end, { x = 0, y = 1 }, {}, { x = 1 } },
  { "too few given", "x y z", function(x, y, z) return y.dot - z*x.dot end, { x = 0, y = 0, z = 1 }, { x = 1 }, { x = 1, z = 2 } },
  { "one without a part", "x y z", function(x, y, z) return x.dot - y.dot*z end, { x = 0, y = 1, z = 0 }, { z = 1 }, { z = 1, y = 2 } },
}

describe("advice at a start", function()
  for _, row in ipairs(without_values) do
    local name, names, constraint, q, v = table.unpack(row)
    it("asks for no velocity that cannot help: " .. name, function()
      for _, form in ipairs { "lagrange", "kane" } do
        check.raises({ "the derivative of 'c' vanishes" }, function() plane(names, constraint):simulate{ form = form, q = q, v = v, t = 1 } end)
      end
    end)
  end

  for _, row in ipairs(with_values) do
    local name, names, constraint, q, v, more = table.unpack(row)
    it("asks for a velocity that helps: " .. name, function()
      local S = plane(names, constraint)
      check.raises({ "do not determine" }, function() S:simulate{ q = q, v = v, t = 1 } end)
      assert.equals("OK", S:simulate{ q = q, v = more, t = 1 }.status)
    end)
  end
end)

describe("advice on dependent constraints", function()
  it("tells redundant ones from those that are not linear", function()
    local function blade(x, y, z) return y.dot - z*x.dot end
    local S = plane("x y z", blade)
    S:constraint("again", 2*blade(table.unpack(S:coordinate_list())))
    check.raises({ "'again' holds wherever the other constraints do; drop it" }, function() S:equations "vakonomic_explicit" end)
    check.raises({ "'again' holds wherever the other constraints do; drop it" }, function() S:commutation() end)
  end)

  it("does not send away constraints that depend on each other at one place", function()
    local S = hm.system "parallelogram"
    local a, b, c = S:coordinates "a b c"
    S:kinetic_energy((a.dot^2 + b.dot^2 + c.dot^2)/2)
    S:constraint("along", hm.cos(a) + hm.cos(b) - hm.cos(c) - 1)
    S:constraint("across", hm.sin(a) + hm.sin(b) - hm.sin(c))
    local start = { q = { a = hm.pi/2, b = 0, c = hm.pi/2 }, v = { a = -1 } }
    local ok, message = pcall(function() start.t = 2; return S:reference(start) end)
    assert.is_false(ok)
    assert.is_truthy(message:find("end the run before this place", 1, true), message)
    assert.is_nil(message:find("drop", 1, true))
    start.t = 1
    assert.is_truthy(S:reference(start))
  end)
end)
