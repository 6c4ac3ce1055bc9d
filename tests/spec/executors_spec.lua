-- what evaluates the equations: machine code of our own, the system's C compiler, the interpreter: the same bits
local hm, check = require "hamel", require "check"
local core, foreign = require "hamel.core", require "hamel.model.foreign"
local sin, cos = hm.sin, hm.cos

local function disc()
  local S = hm.system "disc"
  local x, y, phi, theta, psi = S:coordinates "x y phi theta psi"
  local m, r, A, C, g = S:positive "m=1 r=1/2 A=1/16 C=1/8 g=9.81"
  S:kinetic_energy(m/2*((x.dot - r*(theta.dot*cos(theta)*sin(phi) + phi.dot*sin(theta)*cos(phi)))^2
    + (y.dot + r*(theta.dot*cos(theta)*cos(phi) - phi.dot*sin(theta)*sin(phi)))^2 + r^2*theta.dot^2*sin(theta)^2)
    + A/2*(theta.dot^2 + phi.dot^2*cos(theta)^2) + C/2*(psi.dot + phi.dot*sin(theta))^2)
  S:potential_energy(m*g*r*cos(theta))
  S:constraint("roll x", x.dot + r*psi.dot*cos(phi))
  S:constraint("roll y", y.dot + r*psi.dot*sin(phi))
  return S
end
local start = { q = { x = 0, y = 0, phi = 0.1, theta = 0.2, psi = 0 }, v = { phi = 1, theta = 0.3, psi = 4 }, t = 3 }
local function with(executor, more)
  local o = { executor = executor }
  for k, value in pairs(start) do o[k] = value end
  for k, value in pairs(more or {}) do o[k] = value end
  return o
end

describe("executors", function()
  it("give one run, bit for bit", function()
    local S = disc()
    local reference = S:simulate(with "interpreter")
    assert.truthy(tostring(reference):find("interpreted", 1, true))
    for _, executor in ipairs{ "fastest", "cc" } do
      local run = S:simulate(with(executor))
      assert.equal(reference.outcome.evaluations, run.outcome.evaluations)
      for i = 0, 30 do
        local a, b = reference:at(i/10), run:at(i/10)
        for _, name in ipairs(reference.names) do assert.equal(a[name], b[name]) end
      end
    end
    if not core.native_refusal() then assert.truthy(tostring(S:simulate(with "native")):find("native code", 1, true)) end
    assert.truthy(tostring(S:simulate(with "cc")):find("compiled by cc", 1, true))
  end)

  it("are checked by name", function()
    check.raises({ "executor", "'native'", "natve" }, disc().simulate, disc(), with "natve")
  end)

  it("say what a compiler did that is missing, fails or hangs", function()
    local keep, seconds = foreign.compiler, foreign.seconds
    local S = disc()
    foreign.compiler = "no-such-compiler"
    check.raises({ "cc", "no-such-compiler", "No such file", "native" }, S.simulate, S, with "cc")
    foreign.compiler = "false"
    check.raises({ "cc", "false failed" }, S.simulate, S, with "cc")
    -- a compiler that sleeps
    local path = os.tmpname()
    check.write(path, "#!/bin/sh\nexec sleep 600\n")
    assert(os.execute("chmod +x " .. path))
    foreign.compiler, foreign.seconds = path, 0.3
    local before = os.time()
    check.raises({ "cc", "did not end in time" }, S.simulate, S, with "cc")
    assert.truthy(os.time() - before < 300)
    os.remove(path)
    foreign.compiler, foreign.seconds = keep, seconds
    assert.equal("OK", S:simulate(with "fastest").status)
  end)
end)

describe("export_c", function()
  local function lines(command)
    local pipe = assert(io.popen(command))
    local list = {}
    for line in pipe:lines() do list[#list + 1] = line end
    pipe:close()
    return list
  end

  it("writes a file that compiles without a warning and gives our numbers", function()
    local S = disc()
    local folder = assert(core.host.private_folder())
    local text = S:export_c(folder .. "/disc.c").text
    assert.truthy(text:find("p[1] = r, 0.5 unless given", 1, true))
    assert(os.execute(("cc -std=c11 -Wall -Wextra -Wpedantic -Werror -O2 -ffp-contract=off -DHAMEL_MAIN %s/disc.c -lm -o %s/try"):format(folder, folder)))
    local f = lines(folder .. "/try 0 0 0 0.1 0.2 0 -1.9900083305560516 -0.19966683329365628 1 0.3 4")
    local a = S:accelerations{ q = start.q, v = start.v }.a
    for i, name in ipairs{ "x", "y", "phi", "theta", "psi" } do
      assert(math.abs(tonumber(f[5 + i]) - a[name]) < 1e-12*(1 + math.abs(a[name])), name)
    end
    assert.equal(10, #f)
    for _, name in ipairs(core.host.list(folder)) do os.remove(folder .. "/" .. name) end
    os.remove(folder)
  end)

  it("refuses what is no formula", function()
    local S = disc()
    check.raises({ "ends in .c" }, S.export_c, S, "disc.h")
    check.raises({ "cannot write" }, S.export_c, S, "/nonexistent/disc.c")
    S:force((hm.functions_of_time "x"), function() return 1 end)
    check.raises({ "Lua function", "'x'" }, S.export_c, S, "/tmp/disc.c")
  end)
end)
