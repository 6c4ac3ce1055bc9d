-- One missing position by one equation: the root is found over many sizes, or the message says what was found instead.
local hm, check = require "hamel", require "check"

-- f(y) = c, with c the value of another coordinate
local function curve(f)
  local S = hm.system "curve"
  local x, y = S:coordinates "x y"
  S:kinetic_energy((x.dot^2 + y.dot^2)/2)
  S:constraint("curve", f(y) - x)
  return S
end

local found = {
  { "1/y", function(y) return 1/y end, function(c) return 1/c end, { 1e12, 1e6, 1e3, 7, 1e-3, 1e-12, -1e12, -0.1, -1e-9 } },
  { "exp(y)", hm.exp, math.log, { 1e100, 1e30, 3, 1e-3, 1e-30 } },
  { "log(y)", hm.log, math.exp, { 30, 2, -2, -30 } },
  { "y^3", function(y) return y^3 end, function(c) return (c < 0 and -1 or 1)*math.abs(c)^(1/3) end, { 1e9, 8, 1e-6, -1e-3 } },
  { "tanh(y)", hm.tanh, function(c) return math.log((1 + c)/(1 - c))/2 end, { 0.999, 0.5, -0.75, 1e-3 } },
  { "atan(y)", hm.atan, math.tan, { 1.57, 1, -1.5, 1e-8 } },
}

describe("a missing position", function()
  it("is found whatever its size", function()
    for _, row in ipairs(found) do
      local name, f, inverse, values = table.unpack(row)
      local S = curve(f)
      for _, c in ipairs(values) do
        local fine, r = pcall(S.velocities, S, { q = { x = c }, v = { x = 0 } })
        if not fine then error(("%s = %g: %s"):format(name, c, r), 0) end
        local y = S:simulate{ q = { x = c }, v = { x = 0 }, t = 1e-9, max_step = 1 }[1].q.y
        check.near(y/inverse(c), 1, 1e-9, name .. c)
      end
    end
  end)

  it("that does not exist is never asked for as if it did", function()
    local function f_gauss(y) return hm.exp(-y^2) end
    for _, row in ipairs{ { hm.tanh, 1 }, { hm.tanh, -1 }, { f_gauss, 0 }, { hm.exp, 0 } } do
      check.raises({ "the constraints do not determine y", "hold within rounding, but their derivatives by it vanish there", "else change the values given" },
        function() curve(row[1]):accelerations{ q = { x = row[2] }, v = { x = 1 } } end)
    end
    for _, row in ipairs{ { hm.atan, 2 }, { function(y) return 1/y end, 0 } } do
      check.raises({ "no values of y were found", "or change those given" }, function() curve(row[1]):accelerations{ q = { x = row[2] }, v = { x = 1 } } end)
    end
    check.raises({ "no value of y was found that satisfies it", "or give other values" },
      function() curve(function(y) return y^2 end):accelerations{ q = { x = -1 }, v = { x = 1 } } end)
  end)

  it("of links that do not reach is refused, whatever angles a search ends at", function()
    for _, n in ipairs{ 3, 17 } do
      local S, names, q = hm.system "links", {}, {}
      for i = 1, n do names[i] = "q" .. i end
      local x, y, T = hm.number(0), hm.number(0), hm.number(0)
      for _, a in ipairs{ S:coordinates(table.concat(names, " ")) } do x, y, T = x + hm.sin(a), y - hm.cos(a), T + a.dot^2/2 end
      S:kinetic_energy(T)
      S:constraint("end x", x + hm.rational(n, 2))
      S:constraint("end y", y)
      for i = 1, n - 2 do q[names[i]] = 1.2 + 0.25*math.sin(2*i) end
      check.raises({ "start", "found that satisf", ("q%d and q%d"):format(n - 1, n) }, S.accelerations, S, { q = q, v = {} })
    end
  end)

  it("that two coordinates leave open is asked for", function()
    local S = hm.system "pendulum"
    local x, y = S:coordinates "x y"
    S:kinetic_energy((x.dot^2 + y.dot^2)/2)
    S:constraint("rod", x^2 + y^2 - 1)
    check.raises({ "do not determine x and y; give 1 of them" }, S.accelerations, S, { q = {}, v = { x = 0 } })
  end)
end)
