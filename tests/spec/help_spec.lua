-- help: every public name has a page, names, values and words find it
local hm, check = require "hamel", require "check"
local core, help = require "hamel.core", require "hamel.book.help"
local object = require "hamel.base.object"

local function text(...) return tostring(hm.help(...)) end

describe("help", function()
  it("has a page for every public name", function()
    local have = {}
    for _, entry in ipairs(help.entries()) do
      have[entry.name] = true
      assert(#entry.text > 10, entry.name)
    end
    local missing = {}
    local function demand(name) if not have[name] and not have[(name:gsub(":", "."))] then missing[#missing + 1] = name end end
    for name in next, hm do demand("hm." .. name) end
    for name in pairs(core.methods) do demand("e:" .. name) end
    for prefix, module in pairs{ S = "system", run = "run.trajectory", matrix = "algebra.matrix", equations = "equations", paper = "show.paper" } do
      local class = require("hamel." .. module)
      for name, value in next, class do
        if type(value) == "function" and name ~= "item" and name ~= "new" and name:sub(1, 1) ~= "_" then demand(prefix .. ":" .. name) end
      end
      for name in next, rawget(class, "get") do demand(prefix .. "." .. name) end
    end
    for name in pairs(require "hamel.forms") do demand(name) end
    for name in pairs(core.steppers()) do demand(name) end
    assert.are.same({}, missing)
  end)

  it("has pages for branches, charts and diagrams, under their names and the letters of the examples", function()
    assert.truthy(text "B:plot":find("branch:plot(...)\n  Draws a branch", 1, true), text "B:plot")
    assert.truthy(text "branch:plot":find("\n    with ", 1, true))
    assert.truthy(text "B:switch":find("Follows the branch that starts at a special point", 1, true))
    assert.truthy(text "B:switch":find("\n    largest ", 1, true))
    for _, option in ipairs{ "column", "levels", "fix" } do assert.truthy(text "C:plot":find("\n    " .. option .. " ", 1, true), option) end
    assert.is_nil(text "C:plot":find("\n    equal ", 1, true))
    assert.truthy(text "D:plot":find("bifurcation diagram as points", 1, true))
    assert.truthy(text "hm.load":find("x.branch", 1, true))
  end)

  it("has a page for every command of the shell", function()
    for _, word in ipairs{ "report", "reproduce", "new", "merge", "submit", "verify", "manual", "luacats", "jupyter" } do
      local page = text("hamel " .. word)
      assert(page:find("a command of the shell: hamel " .. word, 1, true), page)
      assert.truthy(text(word):find("hamel " .. word, 1, true), word)
    end
    assert.truthy(text "submit":find("--hours 1", 1, true))
    assert.truthy(text "merge":find("-o all.csv", 1, true))
  end)

  it("writes defaults as one writes them, and options where a function takes them", function()
    for _, entry in ipairs(help.entries()) do assert(not help.option_lines(entry):find("0x", 1, true), entry.name) end
    assert.truthy(text "export_c":find("({} when not given)", 1, true))
    assert.is_nil(text "e:series":find("Options:", 1, true))
    -- names that share a line have docstrings of their own where they are defined
    assert.truthy(text "where":find("hm.where(c, a, b)\n  a where the condition holds", 1, true))
    assert.truthy(text "highest" ~= text "lowest" and text(hm.lowest):find("The lowest value", 1, true))
    -- methods of integration are no methods of expressions
    check.raises({ "nothing is called 'e:meets_corners'" }, hm.help, "e:meets_corners")
  end)

  it("finds pages by name, by function, by object", function()
    local S = check.sleigh(hm)
    assert.are.equal(text "simulate", text(S.simulate))
    assert.truthy(text "S:simulate":find("Simulates the motion", 1, true))
    assert.truthy(text(hm.diff):find("Partial derivative", 1, true))
    assert.truthy(text "maggi":find("Maggi 1896", 1, true))
    assert.truthy(text "newton":find("u+ = -e u-", 1, true))
    assert.truthy(text "atan2":find("angle of the point", 1, true))
    assert.truthy(text "gauss4":find("symplectic", 1, true))
    assert.truthy(text "after":find("the k-th impact", 1, true))
    for _, word in ipairs{ "S:simulate", "S:forms", "S:quasi_velocities" } do assert.truthy(text(S):find(word, 1, true), word) end
    assert.truthy(text(hm.t):find("e:simplify", 1, true))
    assert.truthy(text():find("apropos", 1, true))
  end)

  it("finds pages by words, examples by name", function()
    local found = tostring(hm.apropos "slip two-sided")
    assert.truthy(found:find("S:friction", 1, true))
    local list = tostring(hm.examples())
    for _, name in ipairs{ "suslov", "rattleback", "woodpecker" } do assert.truthy(list:find(name, 1, true), name) end
    for line in list:gmatch "[^\n]+" do assert(line:find "%S%s+%S", line) end
  end)

  it("explains every status of a run, and messages by their words", function()
    local words = object.keys(core.rows.statuses)
    assert.truthy(#words > 20)
    for _, status in ipairs{ "INACCURATE", "START", table.unpack(words) } do
      assert.truthy(text(status):find(status .. "[^\n]*\n  %u"), status)
      assert.falsy(text(status):find("nothing is called", 1, true), status)
    end
    assert.truthy(text "singular mass":find("SINGULAR_MASS (status): the mass matrix is singular", 1, true))
    assert.truthy(text "limit":find("LIMIT (status)", 1, true) and text "limit":find("max_steps", 1, true))
    assert.truthy(text "is not defined":find("hm.use()", 1, true))
    -- a letter is no beginning of every word
    assert.falsy(text "S":find("synthesis of controllers", 1, true) or text "e":find("shapes of a motion", 1, true))
    assert.equal(text(), text "")
    assert.equal(text(), text " ")
  end)

  it("says what is not there", function()
    for word, wanted in pairs{ ["run.at"] = "run:at", ["System:simulate"] = "S:simulate", contacts = "S:contact", Newton = "hm.newton",
                               energy = "S:kinetic_energy", pendulum = "spatial_pendulum", tolerance = "option rtol", method = "radau5",
                               hm = "hm.system", ["quasi-velocities"] = "S:quasi_velocities", spring = "S:potential_energy",
                               ["simulate{"] = "S:simulate", measured = "S:fit", unstable = "pages with the word" } do
      assert.truthy(tostring(hm.help(word)):find(wanted, 1, true), word)
    end
    -- five functions called plot: their options once, that of runs first
    local pages = tostring(hm.help "plot")
    assert.equal(1, pages:find "run:plot")
    assert.equal(1, select(2, pages:gsub("\n    xlabel ", "")))
    check.raises({ "nothing is called 'simulat'", "did you mean 'simulate'", "apropos" }, hm.help, "simulat")
    check.raises({ "no page" }, hm.help, print)
    check.raises({ "nothing of the library's" }, hm.help, {})
    check.raises({ "no page contains 'xylophone'" }, hm.apropos, "xylophone")
    check.raises({ "apropos takes words" }, hm.apropos, 3)
    check.raises({ "there is no 'susloff'", "did you mean 'suslov'" }, hm.examples, "susloff")
  end)
end)
