-- folds near to each other, of y'' = -c y' + k (p - g(y)) with a polynomial g: they are where g' = 0, whatever the damping c is.
-- Arbiter: g' is given by its roots
local hm, check = require "hamel", require "check"
local near = check.near

local function number(value) return hm.number(("%.17g"):format(value)) end

-- The branch of g(y) = p with g' = (y - r[1]) (y - r[2]) ... ; g is written about `centre`, so that near roots do not cancel
local function branch(r, c, k, from, to, centre)
  local coefficients = { 1.0 }
  for _, root in ipairs(r) do
    local list, off = {}, root - centre
    for i = 1, #coefficients + 1 do list[i] = (coefficients[i - 1] or 0) - off*(coefficients[i] or 0) end
    coefficients = list
  end
  local S = hm.system "folds"
  local y = S:coordinates "y"
  local start, sum, u = 0, 0, y - number(centre)
  for i, a in ipairs(coefficients) do start, sum = start + a/i*(from - centre)^i, sum + number(a)/i*u^i end
  local p = S:parameters(("p=%.17g"):format(start))
  S:kinetic_energy(y.dot^2/2)
  S:force(y, -number(c)*y.dot + number(k)*(p - sum))
  return S:continue{ equilibrium = { q = { y = from } }, along = "p", from = -to, to = to }
end

local function demand_folds(B, r, tolerance)
  assert.equal(#r, #B.special, tostring(B))
  local places = {}
  for i, special in ipairs(B.special) do
    assert(special.kind == "fold" and not special.doubtful and not special.several and not special.apart, tostring(B))
    places[i] = special.point.q.y
  end
  table.sort(places)
  for i, root in ipairs(r) do near(places[i], root, tolerance) end
end

describe("two folds near to each other", function()
  it("are both found along weak and strong damping, at their places", function()
    for _, c in ipairs{ 0, 1e-7, 2e-6, 1e-3, 1 } do
      -- beside strong damping the smaller eigenvalue is rounding there
      for _, gap in ipairs{ 1e-3, 4e-6, c < 1 and 1e-6 or 1e-5 } do
        local r = { -0.3, -0.3 + gap }
        demand_folds(branch(r, c, 0.4, -1.5, 3, -0.3), r, 1e-3*gap)
      end
    end
  end)

  it("are both found where two such pairs share a step", function()
    local r = { -0.4, -0.4 + 1e-5, -0.2, -0.2 + 1e-4 }
    demand_folds(branch(r, 1e-5, 1, -1.2, 8, -0.4), r, 1e-8)
  end)

  it("are none where the slope stays away from zero", function()
    -- g' = (y + 3/10)^2 + 1e-10
    local S = hm.system "none"
    local y, p = S:coordinates "y", S:parameters "p=-1"
    local u = y + number(0.3)
    S:kinetic_energy(y.dot^2/2)
    S:force(y, p - u^3/3 - number(1e-10)*u - number(1e-7)*y.dot)
    local B = S:continue{ equilibrium = { q = { y = -1.7 } }, along = "p", from = -1, to = 1 }
    assert.equal(0, #B.special, tostring(B))
  end)

  it("are both found from a start between them, whose units are far from those of the ends", function()
    -- g = y^3/3 - e^2 y
    for _, c in ipairs{ 1e-6, 1 } do
      for _, e in ipairs{ 1e-3, 1e-5 } do
        local S = hm.system "between"
        local y, p = S:coordinates "y", S:parameters "p=0"
        S:kinetic_energy(y.dot^2/2)
        S:force(y, p - y^3/3 + number(e)^2*y - number(c)*y.dot)
        local B = S:continue{ equilibrium = { q = { y = 0 } }, along = "p", from = -1, to = 1 }
        demand_folds(B, { -e, e }, 1e-6*e)
        for _, special in ipairs(B.special) do near(special.value/e^3, special.point.q.y > 0 and -2/3 or 2/3, 1e-6) end
        assert(math.abs(B.points[1].value) == 1 and math.abs(B.points[#B.points].value) == 1, tostring(B))
      end
    end
  end)
end)
