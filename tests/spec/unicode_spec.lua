-- What the prompt shows on a terminal with Unicode: lua/hamel/repl/unicode.lua.
local hm = require "hamel"
local unicode = require "hamel.repl.unicode"

local function shows(text, wanted) assert.equal(wanted, unicode.dress(text)) end

describe("formulas in Unicode", function()
  it("have Greek letters, raised exponents and dots", function()
    shows("-a*m*u*omega/(I + a^2*m)", "-a·m·u·ω/(I + a²·m)")
    shows("theta'^2/4 + x'^12", "θ'²/4 + x'¹²")
    shows("lambda_1*cos(theta2)*(phi_0 - psi)", "λ_1·cos(θ2)·(ϕ_0 - ψ)")
    shows("lambda_blade >= 0", "λ_blade ≥ 0")
    shows("x ~= 0, y <= 1", "x ≠ 0, y ≤ 1")
  end)

  it("leave alone what is no letter and no whole exponent", function()
    shows("alphabet, thetadot, etage, alpha.csv, -betamax", "alphabet, thetadot, etage, alpha.csv, -betamax")
    shows("x^(1/2)*2^n + 2^1.5 + 1e-5", "x^(1/2)·2^n + 2^1.5 + 1e-5")
    shows("", "")
    shows("a\n\nb", "a\n\nb")
  end)

  it("keep columns where they are", function()
    local text = unicode.dress "  theta   x\n  phi     y"
    assert.equal("  θ       x\n  ϕ       y", text)
    local S = hm.system "sleigh"
    local x, y, theta = S:coordinates "x y theta"
    S:kinetic_energy((x.dot^2 + y.dot^2)/2 + theta.dot^2/4)
    local dressed = unicode.dress(tostring(S))
    assert.truthy(dressed:find("  coordinates         x, y, θ\n", 1, true))
    assert.truthy(dressed:find("θ'²/4 + x'²/2 + y'²/2", 1, true))
  end)

  it("are not wanted where the output is no terminal", function() assert.equal(false, unicode.wanted()) end)
end)
