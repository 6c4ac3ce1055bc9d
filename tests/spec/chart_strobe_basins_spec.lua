-- Basins by the points of a stroboscope that a motion repeats with, so that its points differ by errors alone.
local hm = require "hamel"
local cos, sin = hm.cos, hm.sin

local function all(C, label, words)
  for i, row in ipairs(C) do
    assert.equal("OK", row.status)
    assert.equal(label, row.label, ("row %d: %s"):format(i, tostring(row.reason)))
    if words then assert.truthy(tostring(row.reason):find(words, 1, true), row.reason) end
  end
end

describe("basins by a stroboscope", function()
  it("are none of motions without damping, whatever their period", function()
    local S = hm.system "oscillators"
    local x, y = S:coordinates "x y"
    local c = S:parameters "c=0"
    S:kinetic_energy((x.dot^2 + y.dot^2)/2)
    S:potential_energy(x^2/2 + 2*y^2)
    S:force(x, -c*x.dot)
    for _, t in ipairs{ 100, 1000 } do
      local C = S:chart{ over = { { "x", hm.range(-1, 1, 4) }, { "y", { 0.1, 1 } } }, v = { x = 0, y = 0 }, of = "basin", stroboscope = 2*hm.pi, t = t,
                         progress = false }
      all(C, "none", "nothing attracts")
      assert.truthy(tostring(C):find("volumes of states are kept", 1, true), tostring(C))
    end
    local P = hm.system "pendulum"
    local a = P:coordinates "a"
    P:kinetic_energy(a.dot^2/2)
    P:potential_energy(-cos(a))
    for _, size in ipairs{ 1e-5, 1e-2, 0.5 } do
      all(P:chart{ over = { { "a", hm.range(-size, size, 6) } }, v = { a = 0 }, of = "basin", stroboscope = 2*hm.pi, t = 300, progress = false }, "none")
    end
  end)

  -- where nothing is known of volumes. The blade turns with w = 3/4, and its place swings with sqrt(1 + w^2) = 5/4: it repeats after 8 pi
  it("are none of a motion that repeats with it", function()
    local S = hm.system "skate in a bowl"
    local x, y, th = S:coordinates "x y th"
    S:kinetic_energy((x.dot^2 + y.dot^2 + th.dot^2)/2)
    S:potential_energy((x^2 + y^2)/2)
    S:constraint("blade", x.dot*sin(th) - y.dot*cos(th))
    all(S:chart{ over = { { "x", { 0.1, 0.4 } } }, q = { y = 0.2, th = 0.3 }, v = { x = 0.5, th = 0.75 }, of = "basin", stroboscope = 8*hm.pi, t = 600,
                 progress = false }, "none")
  end)

  it("are attractors of motions that settle, and of one that begins there", function()
    local S = hm.system "driven"
    local x = S:coordinates "x"
    S:kinetic_energy(x.dot^2/2)
    S:potential_energy(x^2/2)
    S:force(x, -x.dot/5 + cos(hm.t))
    -- x = 5 sin t attracts all
    all(S:chart{ over = { { "x", { 0, 1, -3 } }, { "v.x", { 5, 0 } } }, of = "basin", stroboscope = 2*hm.pi, t = 300, progress = false }, "1")
  end)
end)
