-- paper_spec.lua: verdicts of a reproduction script: what counts as agreement, and the exit status a script ends with.
local check = require "check"
local hm = require "hamel"

local function quiet() return hm.paper{ title = "a text", quiet = true } end
local x = hm.symbols "x"

describe("a table of verdicts", function()
  it("counts what vanishes as agreement and nothing else", function()
    local P = quiet()
    assert.equal("agrees", P:agrees("(1)", "an identity", hm.sin(x)^2 + hm.cos(x)^2 - 1).verdict)
    assert.equal("agrees", P:agrees("(2)", "a small number", 1e-12).verdict)
    assert.is_true(P:finish())
    assert.equal("FAILED", P:agrees("(3)", "no identity", hm.sin(x) - x).verdict)
    assert.equal("FAILED", P:agrees("(4)", "a large number", 0.1).verdict)
    assert.equal("FAILED", P:agrees("(5)", "one of several", { 0, hm.number(0), 0.1 }).verdict)
    assert.equal(3, P.failed)
    assert.is_false(P:finish())
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
    check.raises({ "string" }, function() quiet():agrees("(1)", "a text", "0") end)
    assert.is_false(quiet():finish())
  end)
  it("wants a misprint to be wrong as printed and right as corrected", function()
    assert.equal("misprint", quiet():misprint("(1)", "a sign", 2*x, 0*x).verdict)
    assert.equal("FAILED", quiet():misprint("(1)", "right as printed", x - x, 0*x).verdict)
    assert.equal("FAILED", quiet():misprint("(1)", "wrong as corrected", 2*x, x).verdict)
  end)
end)

describe("the exit status of a script", function()
  local script = 'local P = require "hamel".paper{ title = "a text" }\nP:agrees("(1)", "a check", %s)\nos.exit(P:finish())\n'
  it("is 0 when every check holds", function()
    local status, output = check.script(script:format "0")
    assert.equal(0, status, output)
    assert.truthy(output:find("1 lines, 0 misprints, 0 failed", 1, true), output)
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
