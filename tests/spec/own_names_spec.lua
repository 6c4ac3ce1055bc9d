-- Names of the system that the library has taken itself are refused where they are declared; all others work in every place
local hm, check = require "hamel", require "check"

local function oscillator(name)
  local S = hm.system "oscillator"
  local x = S:coordinates(name)
  S:kinetic_energy(x.dot^2/2)
  S:potential_energy(x^2/2)
  return S, x
end

describe("a name", function()
  it("that begins with an underscore is refused for all that is declared", function()
    for _, name in ipairs{ "_x", "_run", "_point", "_own", "__index" } do
      local S, x = oscillator "x"
      local words = { "'" .. name .. "'", "begins with an underscore", "choose another name" }
      check.raises(words, S.coordinates, S, name)
      check.raises(words, S.parameters, S, name .. "=1")
      check.raises(words, S.positive, S, name .. "=1")
      check.raises(words, S.quasi_velocities, S, name, { x.dot })
    end
  end)

  it("of a gap or friction is no other entry of the impulses", function()
    for _, name in ipairs{ "rough", "continuous" } do
      local S, x = oscillator "x"
      check.raises({ "choose another name than '" .. name .. "'" }, S.unilateral, S, name, x)
    end
  end)

  it("that is a field of states, runs or rows serves a coordinate", function()
    for name in ("q v a lambda values friction mu p s item names outcome raw system equations options span events impacts notes status reason series "
      .. "roots section label index steps u gap"):gmatch "%S+" do
      local S, x = oscillator(name)
      local run = S:simulate{ q = {[name] = 1}, v = {[name] = 0}, t = 1 }
      local s = run:at(1)
      check.near(s.q[name], math.cos(1), 1e-7, name)
      check.near(s.v[name], -math.sin(1), 1e-7, name)
      check.near(s.a[name], -math.cos(1), 1e-7, name)
      check.near(s:values{ name }[1], math.cos(1), 1e-7, name)
      check.near(run:at(1, x), math.cos(1), 1e-7, name)
      check.near(run.q[name][#run], math.cos(1), 1e-7, name)
      assert.are.equal(1, #S:section{ when = x, direction = "falling", q = {[name] = 1}, v = {[name] = 0}, t = 5 })
      assert(#tostring(run) > 10 and #tostring(s) > 10)
    end
  end)
end)
