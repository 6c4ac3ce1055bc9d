-- S:sweep: many runs over parameters and starts
local hm, check, mechanics = require "hamel", require "check", require "mechanics"
local near = check.near

local function sleigh()
  local S = hm.system "sleigh"
  local x, y, theta = S:coordinates "x y theta"
  local m, J, a = S:positive "m=1 J=1/2 a=1/3"
  S:kinetic_energy(m/2*((x.dot - a*theta.dot*hm.sin(theta))^2 + (y.dot + a*theta.dot*hm.cos(theta))^2) + J/2*theta.dot^2)
  S:constraint("blade", x.dot*hm.sin(theta) - y.dot*hm.cos(theta))
  S:quasi_velocities("u w", { x.dot*hm.cos(theta) + y.dot*hm.sin(theta), theta.dot })
  return S
end
local q0 = { x = 0, y = 0, theta = 0 }

local function grid(more)
  local o = { over = { { "J", { 0.2, 0.5, 1 } }, { "v.theta", hm.range(-1, 1, 7) } }, q = q0, v = { x = 1 }, t = 8, rtol = 1e-11, atol = 1e-11,
    keep = { "x", "theta", energy = "energy", blade = "lambda.blade" } }
  for k, value in pairs(more or {}) do o[k] = value end
  return o
end
local names = { "x", "theta", "energy", "blade" }

local function same_bits(a, b)
  for i = 1, #a do
    for _, name in ipairs(names) do assert.equal(a[i][name], b[i][name]) end
    assert.equal(a[i].steps, b[i].steps)
  end
end

describe("S:sweep", function()
  -- arbiter: single runs of the same method
  it("runs Taylor series in lanes too, with times on the way, projections and rows that fail", function()
    local S = sleigh()
    local o = grid{ method = "taylor", times = { 2, 5, 8 } }
    local first, before, in_lanes
    for _, lanes in ipairs{ 1, 4, 8 } do
      for _, threads in ipairs{ 1, 2 } do
        o.lanes, o.threads = lanes, threads
        local fine, s = pcall(S.sweep, S, o)
        if not fine then break end                                     -- no such vectors on this machine
        first = first or s
        -- lanes begin anew at each time that is kept; a run by itself goes on
        in_lanes = in_lanes or lanes > 1 and s or nil
        for k, row in ipairs(s) do
          assert.equal("OK", row.status)
          assert.equal(8, row.t)
          for m = 1, 3 do near(row.series[m].theta, first[k].series[m].theta, 1e-12) end
          near(row.energy, first[k].energy, 1e-12)
          -- coefficients that vanish give no step size
          if lanes > 1 and row["v.theta"] ~= 0 then assert.equal(in_lanes[k].steps, row.steps) end
        end
        if threads == 2 then same_bits(s, before) end
        before = s
      end
    end
    local P, x = mechanics.body("pole", "x")
    P:force(x, x^3)                                                    -- runs away in a finite time where it starts fast
    local w = P:sweep{ over = { { "x'", { 0.1, 3, 0.2, 5 } } }, q = { x = 1 }, t = 1.2, method = "taylor" }
    local alone = P:sweep{ over = { { "x'", { 0.1, 3, 0.2, 5 } } }, q = { x = 1 }, t = 1.2, method = "taylor", lanes = 1 }
    for i = 1, 4 do assert.equal(alone[i].status, w[i].status) end
    assert.truthy(w[1].status == "OK" and w[4].status ~= "OK")
    near(w[3].x, alone[3].x, 1e-8*math.abs(alone[3].x))
  end)

  it("gives the numbers of single runs, in the order of the grid", function()
    local S = sleigh()
    local s = S:sweep(grid())
    assert.equal(21, #s)
    local i = 0
    for _, J in ipairs{ 0.2, 0.5, 1 } do
      for k = 1, 7 do
        i = i + 1
        local w = -1 + 2*(k - 1)/6
        assert.equal(J, s[i].J)
        near(s[i]["v.theta"], w, 1e-15)
        local run = S:simulate{ q = q0, v = { x = 1, theta = w }, t = 8, rtol = 1e-11, atol = 1e-11, parameters = { J = J } }
        local e = run:at(8)
        near(s[i].x, e.x, 1e-9)
        near(s[i].theta, e.theta, 1e-9)
        near(s[i].energy, e.energy, 1e-9)
        near(s[i].blade, e.lambda.blade, 1e-9)
        assert.equal("OK", s[i].status)
        assert.equal(8.0, s[i].t)
      end
    end
    assert.truthy(tostring(s):find("21 runs, all reached the end", 1, true))
    assert.equal(21, #s:column "x")
    check.raises({ "no column 'z'" }, s.column, s, "z")
  end)

  it("gives the same bits for any number of threads", function()
    local S = sleigh()
    for _, lanes in ipairs{ 0, 1, 4 } do
      local one = S:sweep(grid{ threads = 1, lanes = lanes })
      for _, threads in ipairs{ 2, 3 } do same_bits(one, S:sweep(grid{ threads = threads, lanes = lanes })) end
    end
  end)

  it("takes other forms, methods, times, and jobs by their number", function()
    local S = sleigh()
    local reference = S:sweep(grid())
    local hamel, series = S:sweep(grid{ form = "hamel", keep = { "x", "theta" } }), S:sweep(grid{ method = "taylor" })
    for i = 1, #reference do
      near(hamel[i].x, reference[i].x, 1e-8)
      near(series[i].x, reference[i].x, 1e-9)
    end
    local s = S:sweep{ n = 5, each = function(i) return { v = { theta = i/10 }, parameters = { J = i }, label = { spin = i/10 } } end, q = q0, v = { x = 1 },
      times = { 0, 1, 2.5 }, keep = { "theta" } }
    for i = 1, 5 do
      local run = S:simulate{ q = q0, v = { x = 1, theta = i/10 }, t = 2.5, parameters = { J = i } }
      assert.equal(i/10, s[i].spin)
      for k, t in ipairs{ 0, 1, 2.5 } do
        assert.equal(t + 0.0, s[i].series[k].t + 0.0)
        near(s[i].series[k].theta, run:at(t).theta, 1e-7)
      end
    end
  end)

  it("keeps runs that fail, and starts that contradict, as rows", function()
    local S = hm.system "pole"
    local x = S:coordinates "x"
    local k = S:positive "k=1"
    S:kinetic_energy(x.dot^2/2)
    S:potential_energy(-k/x)
    local s = S:sweep{ over = { { "x", { 1, 0.5 } }, { "x'", { 0, 10 } } }, t = 3, keep = { "x" } }
    assert.equal("OK", s[2].status)
    assert.equal("OK", s[4].status)
    for _, i in ipairs{ 1, 3 } do
      assert.truthy(s[i].status ~= "OK" and s[i].t < 3 and s[i].t > 0.1)
      assert.truthy(s[i].reason:find("x", 1, true))
      assert.is_nil(s[i].x)
    end
    assert.equal(2, #s:failed())
    -- the time of the fall into the centre: pi/2 sqrt(x^3/(2k))
    near(s[1].t, math.pi/2*math.sqrt(0.5), 1e-5)
    local c = sleigh()
    local t = c:sweep{ over = { { "v.y", { 0, 1 } } }, q = q0, v = { x = 1, theta = 0.1 }, t = 1 }
    assert.equal("OK", t[1].status)
    assert.equal("START", t[2].status)
    assert.truthy(t[2].reason:find("blade", 1, true))
  end)

  it("runs what is no formula one after the other", function()
    local F, x = mechanics.body("forced", "x")
    F:force(x, function(_, q) return -q.x end)
    local r = F:sweep{ over = { { "x", hm.range(1, 3, 3) } }, v = { x = 0 }, t = 1 }
    for i = 1, 3 do near(r[i].x, i*math.cos(1), 1e-8) end
  end)

  it("saves a table with 17 digits", function()
    local S, path = sleigh(), os.tmpname() .. ".csv"
    local s = S:sweep(grid())
    assert.equal(21, s:save(path).rows)
    local lines = {}
    local about = {}
    for line in io.lines(path) do table.insert(line:find "^#" and about or lines, line) end
    assert.equal(#s, #hm.read(path).index)
    os.remove(path)
    about = table.concat(about, "\n")
    for _, text in ipairs{ "# program: hamel 0.1.0", "# system: ", "# form: lagrange", "# tolerances: rtol = ", "# time: 0 to " } do
      assert.truthy(about:find(text, 1, true), about)
    end
    assert.equal("index,J,v.theta,status,t,steps,x,theta,blade,energy,reason", lines[1])
    local words = {}
    for word in (lines[5] .. ","):gmatch "(.-)," do words[#words + 1] = word end
    assert.equal(s[4].x, tonumber(words[7]))
  end)

  it("gives parameters values that have none in the declaration", function()
    local S = hm.system "spring"
    local x = S:coordinates "x"
    local k = S:parameters "k"
    local m = S:positive "m"
    S:kinetic_energy(m*x.dot^2/2)
    S:potential_energy(k*x^2/2)
    local o = { q = { x = 0 }, parameters = { m = "2" }, t = 1, keep = { "x" }, rtol = 1e-11 }
    local function swept(given)
      for name, value in pairs(o) do if given[name] == nil then given[name] = value end end
      return S:sweep(given)
    end
    for _, row in ipairs(swept{ over = { { "k", { 2, 8 } } }, v = { x = 1 } }) do near(row.x, math.sin(math.sqrt(row.k/2))/math.sqrt(row.k/2), 1e-9) end
    for _, row in ipairs(swept{ over = { { "energy", { 1, 2 } } }, parameters = { m = 2, k = 2 } }) do
      near(row.x, math.sqrt(row.energy)*math.sin(1), 1e-9)
    end
    check.raises({ "the parameter 'k' has no value", "parameters = { k" }, swept, { over = { { "x'", { 1, 2 } } } })
    local each = swept{ n = 2, each = function(i) return { v = { x = 1 }, parameters = i == 1 and { k = 2 } or {} } end }
    near(each[1].x, math.sin(1), 1e-9)
    assert(each[2].status == "START" and each[2].reason:find("'k' has no value", 1, true))
  end)

  it("answers mistakes", function()
    local S = sleigh()
    check.raises({ "over", "each" }, S.sweep, S, { q = q0, v = { x = 1 }, t = 1 })
    check.raises({ "neither a parameter nor a coordinate", "'K'" }, S.sweep, S, { over = { { "K", { 1 } } }, q = q0, v = { x = 1 }, t = 1 })
    check.raises({ "value 2 of 'm'" }, S.sweep, S, { over = { { "m", { 1, "two" } } }, q = q0, v = { x = 1 }, t = 1 })
    check.raises({ "end time" }, S.sweep, S, { over = { { "m", { 1 } } }, q = q0, v = { x = 1 } })
    check.raises({ "monotonic" }, S.sweep, S, { over = { { "m", { 1 } } }, q = q0, v = { x = 1, theta = 0 }, times = { 2, 1 } })
    check.raises({ "lanes" }, S.sweep, S, { over = { { "m", { 1 } } }, q = q0, v = { x = 1, theta = 0 }, t = 1, lanes = 3 })
    check.raises({ "each(1)" }, S.sweep, S, { n = 3, each = function() return 7 end, q = q0, v = { x = 1 }, t = 1 })
    check.raises({ "hm.range" }, hm.range, 0, 1)
  end)

  it("with branch choose a velocity also beside conditions and with two levels", function()
    for _, order in ipairs{ "th ph", "ph th" } do
      local S = hm.system "spherical pendulum"
      S:coordinates(order)
      local th, ph = S:symbol "th", S:symbol "ph"
      S:kinetic_energy((th.dot^2 + ph.dot^2*hm.sin(th)^2)/2)
      S:potential_energy(-hm.cos(th))
      local L = ph.dot*hm.sin(th)^2
      local keep = { u = th.dot, w = ph.dot }
      -- th' = +-sqrt(2 (E + cos th) - L^2/sin^2 th), ph' = L/sin^2 th
      local function check_rows(rows, momentum_of, sign)
        for _, row in ipairs(rows) do
          local momentum = momentum_of(row)
          near(row.u, sign*math.sqrt(2*(row.energy + math.cos(1)) - momentum^2/math.sin(1)^2), 1e-9)
          near(row.w, momentum/math.sin(1)^2, 1e-9)
        end
      end
      for _, sign in ipairs{ 1, -1 } do
        local o = { over = { { "energy", { 0, 0.5, 1.5 } } }, q = { th = 1, ph = 0 }, v = {}, where = { { L, 0.3 } }, t = 1e-12, keep = keep,
                    branch = { th = sign } }
        check_rows(S:sweep(o), function() return 0.3 end, sign)
        o.over, o.where = { { "energy", { 0, 0.5 } }, { L, { 0.2, 0.3 } } }, nil
        check_rows(S:sweep(o), function(row) return row[tostring(L)] end, sign)
      end
      local function reason(o)
        o.over, o.q, o.t, o.keep, o.v = o.over or { { "energy", { 0, 0.5 } } }, { th = 1, ph = 0 }, 1, keep, o.v or {}
        local rows = S:sweep(o)
        assert.equal("START", rows[1].status)
        return rows[1].reason
      end
      assert.truthy(reason{ v = { th = 0.1 }, where = { { L, 0.3 } } }:find("none is open for energy: leave out v.th", 1, true))
      assert.truthy(reason{ where = { { L, 0.3 } }, branch = { ph = 1 } }:find("branch.ph has no effect", 1, true))
      assert.truthy(reason{ where = { { L, 0.3 } }, branch = { ph = 1, th = 1 } }:find("branch.ph has no effect: of two velocities of th", 1, true))
      assert.truthy(reason{ v = { th = 0.1 }, branch = { th = 1 } }:find("branch.th has no effect, as this velocity is given", 1, true))
      assert.truthy(reason{ where = { { L^2, 0.09 } }, branch = { th = 1 } }:find("keep one and give velocities", 1, true))
      assert.truthy(reason{ where = { { L^2, 0.09 } } }:find("leave a choice.*keep one and give velocities"))
      assert.truthy(reason{ over = { { "th", { 1 } } }, where = { { L, 0.3 }, { th.dot, 1 } }, branch = { th = 1 } }:find("all conditions are linear", 1, true))
      check.raises({ "branch.th has no effect: no velocity is found" }, S.sweep, S, { over = { { "th", { 1 } } }, q = { ph = 0 }, v = { th = 0, ph = 0 }, t = 1,
        branch = { th = 1 }, keep = keep })
    end
  end)
end)
