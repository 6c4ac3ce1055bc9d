-- tables from files, measured data as functions, NumPy files
local hm, check = require "hamel", require "check"
local near = check.near

local folder = os.tmpname()
os.remove(folder)
assert(os.execute("mkdir " .. folder))

local function write(name, text)
  local path = folder .. "/" .. name
  return check.write(path, text)
end

local function sampled(f, from, to, n)
  local x, y = hm.range(from, to, n), {}
  for i, at in ipairs(x) do y[i] = f(at) end
  return x, y
end

describe("a table from a file", function()
  it("is read by columns, whatever parts the fields", function()
    local d = hm.read(write("a.csv", "# measured\nt,\"force, N\",what\n0,1.5,up\n0.5,nan,down\n1,-2e-3,\"a \"\"b\"\"\"\n"))
    assert.are.same({ "t", "force, N", "what" }, d.names)
    assert.are.same({ 0, 0.5, 1 }, d.t)
    assert.are.equal(-2e-3, d["force, N"][3])
    assert.is_true(d["force, N"][2] ~= d["force, N"][2])
    assert.are.equal('a "b"', d.what[3])
    local e = hm.read(write("b.csv", "1;2\r\n3;4\r\n"))
    assert.are.same({ { 1, 3 }, { 2, 4 } }, { e["column 1"], e["column 2"] })
    check.raises({ "line 3 has 1 fields, the first one 2" }, hm.read, write("c.csv", "a,b\n1,2\n3\n"))
    check.raises({ "line 2", "quote" }, hm.read, write("d.csv", "a,b\n\"1,2\n"))
    check.raises({ "is empty" }, hm.read, write("e.csv", "# nothing\n"))
    check.raises({ "No such file" }, hm.read, folder .. "/none.csv")
  end)

  it("comes back from NumPy's format", function()
    local S = check.sleigh(hm)
    local run = S:simulate{ q = { x = 0, y = 0, theta = 0 }, v = { x = 1, theta = 0.3 }, t = 2 }
    local path = folder .. "/run.npz"
    assert.are.equal(11, run:save(path, { n = 11 }).rows)
    local d = hm.read(path)
    assert.are.same({ "t", "x", "y", "theta", "x'", "y'", "theta'", "lambda.blade" }, d.names)
    for i, t in ipairs(d.t) do
      assert.are.equal(run:at(t).x, d.x[i])
      assert.are.equal(run:at(t).lambda.blade, d["lambda.blade"][i])
    end
    local W = S:sweep{ over = { { "v.theta", { 0.1, 0.2, 0.3 } } }, q = { x = 0, y = 0, theta = 0 }, v = { x = 1 }, t = 1 }
    W:save(folder .. "/sweep.npz")
    local w = hm.read(folder .. "/sweep.npz")
    assert.are.same({ 0.1, 0.2, 0.3 }, w["v.theta"])
    assert.are.same(W:column "x", w.x)
    assert.are.same({ 0, 0, 0 }, w.failed)
  end)

  it("that is damaged is refused", function()
    local path = folder .. "/run.npz"
    local bytes = check.content(path)
    for _, cut in ipairs{ 0, 10, #bytes//2, #bytes - 3 } do
      check.raises({ "cut.npz" }, hm.read, write("cut.npz", bytes:sub(1, cut)))
    end
    local flipped = bytes:sub(1, 300) .. string.char(bytes:byte(301) ~ 85) .. bytes:sub(302)
    local ok, message = pcall(hm.read, write("flip.npz", flipped))
    assert.is_true(ok or message:find("flip.npz", 1, true) ~= nil)
    check.raises({ "none.npz" }, hm.read, folder .. "/none.npz")
  end)
end)

describe("measured data", function()
  local x, y = sampled(math.sin, 0, 10, 401)
  local u = hm.data{ x = x, y = y, name = "u" }

  it("are a function with derivatives", function()
    near(u(1.234), math.sin(1.234), 1e-8)
    near(u:derivative(1.234, 1), math.cos(1.234), 1e-6)
    assert.are.equal("u(t)", tostring(u(hm.t)))
    assert.are.equal("u'(t)", tostring(hm.dt(u(hm.t))))
    assert.are.equal("u''(2*t)*4", (tostring(hm.dt(hm.dt(u(2*hm.t)))):gsub("^4%*(.*)$", "%1*4")))
    assert.is_true(u(11) ~= u(11))
    assert.are.equal("u: cubic curve through 401 points from 0 to 10", tostring(u))
  end)

  -- arbiter: the motion driven by the sine itself
  it("drive a support and a force, with the interpreter and with machine code", function()
    local function driven(f)
      local S = hm.system "driven"
      local q = S:coordinates "q"
      local support = f(hm.t)
      S:kinetic_energy((q.dot + hm.dt(support))^2/2)
      S:potential_energy(2*q^2)
      S:force(q, support - q.dot/10)
      return S
    end
    local start = { q = { q = 0.3 }, v = { q = 0 }, t = 9, rtol = 1e-9, atol = 1e-9 }
    local wanted = driven(hm.sin):simulate(start):at(9).q.q
    local S = driven(u)
    local first
    for _, executor in ipairs{ "interpreter", "fastest" } do
      start.executor = executor
      local r = S:simulate(start)
      assert.are.equal("OK", r.status)
      near(r:at(9).q.q, wanted, 2e-6)
      first = first or r:at(9).q.q
      assert.are.equal(first, r:at(9).q.q)
    end
    near(S:simulate{ q = { q = 0.3 }, v = { q = 0 }, t = 9, method = "taylor" }:at(9).q.q, wanted, 2e-6)
    check.raises({ "measured data", "(", "a parameter, whose value your program gives" }, S.export_c, S, folder .. "/model.c")
    local W = S:sweep{ over = { { "q", { 0.1, 0.3 } } }, v = { q = 0 }, t = 9, rtol = 1e-9 }
    near(W[2].q, wanted, 2e-6)
    local beyond = S:simulate{ q = { q = 0.3 }, v = { q = 0 }, t = 12 }
    assert.is_true(beyond.status ~= "OK" and beyond.outcome.t <= 10 and beyond.outcome.t > 9.9)
    assert.truthy(beyond.outcome.message:find("u", 1, true))
  end)

  it("come from files, and say what is wrong with them", function()
    local lines = { "time,F,G" }
    for i = 1, #x do lines[i + 1] = ("%.17g,%.17g,0"):format(x[i], y[i]) end
    local path = write("drive.csv", table.concat(lines, "\n"))
    local F = hm.data{ file = path }
    assert.are.equal("F(t)", tostring(F(hm.t)))
    near(F(2), math.sin(2), 1e-8)
    assert.are.equal(0, hm.data{ file = path, column = "G" }(3))
    check.raises({ "no column 'H'", "F, G" }, hm.data, { file = path, column = "H" })
    check.raises({ "must grow" }, hm.data, { x = { 0, 1, 1 }, y = { 1, 2, 3 } })
    check.raises({ "'cubic', 'periodic'" }, hm.data, { x = { 0, 1, 2 }, y = { 1, 2, 3 }, kind = "round" })
    check.raises({ "3 arguments but 2 values" }, hm.data, { x = { 0, 1, 2 }, y = { 1, 2 } })
    check.raises({ "periodic", "begins with 1" }, hm.data, { x = { 0, 1, 2 }, y = { 1, 2, 3 }, kind = "periodic" })
    check.raises({ "2 points" }, hm.data, { x = { 0, 1 }, y = { 1, 2 } })
    check.raises({ "x = {...}" }, hm.data, {})
  end)
end)
