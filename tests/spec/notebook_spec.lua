-- notebooks as files, as scripts, and as pages without Jupyter
local check = require "check"
local json = require "hamel.base.json"
local notebook, page = require "hamel.jupyter.notebook", require "hamel.jupyter.page"
local command = require "hamel.jupyter.report".command

local function code(text) return { kind = "code", text = text } end
local function words(text) return { kind = "markdown", text = text } end

-- The page of cells, whether they succeeded, and the message
local function page_of(list)
  local out = os.tmpname()
  local fine, _, problem = page.write("test.ipynb", notebook.text(list), out .. ".html")
  local html = check.content(out .. ".html")
  os.remove(out)
  os.remove(out .. ".html")
  return html, fine, problem
end

describe("a notebook as a file", function()
  it("is read and written with the same cells", function()
    local list = { words "# Title\n\nText with \"quotes\" and α", code "x = 1\n\nx + 1", code "" }
    local text = notebook.text(list)
    assert.are.same(list, notebook.read(text, "a.ipynb"))
    local book = json.read(text)
    assert.are.equal(4, book.nbformat)
    assert.are.equal("hamel", book.metadata.kernelspec.name)
    assert.are.same({ "x = 1\n", "\n", "x + 1" }, book.cells[2].source)
    assert.is_true(text:find('"outputs": []', 1, true) ~= nil)
  end)

  it("is read as JupyterLab writes it, without cells that are no code and no text", function()
    local text = [[{ "cells": [ { "cell_type": "code", "source": "a = 1", "outputs": [ {} ], "execution_count": 3 }, { "cell_type": "raw", "source": [ "r" ] },
      { "cell_type": "markdown", "source": [ "one\n", "two" ] } ], "nbformat": 4 }]]
    assert.are.same({ code "a = 1", words "one\ntwo" }, notebook.read(text, "a.ipynb"))
  end)

  it("is refused where it is none, or in another language", function()
    check.raises({ "a.ipynb", "no notebook" }, notebook.read, "{", "a.ipynb")
    check.raises({ "format 4" }, notebook.read, '{"worksheets": []}', "a.ipynb")
    check.raises({ "in python" }, notebook.read, '{"cells": [], "metadata": {"kernelspec": {"language": "python"}}}', "a.ipynb")
    for _, source in ipairs{ "3", "[3]", "null" } do
      check.raises({ "cell" }, notebook.read, ('{"cells": [{"cell_type": "code", "source": %s}]}'):format(source), "a.ipynb")
    end
  end)
end)

describe("a script as a notebook", function()
  it("has the cells between its marks", function()
    local script = "#!/usr/bin/env hamel\n\nx = 1\n-- %% [markdown]\n-- # Title\n--\n-- text\n-- %% second\nx + 1;\n\n-- %%\n-- %%\nprint(x)\n"
    local list = notebook.of_script(script, "a.lua")
    assert.are.same({ code "x = 1", words "# Title\n\ntext", code "-- second\nx + 1;", code "x" }, list)
    assert.are.same({ words "text", code "y = 2" }, notebook.of_script("-- %% [markdown]\n-- text\ny = 2", "a.lua"))
    assert.are.same({ words "## Steps\n\ntext" }, notebook.of_script("-- %% Steps [markdown]\n--\n-- text", "a.lua"))
  end)

  it("shows what its cells print last, where that is one value and no text", function()
    local function last(text) return notebook.of_script(text, "a.lua")[1].text end
    assert.are.equal("S:equations()", last "print(S:equations())")
    for _, text in ipairs{ "print(1, 2)", "print('text')",
                            "print(('%d'):format(3))", "for i = 1, 2 do\nprint(i) end", "x = [[\nprint(x)]]", "print()" } do
      assert.are.equal(text, last(text))
    end
  end)

  it("is refused where a mark cuts a statement", function()
    check.raises({ "a.lua", "line 1", "between statements" }, notebook.of_script, "for i = 1, 2 do\n-- %%\nend", "a.lua")
  end)
end)

describe("a notebook as a script", function()
  local list = { words "# Title\n\n%% text", code "local a = 20\na + 1", code "print 'told'", code "display(a)\na*2;", code "1, 2", code "b = 3",
                 code "ans == 40" }

  it("prints what the cells show", function()
    assert.are.equal("21\ntold\n20\n1\t2\ntrue\n", select(2, check.script(notebook.script(list, "a.ipynb"))))
  end)

  it("becomes the same notebook again", function()
    local cells = { words "# Title", code "S = hm.system 's'\nx = S:coordinates 'x'", code "x.dot^2", code "y = {\n  1,\n  2 }\n#y", code "1 + 1;" }
    local script = notebook.script(cells, "a.ipynb")
    local again = notebook.of_script(script, "a.lua")
    assert.are.equal("ans = 1 + 1", again[5].text)
    again[5].text = "1 + 1;"
    assert.are.same(cells, again)
    assert.are.equal(script, notebook.script(again, "a.ipynb"))
  end)

  it("is refused where cells are no Lua", function()
    check.raises({ "a.ipynb", "one script" }, notebook.script, { code "x = = 1" }, "a.ipynb")
  end)
end)

describe("the page of a notebook", function()
  it("has texts, cells, and what they show, in place", function()
    local html, fine = page_of{ words "# The *page*\nwith $x^2$ and \\$5 and $\\unheardof x$", words "## Part\n$$\n\\dot{x} = 1\n$$\n* one\n* two",
      code "S = hm.system 'one'\nx = S:coordinates 'x'\nS:kinetic_energy(x.dot^2/2)\nS:equations()",
      code "io.write('a', 1):write 'b\\n' print 'c'\n42", code "io.write 'no handle'",
      code "hidden = 'not shown'\nhidden;", code "display(1, nil, 2)", code "nil" }
    assert.is_true(fine)
    for _, part in ipairs{ "<h1>The page</h1>", "<msup>", "$5", "<code>\\unheardof x</code>", ">Part</h2>", "<mover>", "<li>one</li>", "a1b\nc\n42",
                           '<pre class="cell">', "<pre>1\nnil\n2</pre>",
                           "<pre>no handle</pre>" } do
      assert.truthy(html:find(part, 1, true), part)
    end
    assert.falsy(html:find("<pre>not shown", 1, true))
    assert.falsy(html:find("src=\"http", 1, true))
    assert.truthy(html:find("The <em>page</em>", 1, true) == nil)
  end)

  it("shows motions, types of one's own and what values print", function()
    local html = page_of{ code "setmetatable({}, { __mime = function() return { ['text/markdown'] = '**mine**' } end })",
      code "setmetatable({}, { __mime = function() return { ['text/html'] = '<b>\"own\"</b>' } end })",
      code("S = hm.system 'one'\nx = S:coordinates 'x'\nS:kinetic_energy(x.dot^2/2)\nrun = S:simulate{ q = {x = 0}, v = {x = 1}, t = 1 }\n"
        .. "run:animate({ {'ball', at = {x, 0}, radius = 0.1} }, { n = 5 })") }
    assert.truthy(html:find("<strong>mine</strong>", 1, true))
    assert.truthy(html:find('srcdoc="&lt;b&gt;&quot;own&quot;&lt;/b&gt;"', 1, true))
    assert.truthy(html:find('<iframe title="motion" srcdoc="&lt;!doctype html', 1, true))
  end)

  it("refuses what __mime must not return", function()
    for text, expected in pairs{ ["3"] = "__mime returned number", ["{ 3 }"] = "with the entry [1]", ["nil"] = "__mime returned nil" } do
      local _, fine, problem = page_of{ code("setmetatable({}, { __mime = function() return " .. text .. " end })") }
      assert.is_false(fine)
      assert.truthy(problem:find(expected, 1, true), problem)
    end
  end)

  it("ends at the cell that fails, with its line", function()
    local html, fine, problem = page_of{ code "function f(v)\n  return v.x.y\nend", code "print 'before'", code "f{}", code "print 'behind'" }
    assert.is_false(fine)
    assert.truthy(problem:find("cell 1, line 2:  return v.x.y", 1, true) and problem:find("cell 3, line 1:  f{}", 1, true), problem)
    assert.falsy(problem:find("lua/hamel", 1, true))
    assert.truthy(html:find("A cell failed", 1, true) and html:find("before", 1, true) and not html:find("behind", 1, true))
    html, fine, problem = page_of{ code "x = = 1" }
    assert.is_false(fine)
    assert.truthy(html:find("A cell failed", 1, true) and problem:find("near '='", 1, true))
  end)

  it("says which cells os.exit left out, and is no success then", function()
    local html, fine = page_of{ code "print 'one'", code "os.exit(0)", code "print 'never'\nassert(false)", words "text", code "" }
    assert.is_false(fine)
    assert.truthy(html:find("os.exit ended the notebook in cell 2; 1 cell was not run", 1, true))
    html, fine = page_of{ code "print 'one'", code "os.exit(0)\nprint 'never'" }
    assert.is_false(fine)
    assert.truthy(html:find("in cell 2, line 1; from line 2 on nothing was run", 1, true))
    assert.is_true(select(2, page_of{ code "print 'one'", code "x = 3; os.exit(0)", words "the end" }))
  end)
end)

describe("the notebooks of the examples", function()
  it("run without Jupyter, as pages and as scripts", function()
    check.needs("command -v gnuplot", "gnuplot")
    local list = io.popen "ls examples/notebooks/*.ipynb"
    local count = 0
    for path in list:lines() do
      local out, text = os.tmpname(), check.content(path)
      local fine, _, problem = page.write(path, text, out .. ".html")
      assert.is_true(fine, path .. ": " .. tostring(problem))
      local html = check.content(out .. ".html")
      assert.truthy(html:find("<math", 1, true) and html:find("<svg", 1, true), path)
      assert.falsy(html:find("table: 0x", 1, true))
      local script = notebook.script(notebook.read(text, path), path)
      assert.are.same(notebook.read(text, path), notebook.of_script(script, path))
      local status, output = check.script(script)
      assert.are.equal(0, status or 0, output)
      os.remove(out)
      os.remove(out .. ".html")
      count = count + 1
    end
    list:close()
    assert.is_true(count >= 5)
  end)
end)

describe("hamel report", function()
  it("says what can be made of a script and of a notebook", function()
    local _, usage = pcall(command, {})
    assert.truthy(usage:find("usage: hamel report script.lua", 1, true) and usage:find("notebook.ipynb", 1, true))
    check.raises({ ".html, .pdf or .lua" }, command, { "a.ipynb", "-o", "b.ipynb" })
    check.raises({ ".html, .pdf, .tex or .ipynb" }, command, { "a.lua", "-o", "b.lua" })
    check.raises({ "cannot read", "nowhere.ipynb" }, command, { "/nowhere.ipynb" })
    local path = os.tmpname()
    os.rename(path, path .. ".ipynb")
    check.write(path .. ".ipynb", notebook.text{ code "1" })
    check.raises({ "a page (.html or .pdf) or a script (.lua)" }, command, { path .. ".ipynb", "-o", path .. ".tex" })
    os.remove(path .. ".ipynb")
  end)
end)
