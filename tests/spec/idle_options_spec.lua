-- Options and names that would be passed over in silence, and files that read as something else
local hm, check = require "hamel", require "check"

local function oscillator()
  local S = hm.system "oscillator"
  local x = S:coordinates "x"
  S:positive "m=1"
  S:kinetic_energy(S:symbol "m"*x.dot^2/2)
  S:potential_energy(x^2/2)
  return S, x
end
local function with(more)
  local o = { q = { x = 1 }, v = { x = 0 }, t = 1 }
  for name, value in pairs(more) do o[name] = value end
  return o
end

describe("what would be passed over in silence", function()
  it("is refused by S:simulate", function()
    local S, x = oscillator()
    for _, case in ipairs{
      { { t = { 0, 1, 2 } }, "two entries", "times" }, { { every = 0.1 }, "every", "checkpoint" }, { { reactions = {} }, "newtonian" },
      { { events = { name = "zero", when = x } }, "braces" }, { { events = { when = x } }, "braces" },
    } do
      check.raises({ table.unpack(case, 2) }, S.simulate, S, with(case[1]))
    end
    assert.equal("OK", S:simulate(with{ t = { 1, 2 } }).status)
    assert.equal("OK", S:simulate(with{ events = { zero = { when = x - 3 } } }).status)
    assert.equal("OK", S:simulate(with{ events = { when = { when = x - 3 } } }).status)
  end)

  it("is a checkpoint of studies that make many runs: its file holds one", function()
    local S = oscillator()
    local run = { q = { x = 1 }, v = { x = 0 }, t = 1, checkpoint = "none.hamel" }
    local function study(more) for name, value in pairs(run) do if more[name] == nil then more[name] = value end end return more end
    check.raises({ "sweep: 'checkpoint' is for a single run", "out = " }, S.sweep, S, study{ over = { { "m", { 1, 2 } } } })
    check.raises({ "chart: 'checkpoint' is for a single run", "out = " }, S.chart, S, study{ over = { { "m", { 1, 2 } } }, of = { "x" } })
    run.t = nil
    check.raises({ "diagram: 'checkpoint' is for a single run" }, S.diagram, S, study{ along = { "m", { 1, 2 } }, of = "x", stroboscope = 1 })
    check.raises({ "fit: 'checkpoint' is for a single run" }, S.fit, S, study{})
  end)

  it("is refused by S:sweep", function()
    local S = oscillator()
    local function sweep(more)
      local o = with(more)
      o.over = o.over or { { "m", { 1, 2 } } }
      return S:sweep(o)
    end
    for _, name in ipairs{ "status", "m", "t", "steps", "index", "reason", "series", "evaluations" } do
      check.raises({ "keep", "'" .. name .. "'", "already" }, sweep, { keep = { [name] = "x" } })
    end
    check.raises({ "keep", "'x' twice" }, sweep, { keep = { "x", x = "x'" } })
    check.raises({ "'m' twice" }, sweep, { over = { { "m", { 1, 2 } }, { "m", { 3, 4 } } } })
    check.raises({ "'q.x' twice" }, sweep, { over = { { "x", { 1, 2 } }, { "q.x", { 3, 4 } } } })
    check.raises({ "two entries" }, sweep, { t = { 0, 1, 2 } })
    assert.equal(1, sweep{ keep = { mass = "m" } }[1].mass)
  end)

  it("hm.range takes whole floats and shows what else it was given", function()
    assert.same(hm.range(0, 1, 11), hm.range(0, 1, 11.0))
    check.raises({ "whole number", "11.5" }, hm.range, 0, 1, 11.5)
    check.raises({ "whole number", "0" }, hm.range, 0, 1, 0)
  end)
end)

describe("hm.read", function()
  local path = os.tmpname() .. ".csv"
  local function read(text)
    check.write(path, text)
    return hm.read(path)
  end

  it("refuses what reads as something else", function()
    check.raises({ "line 2", "1e400", "beyond the range" }, read, "t,x\n0,1e400\n")
    check.raises({ "carriage returns" }, read, "t,x\r0,1\r1,2\r")
    check.raises({ "line 1", "parted by spaces" }, read, "0 1\n1 2\n")
    check.raises({ "line 2", "parted by spaces" }, read, "t x\n0 1\n1 2\n")
    os.remove(path)
  end)

  it("takes numbers as they are, and columns of texts", function()
    local d = read "t,x,what\r\n-1.5e-3,1,\r\n+.5,nan,\"0x10\"\r\n2.,3,up\r\n"
    assert.same({ -1.5e-3, 0.5, 2.0 }, d.t)
    assert.truthy(d.x[2] ~= d.x[2])
    assert.same({ "", "0x10", "up" }, d.what)
    assert.same({ 0.5, 1.5 }, read('"t; s";x\n0.5;1\n1.5;2\n')["t; s"])
    assert.same({ 1, 2 }, read "t\tx, y\n0\t1\n1\t2\n"["x, y"])
    os.remove(path)
  end)

  it("refuses an empty field among numbers, or takes it as nan on request", function()
    check.raises({ "line 3, column 'x'", "is empty", 'empty = "nan"' }, read, "t,x\n0,1\n1,\n2,3\n")
    check.raises({ "line 2, column 'x'", "is empty" }, read, "t,x\n0,\n1,2\n")
    pcall(read, "t,x\n0,1\n1,\n2,3\n")
    local d = hm.read(path, { empty = "nan" })
    assert.same({ 0, 1, 2 }, d.t)
    assert.truthy(d.x[2] ~= d.x[2] and d.x[3] == 3)
    check.raises({ "only choice" }, hm.read, path, { empty = "zero" })
    check.raises({ "column 'x': entry 2 is no number" }, hm.data, { file = path })
    os.remove(path)
  end)

  it("refuses numbers in the notation of other programs, with line and column", function()
    for _, case in ipairs{
      { "1 000", "in groups" }, { "12'345.5", "in groups" }, { "1\u{a0}000", "in groups" }, { "0x10", "hexadecimal" }, { "1.5D+03", "Fortran" },
      { "\u{2212}5", "minus sign" }, { "1 2", "parted by spaces" }, { '"0,5"', "decimal comma" }, { "abc", "is no number" }, { "1.2.3", "is no number" },
      { "inf", "is no number" }, { "--", "is no number" },
    } do
      check.raises({ "line 3, column 'x'", case[2] }, read, "t,x\n0,1\n1," .. case[1] .. "\n")
      if case[2] ~= "is no number" then
        check.raises({ "line 2, column 'x'", case[2] }, read, "t,x\n1," .. case[1] .. "\n")
        check.raises({ "line 1", case[2] }, read, case[1] .. ",1\n2,3\n")
      end
    end
    check.raises({ "line 2, column 't'", "decimal comma" }, read, "t;x\n0,5;1,5\n")
    check.raises({ "line 1", "decimal comma" }, read, "0,5;1,5\n")
    check.raises({ "line 2, column 't x'", "several numbers" }, read, "t x\n0;1\n")
    check.raises({ "line 3, column 'x'", "texts" }, read, "t,x\n0,up\n1,3\n")
    os.remove(path)
  end)

  it("refuses files that are no table", function()
    local S = hm.system "p"
    local x = S:coordinates "x"
    S:kinetic_energy(x.dot^2/2)
    local run, name = S:simulate{ q = { x = 1 }, v = { x = 0 }, t = 1 }, os.tmpname()
    for ending, words in pairs{ mat = "zero bytes", json = "JSON", hamel = "hm.load" } do
      run:save(name .. "." .. ending)
      check.raises({ "hm.read", ending, words }, hm.read, name .. "." .. ending)
      os.remove(name .. "." .. ending)
    end
    check.raises({ "zero bytes" }, read, "t\0,\0x\0\n\0")               -- UTF-16
    os.remove(name)
    os.remove(path)
  end)

  it("reads what sweeps write, failed runs too", function()
    local S = hm.system "fall"
    local z = S:coordinates "z"
    S:kinetic_energy(z.dot^2/2)
    S:force(z, -hm.log(z))
    local W = S:sweep{ over = { { "q.z", { 1, -1 } } }, v = { z = 0 }, t = 0.1 }
    W:save(path)
    local d = hm.read(path)
    assert.same({ 1, -1 }, d["q.z"])
    assert.equal("number", type(d.z[2]))
    os.remove(path)
  end)
end)
