-- paper_spec.lua: verdicts of a reproduction script: what counts as agreement, and the exit status a script ends with.
local check = require "check"
local hm = require "hamel"

local function quiet() return hm.paper{ title = "a text", quiet = true } end
local x = hm.symbols "x"

describe("a table of verdicts", function()
  it("counts what vanishes as agreement and nothing else", function()
    local P = quiet()
    assert.equal("proved", P:agrees("(1)", "an identity", hm.sin(x)^2 + hm.cos(x)^2 - 1).verdict)
    assert.equal("computed", P:agrees("(2)", "a small number", 1e-12).verdict)
    assert.equal("computed", P:agrees("(2)", "an identity and a number", { hm.sin(x)^2 + hm.cos(x)^2 - 1, 1e-12 }).verdict)
    assert.is_true(P:finish())
    assert.equal("FAILED", P:agrees("(3)", "no identity", hm.sin(x) - x).verdict)
    assert.equal("FAILED", P:agrees("(4)", "a large number", 0.1).verdict)
    assert.equal("FAILED", P:agrees("(5)", "one of several", { 0, hm.number(0), 0.1 }).verdict)
    assert.equal(3, P.failed)
    assert.equal("6 lines: 1 proved, 2 computed, 3 failed", P:summary())
    assert.is_false(P:finish())
  end)
  it("takes true and false for statements that are no equations", function()
    assert.equal("computed", quiet():holds("S1", "larger", 2 > 1, "by counting").verdict)
    assert.same({ "by counting", "more" }, quiet():holds("S1", "larger", 2 > 1, "by counting", "more").details)
    assert.equal("FAILED", quiet():holds("S1", "larger", 1 > 2, "by counting").verdict)
    assert.equal("proved", quiet():proves("S1", "larger", 2 > 1, "by counting").verdict)
    assert.equal("FAILED", quiet():proves("S1", "larger", 1 > 2, "by counting").verdict)
    check.raises({ "P:proves", "true or false" }, function() quiet():proves("S1", "larger", 1, "by counting") end)
    check.raises({ "true or false", "nil" }, function() quiet():holds("S1", "larger", nil, "by counting") end)
    check.raises({ "how it was found" }, function() quiet():holds("S1", "larger", true) end)
  end)
  it("never takes what is not a number for agreement", function()
    for _, value in ipairs{ 0/0, math.huge, { 0/0 }, { 0, 0/0, 0 }, { 1e-12, -math.huge } } do
      assert.equal("FAILED", quiet():agrees("(1)", "not a number", value).verdict)
    end
    assert.equal("FAILED", quiet():misprint("(1)", "a misprint", 1, 0/0).verdict)
  end)
  it("asks for something to judge", function()
    check.raises({ "nothing to judge" }, function() quiet():agrees("(1)", "an empty list", {}) end)
    check.raises({ "nothing to judge" }, function() quiet():agrees("(1)", "nothing", nil) end)
    for _, list in ipairs{ { nil, 1 }, { hm.number(0), nil, 1 } } do
      check.raises({ "has a gap" }, function() quiet():agrees("(1)", "a hole", list) end)
    end
    check.raises({ "'b' = ... means nothing" }, function() quiet():agrees("(1)", "a name", { 0, b = 1 }) end)
    check.raises({ "string" }, function() quiet():agrees("(1)", "a text", "0") end)
    assert.is_false(quiet():finish())
  end)
  it("fails a line whose print was typed wrongly", function()
    local e = x^2 + hm.sin(x)
    local function line(text, symbols)
      local P = quiet()
      return P:misprint("(1)", "a misprint", P:printed(text, e, symbols), hm.number(0))
    end
    assert.equal("misprint", line "x^2 + sin(x)".verdict)
    assert.equal("misprint", line "sin(x) + x*x".verdict)
    assert.equal("in print: x^2 + sin(x)", line "x^2 + sin(x)".details[1])
    assert.equal("FAILED", line "x^2 - sin(x)".verdict)
    assert.equal("FAILED", line "x^2 + sin(y)".verdict)
    assert.equal("FAILED", line("x^2 + sin(y)", { hm.symbols "y" }).verdict)
    assert.equal("FAILED", line "x^2 + ".verdict)
    -- a text belongs to the next line alone
    local P = quiet()
    P:quote "as the text says it"
    assert.equal("quoted: as the text says it", P:definition("(1)", "a definition").details[1])
    assert.same({}, P:definition("(2)", "a definition").details)
    -- and to one
    P:quote "and nothing follows"
    assert.is_false(P:finish())
    check.raises({ "P:printed", "expression" }, function() P:printed("x^2", 4) end)
    check.raises({ "P:quote", "text" }, function() P:quote(e) end)
  end)
  it("shows nothing at the shell, and makes no picture for it", function()
    local P, called = quiet(), false
    P:show(function() called = true return "a picture" end)
    P:show(x^2)
    assert.is_false(called)
    check.raises({ "P:show" }, function() P:show() end)
  end)
  it("says why a statement is not checked", function()
    local P = quiet()
    assert.equal("not checked", P:not_checked("(1)", "a claim", "the theorem's proof is not repeated").verdict)
    assert.is_true(P:finish())
    check.raises({ "reason" }, function() P:not_checked("(2)", "a claim") end)
  end)
  it("fails an exact difference however small it is", function()
    assert.equal("FAILED", quiet():agrees("(1)", "differs by 1e-12", x*(1 + hm.number "1e-12") - x).verdict)
    local line = quiet():agrees("(1)", "a list", { x - x, hm.number "1e-15" })
    assert.equal("FAILED", line.verdict)
    assert.equal("entry 2 of 2 does not vanish, by exact algebra: 1/1000000000000000", line.details[1])
    assert.equal("FAILED", quiet():misprint("(1)", "corrected", 2*x, x/10^12).verdict)
    -- a rounded number in the formula is compared in numbers
    assert.equal("computed", quiet():agrees("(1)", "rounded", x*(0.1 + 0.2) - x*0.3).verdict)
    assert.equal("FAILED", quiet():agrees("(1)", "rounded", x*(0.1 + 0.2) - x*0.31).verdict)
  end)
  it("has no tolerance that hides everything, and shows an unusual one", function()
    for _, tolerance in ipairs{ math.huge, 10, 2e-3, 0/0, -1 } do
      check.raises({ "tolerance" }, function() hm.paper{ title = "t", tolerance = tolerance } end)
      if tolerance ~= 2e-3 then check.raises({ "tolerance" }, function() quiet():agrees("(1)", "w", { 0.01, tolerance = tolerance }) end) end
    end
    check.raises({ "tolerance" }, function() quiet():agrees("(1)", "w", { 0.01, tolerance = "1" }) end)
    local line = quiet():agrees("(1)", "to 20 digits", { 1e-20, tolerance = 2e-19 }, "reference")
    assert.same({ "computed", "reference: off by 1.0e-20 at most, tolerance 2e-19" }, { line.verdict, line.details[1] })
    assert.equal("FAILED", quiet():agrees("(1)", "to 20 digits", { 1e-18, tolerance = 2e-19 }).verdict)
    local P = hm.paper{ title = "t", quiet = true, tolerance = 1e-4 }
    assert.truthy(P:agrees("(1)", "coarse", 1e-5).details[1]:find("tolerance 1e-04", 1, true))
  end)
  it("shows the numbers of a comparison", function()
    local line = quiet():holds("S1", "small", { 1e-12, "<", 1e-11 }, "by a run")
    assert.same({ "computed", "by a run: 1e-12 < 1e-11" }, { line.verdict, line.details[1] })
    line = quiet():holds("S1", "both", { { 2, ">", 1 }, { 2, ">=", 3 } }, "by a run")
    assert.same({ "FAILED", "by a run: 2 > 1, 2 >= 3 does not hold" }, { line.verdict, line.details[1] })
    assert.equal("FAILED", quiet():holds("S1", "nan", { 0/0, "<", 1 }, "by a run").verdict)
    for _, row in ipairs{ {}, { 1, "=", 1 }, { 1, "<" }, { "1", "<", 2 }, { { 1, "<", 2 }, 3 } } do
      check.raises({ "P:holds" }, function() quiet():holds("S1", "no comparison", row, "by a run") end)
    end
  end)
  it("wants a misprint to be wrong as printed and right as corrected", function()
    local function misprint(what, ...)
      local P = quiet()
      P:printed("2*x", 2*x)
      return P:misprint("(1)", what, ...)
    end
    assert.equal("misprint", misprint("a sign", 2*x, 0*x).verdict)
    assert.equal("FAILED", misprint("right as printed", x - x, 0*x).verdict)
    assert.equal("FAILED", misprint("wrong as corrected", 2*x, x).verdict)
    for _, value in ipairs{ 0/0, math.huge, 1e-4 } do assert.equal("FAILED", misprint("no value as printed", value, 0).verdict) end
    -- refuted by the algebra, however small
    assert.equal("misprint", misprint("small", x/10^12, 0*x).verdict)
  end)
  it("wants every entry of a misprint to be wrong", function()
    local P = quiet()
    P:printed("2*x", 2*x)
    local line = P:misprint("(1)", "one of them holds", { 2*x, x - x, x }, 0*x)
    assert.equal("FAILED", line.verdict)
    assert.equal("as printed: entry 2 of 3 is not refuted", line.details[2])
  end)
  it("wants the text of a misprint beside the typed formula", function()
    for _, quoted in ipairs{ false, "2*x" } do
      local P = quiet()
      if quoted then P:quote(quoted) end
      local line = P:misprint("(1)", "nothing to compare", 2*x, 0*x)
      assert.equal("FAILED", line.verdict)
      assert.truthy(line.details[quoted and 2 or 1]:find("the text as printed is missing", 1, true))
    end
  end)
  it("reads an equation in print as its difference", function()
    for text, verdict in pairs{ ["x^2 = 2*x"] = "misprint", ["2*x = x^2"] = "FAILED" } do
      local P = quiet()
      P:printed(text, x^2 - 2*x)
      assert.equal(verdict, P:misprint("(1)", "an equation", x, 0*x).verdict)
    end
  end)
end)

describe("the exit status of a script", function()
  local script = 'local P = require "hamel".paper{ title = "a text" }\nP:agrees("(1)", "a check", %s)\nos.exit(P:finish())\n'
  it("is 0 when every check holds", function()
    local status, output = check.script(script:format "0")
    assert.equal(0, status, output)
    assert.truthy(output:find("1 line: 1 computed, 0 failed", 1, true), output)
  end)
  it("is 1 when one fails", function()
    local status, output = check.script(script:format "1")
    assert.equal(1, status, output)
    assert.truthy(output:find("1 failed", 1, true), output)
  end)
  it("is 1 when the script breaks after its last check", function()
    local status = check.script(script:format "0" :gsub("os.exit.-\n", 'P:finish() error "broken"\n'))
    assert.equal(1, status)
  end)
end)
