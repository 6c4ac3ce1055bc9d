-- Certificates that were edited: each line in many ways. None may be verified unless what it states is still what was proved; none may end in an error
-- of the program, or take long
local hm, core = require "hamel", require "hamel.core"
local forged = require "forged"

if not core.has_arb then
  describe("ball arithmetic", function() pending "skipped: this build has none (HAMEL_ARB)" end)
  return
end

local certificate = require "hamel.analysis.certificate"
local exact = require "hamel.analysis.exact"

local function oscillator()
  local S = hm.system "oscillator"
  local x = S:coordinates "x"
  S:kinetic_energy(x.dot^2/2)
  S:potential_energy(x^2/2 + x^4/12)
  return S, x
end

local function orbit()
  local S, x = oscillator()
  return S:prove_periodic{ section = x, energy = 1, v = { x = 1.4 }, period = 5, bits = 64 }
end

local function half_orbit()
  local S = oscillator()
  return S:prove_periodic{ reversal = { "x" }, energy = 1, v = { x = 1.4 }, period = 5, bits = 64 }
end

-- For each stiffness in a box
local function boxed()
  local S = hm.system "spring"
  local x = S:coordinates "x"
  local k = S:parameters "k=1"
  S:kinetic_energy(x.dot^2/2)
  S:potential_energy(k*x^2/2 + x^4/12)
  return S:prove_periodic{ section = x, energy = 1, v = { x = 1.4 }, period = 5, bits = 64, parameters = { k = {"0.999999", "1.000001"} } }
end

-- On the plane z = x, held there by a constraint, with a coordinate that nothing depends on
local function held()
  local S = hm.system "held"
  local x, z = S:coordinates "x z y"
  S:kinetic_energy((x.dot^2 + z.dot^2 + S:coordinate_list()[3].dot^2)/2)
  S:potential_energy(x^2)
  S:constraint("level", z - x)
  return S:prove_periodic{ section = x, energy = "3/2", q = { z = 0, y = 0 }, v = { x = 1, z = 1, y = 1 }, period = 6.3, bits = 64, advance = { "y" },
    integrals = { { S:coordinate_list()[3].dot, 1 } } }
end

local function sleigh()
  local S = hm.system "sleigh"
  local x, y, theta = S:coordinates "x y theta"
  local m, J, a = S:positive "m=1 J=1/2 a=3/10"
  S:kinetic_energy(m/2*(hm.dt(x + a*hm.cos(theta))^2 + hm.dt(y + a*hm.sin(theta))^2) + J/2*theta.dot^2)
  S:constraint("blade", x.dot*hm.sin(theta) - y.dot*hm.cos(theta))
  return S:prove_equilibrium{ q = { x = 0, y = 0, theta = 0.1 }, v = { x = 1, theta = 0 }, parameters = { J = { "0.4", "0.5" } }, bits = 64 }
end

local function resting()
  local S = hm.system "pendulum"
  local phi, G = S:coordinates "phi", S:positive "G=9.81"
  S:kinetic_energy(phi.dot^2/2)
  S:potential_energy(-G*hm.cos(phi))
  return S:prove_equilibrium{ q = { phi = 0.1 } }
end

local function cycle()
  return hm.prove_fixed_point{ map = function(u, w) return 1 - 1.4*u^2 + w, 0.3*u end, at = { 0.98, -0.14 }, period = 2, bits = 64 }
end

local path = os.tmpname()

local function text_of(proof)
  assert(proof.proved, proof.reason)
  proof:save(path)
  local file = assert(io.open(path))
  local text = file:read "a"
  file:close()
  return text
end

-- What is printed, and what hamel verify answers
local function verified(text)
  local file = assert(io.open(path, "w"))
  file:write(text)
  file:close()
  local fine, answer, said = pcall(certificate.verify, path)
  return fine, answer, said or tostring(answer)
end

local function lines_of(text)
  local lines = {}
  for line in text:gmatch "[^\n]+" do lines[#lines + 1] = line end
  return lines
end

-- Other lines in place of one
local edits = {
  function() return nil end,                                                                  -- left out
  function(line) return line .. "\n" .. line end,
  function(line) return line .. " + 1" end,
  function(line) return line .. ")" end,
  function(line) return line:sub(1, #line//2) end,
  function(line) return (line:gsub("%d+", "0", 1)) end,
  function(line) return (line:gsub("(%d)([^%d]*)$", "9%1%2")) end,
  function(line) return (line:gsub(" ([^ ]*)$", " -%1")) end,
  function(line) return (line:gsub("%S+$", "1e9")) end,
  function(line) return (line:gsub("%S+$", "nan")) end,
  function(line) return (line:gsub("%S+$", "1e999999999")) end,
  function(line) return (line:gsub("%S+$", "2^2^2^2^2^2^2")) end,
  function(line) return (line:gsub("%S+$", "(x + 1)^1000000")) end,
  function(line) return (line:gsub("%S+$", "999999999999999999999999")) end,
  function(line) return (line:gsub("^%a+", "kin")) end,
  function(line) return (line:gsub("^%a+", "integral")) end,
  function(line) return line .. " \27[2K" end,
  function(line) return line .. " | x' = 0" end,
  function(line) return line .. "\r" end,
  function(line) return (line:gsub("%S+$", function(number) return tonumber(number) and ("%.3g"):format(tonumber(number)/20) end)) end,
  function(line) return (line:gsub("%S+$", function(number) return tonumber(number) and ("%.3g"):format(tonumber(number)*20) end)) end,
  function(line, following) return following and following .. "\n" .. line, true end,       -- with the next one in front of it
}

-- Of the edits one in SHARE is tried, those of all kinds and of all lines; the seed tells which. HML_SCALE = 6 tries all
local SHARE = math.max(1, math.floor(6/(tonumber(os.getenv "HML_SCALE") or 1)))
local seed = tonumber(os.getenv "HML_SEED") or os.time()

-- ---- is a statement that was verified true, in doubles?

local statements = { ["closed orbit"] = require "hamel.analysis.closed_orbit", ["steady state"] = require "hamel.analysis.equilibrium_statement",
  ["fixed point"] = require "hamel.analysis.fixed_point_statement" }

-- x of A x = b by Gauss's method
local function solved(A, b)
  local n = #b
  for c = 1, n do
    local best = c
    for i = c, n do if math.abs(A[i][c]) > math.abs(A[best][c]) then best = i end end
    A[c], A[best], b[c], b[best] = A[best], A[c], b[best], b[c]
    for i = c + 1, n do
      local factor = A[i][c]/A[c][c]
      for j = c, n do A[i][j] = A[i][j] - factor*A[c][j] end
      b[i] = b[i] - factor*b[c]
    end
  end
  local x = {}
  for i = n, 1, -1 do
    x[i] = b[i]
    for j = i + 1, n do x[i] = x[i] - A[i][j]*x[j] end
    x[i] = x[i]/A[i][i]
  end
  return x
end

local function middle(e, other)
  local low, high = exact.ball(e, "value", 64), exact.ball(other or e, "value", 64)
  return (low.lower + high.upper)/2
end

-- Functions of the states: of expressions, and the rates
local function functions_of(problem)
  local inputs, values = { require "hamel.algebra.symbols".t }, {}
  for _, list in ipairs{ problem.kin, problem.dyn } do table.move(list, 1, #list, #inputs + 1, inputs) end
  for i, item in ipairs(problem.parameters) do inputs[#inputs + 1], values[i] = item[1], middle(item[2], item[3]) end
  local function at(list)
    local program = core.program(inputs, list)
    return function(x)
      local all = { 0.0 }
      table.move(x, 1, #x, 2, all)
      return program:eval(table.move(values, 1, #values, #all + 1, all))
    end
  end
  local d, m = #problem.dyn, #problem.b
  local k, M, A, r, b = at(problem.k), at(problem.M), at(problem.A), at(problem.r), at(problem.b)
  local function rates(x)
    local lower, rows, right, matrix = M(x), A(x), r(x), {}
    local drift, out = b(x), k(x)
    for i = 1, d + m do matrix[i] = {} for j = 1, d + m do matrix[i][j] = 0.0 end end
    for i = 1, d do
      for j = 1, i do matrix[i][j] = lower[i*(i - 1)//2 + j] matrix[j][i] = matrix[i][j] end
      for l = 1, m do matrix[i][d + l] = -rows[(l - 1)*d + i] matrix[d + l][i] = rows[(l - 1)*d + i] end
    end
    for l = 1, m do right[d + l] = -drift[l] end
    return table.move(solved(matrix, right), 1, d, #out + 1, out)
  end
  return at, rates
end

local function moved(x, rate, h)
  local out = {}
  for i = 1, #x do out[i] = x[i] + h*rate[i] end
  return out
end

-- The state after the time T by Runge and Kutta's method
local function after(rates, x, T)
  local n = 400
  local h = T/n
  for _ = 1, n do
    local a = rates(x)
    local b = rates(moved(x, a, h/2))
    local c = rates(moved(x, b, h/2))
    local d = rates(moved(x, c, h))
    for i = 1, #x do x[i] = x[i] + h/6*(a[i] + 2*b[i] + 2*c[i] + d[i]) end
  end
  return x
end

local function near(a, b) return math.abs(a - b) < 1e-7 end

local holds = {}

holds["closed orbit"] = function(problem, x)
  local T = table.remove(x)
  local at, rates = functions_of(problem)
  if T < 1e-3 then return false end
  for _, c in ipairs(problem.conditions) do if not near(at{ c.f }(x)[1], middle(c.target)) then return false end end
  local finish, skipped, mirrored = after(rates, table.move(x, 1, #x, 1, {}), T), {}, {}
  for _, i in ipairs(problem.advance) do skipped[i] = true end
  for _, i in ipairs(problem.mirror) do mirrored[i] = true end
  for i = 1, #x do
    if #problem.mirror > 0 then
      if mirrored[i] and not (near(x[i], 0) and near(finish[i], 0)) then return false end
    elseif not skipped[i] and not near(finish[i], x[i]) then return false end
  end
  return true
end

holds["steady state"] = function(problem, x)
  local at, rates = functions_of(problem)
  for _, list in ipairs{ problem.constraints, problem.keep } do
    for _, c in ipairs(list) do if not near(at{ c.f }(x)[1], c.target and middle(c.target) or 0) then return false end end
  end
  local all = rates(x)
  local function uses(e, q) return not core.diff(e, q):is_zero() end
  -- coordinates may move on which nothing depends but the rates of others of their kind
  local free, before = {}, -1
  for i in ipairs(problem.kin) do free[i] = true end
  local function count() local n = 0 for i in ipairs(problem.kin) do n = n + (free[i] and 1 or 0) end return n end
  while count() ~= before do
    before = count()
    for i, q in ipairs(problem.kin) do
      for _, name in ipairs{ "M", "A", "r", "b" } do for _, e in ipairs(problem[name]) do free[i] = free[i] and not uses(e, q) end end
      for j, e in ipairs(problem.k) do free[i] = free[i] and (free[j] or not uses(e, q)) end
    end
  end
  for i in ipairs(problem.kin) do if not free[i] and not near(all[i], 0) then return false end end
  for i = 1, #problem.dyn do if not near(all[#problem.kin + i], 0) then return false end end
  return true
end

holds["fixed point"] = function(problem, x)
  local n, f = #problem.kin, functions_of(problem)(problem.k)
  for p = 1, problem.period do
    local image = f(table.move(x, (p - 1)*n + 1, p*n, 1, {}))
    for i = 1, n do if not near(image[i], x[p % problem.period*n + i]) then return false end end
  end
  return true
end

-- Does the solution, found with more bits and from a box of its own, lie within the images about the centre?
local function lies_within(kind, problem, proof)
  local bits, y = 2*proof.bits + 100, {}
  for i, value in ipairs(proof.centre) do y[i] = exact.ball(value, "centre", bits) end
  local found = statements[kind].prove(problem, y, { bits = bits, iterations = 3 })
  for i, x in ipairs(found.proved and (found.y or found.x) or {}) do
    local off, image = core.ball_sum(x, y[i], -1), tonumber(proof.images[i] or proof.images[1])
    if off.lower > image or off.upper < -image then return false end
  end
  return true
end

local function is_true_in_doubles(text)
  local kind = require "hamel.analysis.certificate_text".kind(text)
  local problem, proof = statements[kind].read(text)
  if not lies_within(kind, problem, proof) then return false end
  local x = {}
  for i, value in ipairs(proof.centre) do x[i] = middle(hm.number(value)) end
  if kind == "steady state" then x = table.move(x, 1, #problem.kin + #problem.dyn, 1, {}) end
  return holds[kind](problem, x)
end

for name, make in pairs{ ["a closed orbit"] = orbit, ["half of an orbit"] = half_orbit, ["an orbit with constraints"] = held, ["a steady motion"] = sleigh,
  ["a cycle"] = cycle, ["an orbit for each parameter of a box"] = boxed } do
  describe("the certificate of " .. name, function()
    local text = text_of(make())

    it("is verified as it is", function()
      local fine, answer, said = verified(text)
      assert.is_true(fine and answer, said)
      assert.matches("proved: the ", said)
      assert.is_true(is_true_in_doubles(text))
    end)

    it("is not verified for anything else, whatever line is edited", function()
      local lines = lines_of(text)
      for i, line in ipairs(lines) do
        for k, edit in ipairs(edits) do
          local other = table.move(lines, 1, #lines, 1, {})
          local new, both = edit(line, lines[i + 1])
          if both then table.remove(other, i + 1) end
          if new == nil then table.remove(other, i) else other[i] = new end
          local edited = table.concat(other, "\n") .. "\n"
          local with_hash = forged(edited)
          local tried = (i + k + seed) % SHARE == 0 and { with_hash, edited ~= with_hash and edited or nil } or {}
          for _, source in ipairs(tried) do
            local where = ("seed %d, line %d '%s', edit %d: "):format(seed, i, line, k)
            local before = os.clock()
            local fine, answer, said = verified(source)
            assert.is_true(fine, where .. tostring(answer))
            assert.is_boolean(answer)
            assert.is_true(answer == (said:find ": proved: " ~= nil), where .. said)
            assert.is_false(said:find "\27" ~= nil, where)
            -- of an error of the program rather than of the certificate
            for _, word in ipairs{ "attempt to", "stack traceback", "bad argument", "please report" } do
              assert.is_false(said:find(word, 1, true) ~= nil, where .. said)
            end
            if answer then assert.is_true(is_true_in_doubles(source), where .. said) end
            if os.clock() - before > 120 then error(where .. "took " .. os.clock() - before) end
          end
        end
      end
    end)
  end)
end

describe("what a certificate claims", function()
  local text, steady, points = text_of(orbit()), text_of(resting()), text_of(cycle())

  local accepted

  local function refused_in(source, from, to, ...)
    local other, count = source:gsub(from, to, 1)
    assert(count == 1, from)
    local fine, answer, said = verified(forged(other))
    assert.is_true(fine and answer == false, said)
    for _, part in ipairs{ ... } do assert.matches(part, said) end
  end

  local function refused(...) refused_in(text, ...) end

  accepted = function(source, from, to)
    local other, count = source:gsub(from, to, 1)
    assert(count == 1, from)
    local fine, answer, said = verified(forged(other))
    assert.is_true(fine and answer, said)
  end

  it("is what the repeated proof gives", function()
    refused("contraction [^\n]*", "contraction 1e-300", "claims the contraction")
    refused("image [^\n]*\ncontraction", "image 1e-300\ncontraction", "claims the image")
    refused("image [^\n]*", "image 1", "claims no proof")
    refused("contraction [^\n]*", "contraction 1", "claims no proof")
    local wide, count = text:gsub("radius [^\n]*", "radius 0.5")
    assert.equal(3, count)
    assert.matches("not proved", select(3, verified(forged(wide))))
    -- a number a little below what the repeated proof shows
    for word, place in pairs{ image = "image (%S+)(\ncontraction)", contraction = "contraction (%S+)(\n)" } do
      local function times(factor) return function(number, rest) return ("%s %.3g%s"):format(word, factor*number, rest) end end
      refused(place, times(0.7), "claims the " .. word)
      accepted(text, place, times(1.1))
    end
    for _, source in ipairs{ steady, points } do
      refused_in(source, "contraction [^\n]*", "contraction 1e-300", "claims the contraction")
      refused_in(source, "image [^\n]*", "image 1e-300", "claims the image")
    end
  end)

  it("is true in each line of a state of rest", function()
    -- the energy there is -981/100
    assert.matches("\nintegral energy | [^\n=]*\n", steady)
    local energy = "(\nintegral energy | [^\n]*)"
    accepted(steady, energy, "%1 = -981/100")
    refused_in(steady, energy, "%1 = 7", "energy = 7, but the state has %-9.81")
    refused_in(steady, energy, "%1 = -9.8100001", "the state has %-9.81")
    refused_in(steady, energy, "%1\nintegral other | phi", "'other' is not shown to be an integral")
    for _, other in ipairs{ "7", "-1", "1e-400", "1 ", "" } do refused_in(steady, "\nrest 1", "\nrest " .. other, "rest is '") end
    refused_in(steady, "\nrest 1", "\nrest 0", "a steady motion, but all velocities of the state are zero: that is 'rest 1'")
    refused_in(steady, "\nform lagrange", "\nform hamel", "velocities of coordinates, which the form 'hamel' has not")
    refused_in(steady, "\nform lagrange", "\nform lagrange x", "there is no form 'lagrange x'")
  end)

  it("is true in each line of a cycle", function()
    refused_in(points, "\nperiod 2", "\nperiod 4", "the centre has 4 numbers; 2 unknowns at 4 points of the cycle take 8")
    refused_in(points, "\nperiod 2", "\nperiod 2.0", "'2.0' is not a whole number")
    refused_in(points, "\nperiod 2", "\nperiod 0", "not positive")
    refused_in(points, "\nform map", "\nform lagrange", "the form of a map")
  end)

  it("has whole numbers where they are, and the steps that are taken", function()
    for _, other in ipairs{ "-11", "0", "1" } do refused("\nsteps %d+", "\nsteps " .. other, "steps") end
    accepted(text, "\nsteps %d+", "\nsteps 119")
    refused("\norder 0", "\norder 1e-400", "'1e%-400' is not a whole number")
    refused("\nbits 64", "\nbits 64.0", "'64.0' is not a whole number")
    refused("\nform lagrange", "\nform hamel", "velocities of coordinates")
    refused("\nform lagrange", "\nform map", "there is no form 'map'")
    accepted(text, "\nform lagrange", "\nform nielsen")
  end)

  it("is verified with a low order that is given", function()
    local S, x = oscillator()
    for _, order in ipairs{ 12, 30 } do
      local p = S:prove_periodic{ section = x, energy = 1, v = { x = 1.4 }, period = 5, bits = 64, order = order }
      local fine, answer, said = verified(text_of(p))
      assert.is_true(fine and answer, said)
    end
  end)

  it("is shown in part where it is long", function()
    local other = text:gsub("\nr [^\n]*", "\nr " .. ("("):rep(20000))
    local fine, answer, said = verified(forged(other))
    assert.is_true(fine and answer == false)
    assert.matches("is no expression", said)
    assert.is_true(#said < 300)
  end)

  it("bounds the work that is spent on it", function()
    local before = os.clock()
    local last = text:match ".*centre (%S+)"
    refused("centre " .. last:gsub("%p", "%%%0"), "centre 1e9", "more than %d+ steps")
    refused("steps %d+", "steps 1000000", "more than is repeated .*; with %-%-long, or long = true in check_certificate, it is: about %d+ minutes")
    refused("steps %d+", "steps 1000000000000", "claims 1000000000000 steps")
    refused("bits %d+", "bits 40000", "claims %d+ steps of order 18028 with 40000 bits")
    refused("bits %d+", "bits 100000", "24 to 40064")
    refused("order %d+", "order 2", "too low")
    refused("order %d+", "order 1000", "claims")
    assert.is_true(os.clock() - before < 300)
  end)

  it("gives names that are no more than names", function()
    local energy = text:match "\nintegral energy | ([^\n]*) = [^\n]*"
    local other = forged((text:gsub("\nintegral energy", "\nintegral rod", 1)))
    local fine, answer, said = verified(other)
    assert.is_true(fine and answer, said)
    assert.is_truthy(said:find(energy, 1, true) and said:find("called 'rod' in the file", 1, true), said)
    -- the start of the orbit is no energy
    other = forged((text:gsub("\ncondition [^|]*|", "\ncondition energy |", 1)))
    fine, answer, said = verified(other)
    assert.is_true(fine and answer, said)
    local S = oscillator()
    local same, why = hm.check_certificate(S, path)
    assert.is_true(same == false and why:find("as the condition 'energy'", 1, true) ~= nil, why)
  end)

  it("is no orbit after no time at all", function()
    local S, x = oscillator()
    for _, more in ipairs{ { section = x.dot, q = { x = 1 }, v = { x = 0 } }, { reversal = { "x" }, v = { x = 1 } } } do
      more.energy, more.period, more.radius, more.iterations = more.section and "7/12" or "1/2", 1e-12, 1e-6, 0
      local p = S:prove_periodic(more)
      assert.is_false(p.proved)
      assert.matches("period 0", p.reason)
    end
  end)

  it("does not hide behind other files", function()
    local fine, answer, said = verified "no certificate\n"
    assert.is_true(fine and answer == false)
    assert.matches("the first line is not", said)
    fine, answer, said = verified ""
    assert.is_true(fine and answer == false)
    assert.matches("it is empty", said)
  end)

  it("names the lines that are missing", function()
    local function says(from, word, expected)
      local other = from:gsub("\n" .. word .. " [^\n]*", "")
      local fine, answer, said = verified(word == "hash" and other or forged(other))
      assert.is_true(fine and answer == false)
      assert.is_truthy(said:find(expected or "lines are missing: there is no line '" .. word .. "'", 1, true), said)
    end
    local constrained = text_of(held())
    for _, word in ipairs{ "system", "form", "hash", "bits", "centre", "radius", "image", "contraction", "order", "steps" } do says(constrained, word) end
    for _, word in ipairs{ "k", "M", "A", "r" } do says(constrained, word, ("lines are missing: '%s' stands 0 times"):format(word)) end
    says(constrained, "b", "lines are too many: 'A' stands 3 times, which must be 0 times")
    says((text:gsub("\nintegral [^\n]*", "")), "condition", "there is no line 'condition' or 'integral'")
    for _, word in ipairs{ "rest", "stable" } do says(steady, word) end
    for _, word in ipairs{ "period", "stable" } do says(points, word) end
    local cut = forged(constrained:match "^(.-\nbits %d+\n)")
    local fine, answer, said = verified(cut)
    assert.is_true(fine and answer == false)
    assert.is_truthy(said:find("there is no line 'centre', 'radius', 'image', 'contraction', 'order', 'steps'", 1, true), said)
  end)
end)
os.remove(path)
