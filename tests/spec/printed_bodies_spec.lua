-- Equations of bodies as they are printed: identities of direction cosines, and the side of a rolling disc.
local hm = require "hamel"
local core = require "hamel.core"
local unit_quaternion = require "hamel.algebra.unit_quaternion"

local function turntable()
  local S = hm.system "turntable"
  local N, R = S:frame "N", S:rotation("R", { rates = "p q r" })
  local a, W, m = S:positive "a W m"
  local ball = S:body("ball", { at = S:point "x y z", frame = R, mass = m, inertia = "solid", shape = {"sphere", radius = a} })
  S:rolls("roll", ball, N:rotate("z", W*hm.t):plane())
  return S
end

local function disc(turned)
  local S = hm.system "disc"
  local N = S:frame "N"
  local A, C, m, g, b = S:positive "A C m g b"
  local body = S:body("disc", { at = S:point "x y z", frame = turned(S, N), mass = m, inertia = {A, A, C}, shape = {"disc", radius = b} })
  S:rolls("roll", body, N:plane())
  S:gravity(-g*N.z)
  return S
end

describe("products of direction cosines", function()
  local S = hm.system "cosines"
  local R = S:rotation "R"
  local C = R:matrix(S:frame())
  local a, b = S:parameters "a b"
  it("become fewer by the identities of a rotation", function()
    for _, case in ipairs{ { C[1][1]*C[1][2] + C[2][1]*C[2][2] + C[3][1]*C[3][2], 0 }, { a*C[1][1]^2 + a*C[1][2]^2 + a*C[1][3]^2, a },
                           { b*C[2][2]*C[3][3] - b*C[2][3]*C[3][2], b*C[1][1] },
                           { a*(C[1][1]*C[1][2]*C[3][3] + C[2][1]*C[2][2]*C[3][3]) + a*C[3][1]*C[3][2]*C[3][3] + b*C[3][3], b*C[3][3] } } do
      local short = unit_quaternion.fewer_terms(case[1])
      assert.is_true((short - case[2]):is_zero() == true and core.tree_size(short) <= 4, tostring(short))
    end
  end)
  it("keep their value, whatever the sum", function()
    local seed = 7
    local function random(n) seed = (seed*48271) % 2147483647 return seed % n + 1 end
    for _ = 1, 40 do
      local sum = core.rational(0)
      for _ = 1, random(8) do
        local third = random(3) == 1 and C[random(3)][random(3)] or 1
        sum = sum + (random(5) - 3)*(random(2) == 1 and a or b)*C[random(3)][random(3)]*C[random(3)][random(3)]*third
      end
      local short = unit_quaternion.fewer_terms(sum)
      assert.are.equal("zero", (unit_quaternion.decide(short - sum)), tostring(sum))
    end
  end)
  it("do not fill the rows of a ball on a turntable", function()
    local E = turntable():equations "hamel"
    local text = E:text()
    assert.is_truthy(text:find("a*p'*(5*Rzx^2 - 7) + 5*a*q'*Rzx*Rzy + 5*a*Rzx*Rzz*r' + 5*W*(a*q*Rzz - W*Rxx*y + W*Ryx*x - a*Rzy*r) = 0", 1, true), text)
  end)
end)

describe("a rolling disc turned by angles", function()
  it("has rows without abs, on the side that is named", function()
    local S = disc(function(S, N)
      local phi, theta, psi = S:coordinates "phi theta psi"
      return N:rotate("z", phi):rotate("x", theta):rotate("z", psi)
    end)
    local E = S:equations "hamel"
    local text = E:text()
    assert.is_falsy(text:find("abs", 1, true), text)
    assert.is_truthy(text:find("theta''*(A + b^2*m) - phi'^2*(A - b^2*m - C)*sin(theta)*cos(theta) + phi'*psi'*(b^2*m + C)*sin(theta) = "
      .. "-b*g*m*cos(theta)", 1, true), text)
    assert.is_truthy(text:find("where      sin(theta) > 0", 1, true), text)
    assert.is_truthy(E:latex():find("\\text{where } \\sin", 1, true))
    -- other programs get the rows that hold on both sides
    assert.is_truthy(E:text("sympy"):find("Abs", 1, true))
    assert.is_falsy(S:equations("coordinates"):text():find("nan", 1, true))
  end)
end)
