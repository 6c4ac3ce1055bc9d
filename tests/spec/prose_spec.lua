-- prose_spec.lua: formulas in the texts of verdicts, as HTML.
local prose = require "hamel.show.prose"

local function i(text) return "<i>" .. text .. "</i>" end

describe("a text with formulas", function()
  it("has letters, indices and powers", function()
    assert.equal(i "u" .. "′ = " .. i "a" .. " " .. i "θ" .. "′<sup>2</sup>", prose "u' = a theta'^2")
    assert.equal(i "A" .. "<sub>" .. i "ks" .. "</sub>, " .. i "q" .. "<sub>1</sub>′′, " .. i "T" .. "<sub>0</sub>", prose "A_ks, q1'', T_0")
    assert.equal("(" .. i "x" .. "<sup>2</sup>)<sup>−1/2</sup>", prose "(x^2)^(-1/2)")
    assert.equal("∑<sub>" .. i "b" .. "</sub> " .. i "λ" .. "<sub>" .. i "b" .. "</sub> " .. i "df" .. "<sub>" .. i "b" .. "</sub>/" .. i "dq" .. "<sub>"
      .. i "s" .. "</sub>′", prose "sum_b lambda_b df_b/dq_s'")
    assert.equal(i "df" .. "/" .. i "dt", prose "df/dt")
    assert.equal(i "Γ" .. "<sup>" .. i "s" .. "</sup><sub>" .. i "μ" .. " " .. i "ν" .. "</sub>", prose "Gamma^s_(mu nu)")
    assert.equal(i "g" .. "<sup>" .. i "ij" .. "</sup> " .. i "T" .. "<sup>1</sup><sub>31</sub>", prose "g^ij T^1_31")
    assert.equal("∑<sub>" .. i "l" .. "=1</sub><sup>" .. i "e" .. "</sup> " .. i "dq" .. "<sub>" .. i "e" .. "+" .. i "b" .. "</sub>′",
      prose "sum_(l=1)^e dq_(e+b)'")
    assert.equal("2 √(" .. i "m" .. "·" .. i "g" .. ") ≤ 3 → 4 ≠ −" .. i "x", prose "2 sqrt(m*g) <= 3 -> 4 ~= -x")
    assert.equal("(" .. i "A" .. " − " .. i "C" .. " (1 − " .. i "α" .. "))", prose "(A - C (1 - alpha))")
    assert.equal("(" .. i "a" .. ", " .. i "a" .. ", " .. i "c" .. ")", prose "(a, a, c)")
    assert.equal("1e-9 1.5e-3 2.25", prose "1e-9 1.5e-3 2.25")
  end)
  it("keeps its words", function()
    for _, text in ipairs{ "Hamel's rule of a sleigh", "not_checked by S:periodic", "statements S1 and S2", "a file name.lua",
      "it stays in P:digits", "well-known", "words - a dash - and more",
      "the text's own words", "A sphere and I" } do
      assert.equal(text, prose(text))
    end
    assert.equal("the blade '" .. i "u" .. "'", prose "the blade 'u'")
    assert.equal("&lt;script&gt; &amp; &quot;", prose '<script> & "')
    assert.equal("θ̇ — �", prose "θ̇ — \xff")
  end)
end)
