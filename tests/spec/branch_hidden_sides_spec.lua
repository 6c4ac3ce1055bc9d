-- Multipliers of which errors hide on which side of the unit circle they are: branches say so, and make no special points of it.
-- Arbiter: b'' = -b - b^3/10 - d b' + cos(t/2)/5 beside a = 0, where a'' = k a - a'/3 + ... : the product of the two multipliers in b is exp(-4 pi d), so that
-- the pair passes the unit circle at d = 0 and nowhere else
local hm, check = require "hamel", require "check"

local function branch(k, reach, tolerance, start, drive)
  local S = hm.system "beside a saddle"
  local a, b = S:coordinates "a b"
  local d, stiffness, G = S:parameters "d=0 k=1 G=1/5"
  S:kinetic_energy((a.dot^2 + b.dot^2)/2)
  S:potential_energy(-stiffness*a^2/2 + b^2/2 + b^4/40 + a^2*b^2/10)
  S:force(a, -a.dot/3)
  S:force(b, -d*b.dot + (drive or G)*hm.cos(hm.t/2))
  return S:continue{ periodic = { q = { a = 0, b = start or 0.26 }, v = { a = 0, b = 0 }, period = 4*hm.pi, parameters = { k = k } }, along = "d",
                     from = -reach, to = reach, tolerance = tolerance, rtol = tolerance and tolerance/10, atol = tolerance and tolerance/10 }
end

local function hidden(B)
  local count = 0
  for _, point in ipairs(B.points) do if point.unsided then count = count + 1 end end
  return count
end

describe("branches of very unstable motions with weak damping", function()
  it("have the one torus point at which the damping is zero, and no other where multipliers come near the circle", function()
    local near = branch(1, 1e-3).special[1].point.q.b
    -- at the last of these starts the usual iteration for eigenvalues does not converge
    for _, case in ipairs{ { 1, 1e-3, near }, { 9, 1e-7, near }, { 9, 1e-7, 0.26518204124348427 } } do
      local k, reach, start = table.unpack(case)
      local B = branch(k, reach, nil, start)
      assert.equal(1, #B.special, tostring(B))
      assert.equal("torus", B.special[1].kind)
      check.near(B.special[1].value, 0, 1e-3*reach)
      for _, point in ipairs(B.points) do
        local product = 1
        for _, m in ipairs(point.multipliers) do if m.im ~= 0 then product = product*math.sqrt(m.re^2 + m.im^2) end end
        check.near(math.log(product), -4*math.pi*point.value, 1e-4)
      end
    end
  end)

  it("say where errors hide the side of multipliers, and the advice helps", function()
    local B = branch(1, 1e-7)
    assert.equal(#B.points, hidden(B))
    assert.truthy(tostring(B):find "errors of up to %de%-05 hide on which side of the unit circle some multipliers are", tostring(B))
    assert.truthy(tostring(B):find("a smaller tolerance = ... decides more of them", 1, true))
    local finer = branch(1, 1e-7, 1e-13)
    assert.truthy(hidden(finer) < hidden(B)/2)
    for _, point in ipairs(finer.points) do
      if not point.unsided then
        local m = point.multipliers[2]
        assert.equal(point.value < 0, m.re^2 + m.im^2 > 1)
      end
    end
    -- of a conservative system they are on the circle
    local S = hm.system "conservative"
    local x = S:coordinates "x"
    local F = S:parameters "F=1/5"
    S:kinetic_energy(x.dot^2/2)
    S:potential_energy(x^2/2 + x^4/40)
    S:force(x, F*hm.cos(hm.t/2))
    local C = S:continue{ periodic = { q = { x = 0.26 }, v = { x = 0 }, period = 4*hm.pi }, along = "F", from = 0.1, to = 0.3 }
    assert.equal(0, hidden(C))
    assert.falsy(tostring(C):find("hide on which side", 1, true))
  end)

  -- the guess is too far from the motion to be cut into segments: the start is cut, for each side by itself
  it("have the special point at a start that is cut into segments only there, and this point once", function()
    local B = branch(1, 1e-5, 1e-13, nil, hm.rational(1, 5))
    assert.equal(1, #B.special, tostring(B))
    assert.equal("torus", B.special[1].kind)
    check.near(B.special[1].value, 0, 1e-12)
    for i = 2, #B.points do assert.truthy(B.points[i].value > B.points[i - 1].value) end
  end)

  it("keep it in files", function()
    local B, path = branch(1, 1e-7), os.tmpname() .. ".branch"
    B:save(path)
      local again = hm.load(path, B._system)
    os.remove(path)
    assert.equal(hidden(B), hidden(again))
    assert.equal(tostring(B):match "errors of up to[^\n]*", tostring(again):match "errors of up to[^\n]*")
  end)
end)
