-- the kernel of notebooks without its sockets: cells, requests, errors, what is shown
local hm, check = require "hamel", require "check"
local cells = require "hamel.jupyter.cells"
local display = require "hamel.show.display"
local failure = require "hamel.jupyter.failure"
local requests = require "hamel.jupyter.requests"
local sessions = require "hamel.repl.session"

local session = sessions.new()

-- Values of a cell, and whether they are hidden
local function run(text)
  local chunk, hidden = cells.compile(text, session, "=cell 1")
  assert(chunk, hidden)
  return table.pack(chunk()), hidden
end

describe("a cell", function()
  it("shows its last lines when they are an expression, a call too", function()
    assert.are.equal(3, run("1 + 2")[1])
    assert.are.equal(5, run("local a = 2\na + 3")[1])
    assert.are.equal("X", run("b = 'x'\nb:upper()\n-- a comment")[1])
    assert.are.equal(3, #run("c = 1\n{\n  1,\n  2, 3 }")[1])
    assert.are.equal(6, run("d = 2; d*3")[1])
    assert.are.same({ 1, 2, n = 2 }, (run "1, 2"))
    assert.are.equal(0, run("e = 7").n)
    assert.are.equal(0, run("for i = 1, 2 do\nend").n)
    assert.are.equal(9, run("if e then\n  e = 9\nend\nreturn e")[1])
  end)

  it("keeps locals for the next one", function()
    run "local kept <const> = 41"
    assert.are.equal(42, run("kept + 1")[1])
    run "local other = 1\nother + 1"
    assert.are.equal(1, run("other")[1])
  end)

  it("that breaks off is refused, and assigns nothing", function()
    run "kept = 7"
    for _, text in ipairs{ "kept =", "kept = kept.", "kept = kept:", "kept = 1 +", "kept = not", "local kept =", "print()\nkept =" } do
      assert(not cells.compile(text, session, "=cell 1"), text)
      assert(not sessions.compile(text, session, "=input 1"), text)
    end
    assert.are.equal(7, run("kept")[1])
  end)

  it("may end in a name before a semicolon and an expression", function()
    run "word = 'w'"
    assert.are.equal("ww", run("other = word; other .. word")[1])
    assert.are.equal("w", run("other = word; other:lower()")[1])
    assert.are.equal(0, run("other = word -- a comment; 2").n)
    assert.are.same({ "other = word -- a comment; 2", nil, false }, { cells.parts "other = word -- a comment; 2" })
    local _, message = pcall((cells.compile("other = 1\nother.x.y()", session, "=cell 1")))
    assert(message:find("cell 1:2:", 1, true), message)
  end)

  it("hides its value behind a final semicolon", function()
    local values, hidden = run "1 + 2;"
    assert(hidden and values[1] == 3)
    values, hidden = run "local f = 1\nf ; "
    assert(hidden and values[1] == 1)
    assert(not select(2, run "1 + 2"))
  end)

  it("is complete, incomplete or invalid", function()
    for text, state in pairs{ ["x = 1"] = "complete", ["f(\n"] = "incomplete", ["f()\ng()"] = "complete", ["x = = 1"] = "invalid", ["a = 1\na"] = "complete",
                              ["for i = 1, 2 do"] = "incomplete", ["1 +"] = "incomplete", ["S:f{};"] = "complete", [""] = "complete" } do
      assert.are.equal(state, cells.state(text), text)
    end
  end)

  it("with a mistake is refused with the message of the prompt", function()
    local chunk, message = cells.compile("x = 1\ny = = 2", session, "=cell 1")
    assert(not chunk and message:find("cell 1:2:", 1, true) and message:find("near '='", 1, true), message)
  end)
end)

describe("an error in a cell", function()
  it("names the lines of the cells that led there", function()
    local code = { [2] = "function f(v)\n  return v.x.y\nend", [4] = "  f{}" }
    local e = failure.of("cell 2:2: no y\n\tcell 2:2: in function 'f'\n\tcell 4:1: in main chunk", code, "error")
    assert.are.equal("no y", e.evalue)
    assert.are.same({ "\27[31mno y\27[0m", "  cell 2, line 2:  return v.x.y", "  cell 4, line 1:  f{}" }, e.traceback)
    assert.are.equal("word", failure.of("word", {}, "error").evalue)
  end)
end)

describe("a request", function()
  it("counts characters, not bytes", function()
    run 'S = hm.system "s"\nx = S:coordinates "x"'
    local reply = requests.complete({ code = "-- αβ\nS:kine", cursor_pos = 12 }, session)
    assert.are.same({ "S:kinetic_energy" }, reply.matches)
    assert.are.same({ 6, 12 }, { reply.cursor_start, reply.cursor_end })
    reply = requests.complete({ code = "α = S:equ + β", cursor_pos = 9 }, session)
    assert.are.same({ "S:equations", "S:equilibrium" }, reply.matches)
    assert.are.equal(0, #requests.complete({ code = "\xff zzzz", cursor_pos = 99 }, session).matches)
  end)

  it("for help finds the name at the cursor, or the open call", function()
    local function page(code, at) return requests.inspect{ code = code, cursor_pos = at or utf8.len(code) } end
    assert(page("hm.system").data["text/plain"]:find("hm.system", 1, true))
    assert(page("hm.system('x')", 5).data["text/plain"]:find("hm.system", 1, true))
    assert(page("run = S:simulate{ q = {x = 1}, ").data["text/plain"]:find("rtol", 1, true))
    -- options come first where a call is being written
    local markdown = page("S:simulate{ ").data["text/markdown"]
    assert(markdown:find("^%*%*S:simulate%(given%)%*%*\n\n| | |\n|:%-%-%-|:%-%-%-|\n| %*%*%w+%*%* | "), markdown)
    assert(markdown:find("\n| **first\\_step** | first step tried; 0: chosen (0 when not given) |\n", 1, true), markdown)
    markdown = page("S:simulate").data["text/markdown"]
    assert(markdown:find("**\n\nSimulates the motion", 1, true) and markdown:find("| **form** | ", 1, true), markdown)
    assert(page("run.t").data["text/markdown"] == "**run.t**\n\nTimes of the stored states.", page("run.t").data["text/markdown"])
    assert(not page("zzzz").found)
    assert(not page("").found)
  end)

  it("for history gives the last ones, a range, or those that match", function()
    local entries = { { 1, "a = 1" }, { 2, "b = (2)" }, { 3, "a = 3" } }
    local function numbers(content)
      local list = {}
      for i, entry in ipairs(requests.history(content, entries).history) do list[i] = entry[2] end
      return list
    end
    assert.are.same({ 2, 3 }, numbers{ hist_access_type = "tail", n = 2 })
    assert.are.same({ 2 }, numbers{ hist_access_type = "range", start = 2, stop = 3 })
    assert.are.same({ 1, 3 }, numbers{ hist_access_type = "search", pattern = "a*" })
    assert.are.same({ 2 }, numbers{ hist_access_type = "search", pattern = "?*(2)" })
    assert.are.same({ 1, 2, 3 }, numbers{ hist_access_type = "tail", n = 10 })
  end)
end)

describe("hamel jupyter", function()
  it("says how to build the kernel where the program has none", function()
    check.raises({ "built without its Jupyter kernel", "libzmq3-dev", "-DHAMEL_JUPYTER=ON" }, require("hamel.jupyter.command").command, { "install" })
  end)
end)

describe("a notebook", function()
  local S = hm.system "a_b $ <c>"
  local x, y = S:coordinates "x y"
  S:kinetic_energy((x.dot^2 + y.dot^2)/2)
  S:constraint("first_row", x.dot - y*y.dot)

  after_each(function() hm.notebook{ math = "latex", pictures = "both", width = 50, height = 420 } end)

  it("typesets equations with their names, and titles without signs of Markdown", function()
    local types = display.types(S:equations())
    assert(types["text/latex"]:find("^%$\\begin{array}{ll} \\mathrm{x} & \\displaystyle \\ddot{x} = "), types["text/latex"])
    assert(types["text/latex"]:find("\\mathrm{first\\_row} & \\displaystyle \\dot{x} - y \\dot{y} = 0", 1, true))
    assert(types["text/markdown"]:find("^a\\_b &#36; &lt;c&gt;: Lagrange equations"), types["text/markdown"])
    assert.is_nil(types["text/html"])
  end)

  it("names rows by Greek letters", function()
    local P = hm.system "p"
    local theta, rho_2 = P:coordinates "theta rho_2"
    P:kinetic_energy((theta.dot^2 + rho_2.dot^2)/2)
    local latex = display.types(P:equations())["text/latex"]
    assert(latex:find("{ll} \\theta & ", 1, true) and latex:find("\\mathrm{rho\\_2} & ", 1, true), latex)
  end)

  it("breaks long formulas, for every form", function()
    hm.notebook{ width = 12 }
    local latex = display.types((x + y + 1)^2 + hm.sin(x)*hm.cos(y) + x.dot + y.dot)["text/latex"]
    assert(latex:find("\\begin{array}{l}", 1, true) and latex:find("\\qquad", 1, true), latex)
    for _, form in ipairs{ "lagrange", "maggi", "hamel", "chaplygin", "kane", "appell" } do
      local fine, E = pcall(S.equations, S, form)
      if fine then assert(display.types(E)["text/latex"]:find("\\displaystyle", 1, true), form) end
    end
  end)

  it("shows matrices, derivations and types of one's own; other values as text alone", function()
    assert(display.types(hm.matrix{ { x, y } })["text/latex"]:find("pmatrix", 1, true))
    assert(display.types(S:derivation "maggi")["text/markdown"]:find("**1.** ", 1, true))
    assert.are.same({ ["a/b"] = 7 }, display.types(setmetatable({}, { __mime = function() return { ["a/b"] = 7 } end })))
    for _, value in ipairs{ 1, "x", {}, print } do assert.are.same({}, display.types(value)) end
    hm.notebook{ math = "text" }
    assert.are.same({}, display.types(x))
  end)

  it("shows results as tables with their formulas typeset", function()
    local function markdown(value) return display.types(value)["text/markdown"] end
    local A = hm.system "a|b"
    local u, theta = A:coordinates "u theta"
    A:kinetic_energy((u.dot^2 + theta.dot^2)/2)
    A:potential_energy(theta^2/2)
    A:constraint("blade", u.dot*hm.sin(theta) - theta.dot*u)
    assert(markdown(A):find("^a\\|b: as declared\n\n|  |  |\n|:%-%-%-|:%-%-%-|\n| coordinates | u, θ |\n"), markdown(A))
    assert(markdown(A):find("| constraint | blade: $\\displaystyle \\dot{u} \\sin \\theta - ", 1, true), markdown(A))
    assert(markdown(A:multipliers()):find("| lambda.blade | $\\displaystyle ", 1, true))
    assert(markdown(A:forms()):find("| maggi | Maggi equations | yes |", 1, true))
    local P = hm.system "pendulum"
    local phi = P:coordinates "phi"
    P:kinetic_energy(phi.dot^2/2)
    P:potential_energy(-hm.cos(phi))
    local conserved = markdown(P:conserved())
    assert(conserved:find("| energy | $\\displaystyle ", 1, true) and conserved:find("| proved |\n\nsearched over", 1, true), conserved)
    local L = markdown(P:linearize{ q = { phi = 0 }, v = { phi = 0 } })
    assert(L:find("|  | eigenvalue |", 1, true) and L:find("stable: the energy has a strict minimum", 1, true), L)
    local W = markdown(P:sweep{ over = { { "q.phi", hm.range(0.1, 1, 30) } }, v = { phi = 0 }, t = 1, keep = { "phi" } })
    assert(W:find("| index | q.ϕ | status | t | steps | ϕ |", 1, true) and W:find("| 20 | ", 1, true) and not W:find("| 21 | ", 1, true), W)
    assert(W:find("\n\n... 10 rows more", 1, true))
    assert.are.equal("pendulum has no constraints, and no multipliers", markdown(P:multipliers()))
    -- every row has as many cells as the head
    for _, text in ipairs{ markdown(A), conserved, W, L, markdown(A:forms()) } do
      local bars
      for line in text:gmatch "\n(|[^\n]*)" do
        local count = select(2, line:gsub("\\.", ""):gsub("|", ""))
        assert.are.equal(bars or count, count, line)
        bars = count
      end
    end
    hm.notebook{ math = "text" }
    assert.are.same({}, display.types(A))
  end)

  it("shows a motion without a file, in a frame that cannot reach the notebook", function()
    local run_ = S:simulate{ q = { x = 0, y = 1 }, v = { y = 1 }, t = 1 }
    local motion = run_:animate({ { "ball", at = { x, y }, radius = 0.1 } }, { n = 10 })
    assert(tostring(motion):find("^motion: 10 frames from t = 0 to 1"))
    hm.notebook{ height = 300 }
    local html = display.types(motion)["text/html"]
    assert(html:find('^<iframe sandbox="allow%-scripts" style="width:100%%;height:300px'), html:sub(1, 200))
    assert(html:find("&lt;!doctype html&gt;", 1, true) and not html:find("<!doctype", 1, true))
  end)

  it("refuses settings that there are not", function()
    check.raises({ "notebook", "'latex' or 'text'", "'html'" }, hm.notebook, { math = "html" })
    check.raises({ "notebook", "'widht'", "width" }, hm.notebook, { widht = 3 })
  end)
end)
