-- wrap.lua: formulas at the width of a terminal
local hm = require "hamel"
local wrap = require "hamel.repl.wrap"

describe("wrapped formulas", function()
  it("lose nothing and keep to the width", function()
    local S = hm.system "chain"
    local q = { S:coordinates "q1 q2 q3" }
    local m, l = S:positive "m l"
    local x, y, T = 0, 0, 0
    for i = 1, 3 do
      x, y = x + l*hm.sin(q[i]), y - l*hm.cos(q[i])
      T = T + m/2*(hm.dt(x)^2 + hm.dt(y)^2)
    end
    S:kinetic_energy(T)
    local text = S:equations():text()
    for _, width in ipairs{ 60, 80, 100 } do
      local out = wrap.text(text, width)
      assert.equal((text:gsub("%s", "")), (out:gsub("%s", "")))
      for line in out:gmatch "[^\n]+" do assert.is_true(#line <= width, line) end
    end
  end)

  it("break before signs, outside brackets, and are indented behind the name", function()
    assert.equal("  x:         a*(b + c)*aaaaaaaaaaaaaaaaaaaaaaaaaaaa\n                 + d = 0",
      wrap.text("  x:         a*(b + c)*aaaaaaaaaaaaaaaaaaaaaaaaaaaa + d = 0", 53))
    assert.equal("a*(b + c + d)\n    - e", wrap.text("a*(b + c + d) - e", 14))
    assert.equal("f(a,\n b)", wrap.text("f(a, b)", 5))
    assert.equal("1e-10*xxxxxxxxxxxxxxxx", wrap.text("1e-10*xxxxxxxxxxxxxxxx", 10))
  end)

  it("break sentences between words", function()
    assert.equal("  form   no: it is no system of that\n      kind; take another", wrap.text("  form   no: it is no system of that kind; take another", 38))
    assert.equal("a*b sin(x)*cos(x)*dddd", wrap.text("a*b sin(x)*cos(x)*dddd", 16))
  end)

  it("of pages of help break between words, tables behind their first column", function()
    assert.equal("  one two\n  three", wrap.prose("  one two three", 10))
    assert.equal("    atol   absolute\n           tolerance\nshort", wrap.prose("    atol   absolute tolerance\nshort", 22))
    assert.equal("  one two\n  three four\n  five", wrap.prose("  one two three\n  four\n  five", 12))
    assert.equal("  one two\n  three.\n  four", wrap.prose("  one two three.\n  four", 12))
    assert.equal("  averylongword", wrap.prose("  averylongword", 8))
    assert.equal("θθ θθ\nθθ", wrap.prose("θθ θθ θθ", 5))
  end)

  it("leave rows of tables and short lines alone", function()
    for _, text in ipairs{ "short", "a    b    c    d = 5 + 3 + 5", "", "\n" } do assert.equal(text, wrap.text(text, 12)) end
  end)

  it("count letters, not bytes", function()
    assert.equal("θ + θ + θ", wrap.text("θ + θ + θ", 9))
    assert.equal("θ + θ\n  + θ", wrap.text("θ + θ + θ", 8))
  end)
end)
