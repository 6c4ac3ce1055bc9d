-- Rates of rotations and vectors in what runs keep: tables, archives, sweeps.
local hm, check = require "hamel", require "check"
local raises = check.raises

local function near(a, b, tolerance, what)
  if type(a) == "number" then return check.near(a, b, tolerance, what) end
  for i = 1, #b do check.near(a[i], b[i], tolerance, ("%s[%d]"):format(what, i)) end
end

local function rolling()
  local S = hm.system "Chaplygin sphere"
  local N, R = S:frame "N", S:rotation("R", { rates = "p q r" })
  local m, a = S:positive "m=2 a=1/2"
  local G = S:point "x y z"
  local ball = S:body("ball", { at = G, frame = R, mass = m, inertia = {0.1, 0.15, 0.2}, shape = {"sphere", radius = a} })
  S:rolls("roll", ball, N:plane())
  return S, R, G, m
end

local start = { q = { x = 0, y = 0, R = {1, 0, 0, 0} }, v = { R = {0.7, 0.9, 1.1} }, t = 2 }

local function file(ending) return os.tmpname() .. ending end

local function text_of(path)
  local f = assert(io.open(path, "rb"))
  local text = f:read "a"
  f:close()
  os.remove(path)
  return text
end

describe("body rates", function()
  it("are columns of saved tables by their names", function()
    local run = (rolling()):simulate(start)
    local path = file ".csv"
    run:save(path, { times = { 0, 2 } })
    local head, first, last = text_of(path):match "\n(t,[^\n]+)\n([^\n]+)\n([^\n]+)"
    assert.are.equal("t,R0,R1,R2,R3,x,y,z,p,q,r,x',y',z',lambda.roll.x,lambda.roll.y,lambda.roll.z", head)
    local values = {}
    for value in (first .. "," .. last):gmatch "[^,]+" do values[#values + 1] = tonumber(value) end
    near({ values[9], values[10], values[11] }, { 0.7, 0.9, 1.1 }, 1e-15, "at the start")
    near({ values[17 + 9], values[17 + 10], values[17 + 11] }, { run:at(2).p, run:at(2).v.q, run:at(2).r }, 1e-15, "at the end")
    near(2*run:at(2).q, 2*values[17 + 10], 1e-15, "a rate that is called as the coordinates")
    for _, ending in ipairs{ ".json", ".npz", ".mat" } do
      path = file(ending)
      run:save(path)
      local text = text_of(path)
      assert.is_truthy(text:find "[^%w]p[^%w]" and text:find "[^%w]r[^%w]")
      assert.is_falsy(text:find "R0'\"" or text:find "R0'.npy" or text:find "R0_dot")
    end
  end)
  it("are series of a run, and come back with a loaded one", function()
    local S, R = rolling()
    for _, form in ipairs{ "lagrange", "hamel" } do
      local run = S:simulate{ q = start.q, v = start.v, t = 2, form = form }
      assert.are.equal(0.7, run.v.p[1])
      local path = file ".hamel"
      run:save(path)
      local again, alone = hm.load(path, S), hm.load(path)
      os.remove(path)
      near(again:at(1.3).R, run:at(1.3).R, 0, "quaternion")
      near(again:at(1.3, R.z), run:at(1.3, R.z), 0, "vector")
      assert.are.equal(run:at(1.3).p, again:at(1.3).p)
      near(alone:at(2).p, run:at(2).p, 1e-9, "recording")
    end
  end)
  it("are given once: by a list or vector, or by name", function()
    local S, R = rolling()
    raises({ "v.R", "'p' is given as well" }, S.simulate, S, { q = start.q, v = { R = {0.7, 0.9, 1.1}, p = 2 }, t = 1 })
    raises({ "v.R", "'q' is given as well" }, S.simulate, S, { q = start.q, v = { R = 2*R.z, q = 2 }, t = 1 })
    -- a sweep over a rate beside a list of all three varies that one
    local sweep = S:sweep{ over = { { "v.p", { 1, 2 } } }, q = start.q, v = start.v, t = 1, keep = { "p" } }
    for i = 1, 2 do
      local rates = table.move(start.v.R, 1, 3, 1, {})
      rates[1] = i
      local v = { R = rates }
      for name, value in pairs(start.v) do v[name] = v[name] or value end
      near(sweep[i].p, S:simulate{ q = start.q, v = v, t = 1 }:at(1).p, 1e-9, "a row")
    end
    sweep = S:sweep{ over = { { "v.p", { 1, 2 } } }, q = start.q, v = { q = 0.9, r = 1.1 }, t = 1, keep = { "p" } }
    assert.is_true(sweep[1].p ~= sweep[2].p)
  end)
end)

describe("vectors and points", function()
  it("are kept by components with their name", function()
    local S, R, G, m = rolling()
    local run = S:simulate{ q = start.q, v = start.v, t = 2, keep = { axis = R.z, place = G, "max p" } }
    local axis = run:at(2, R.z)
    near({ run.kept["axis.x"], run.kept["axis.y"], run.kept["axis.z"] }, axis, 1e-15, "axis")
    near(run.kept["place.z"], 0.5, 1e-12, "height")
    local sweep = S:sweep{ over = { { m, { 1, 2 } } }, q = start.q, v = start.v, times = { 1, 2 }, keep = { axis = R.z } }
    near({ sweep[2]["axis.x"], sweep[2]["axis.y"], sweep[2]["axis.z"] }, axis, 1e-8, "sweep")
    near(sweep[2].series[1]["axis.x"], run:at(1, R.z)[1], 1e-8, "series of a sweep")
  end)
  it("need a name where they are kept", function()
    local S, R = rolling()
    raises({ "keep[1]", "give it a name" }, S.simulate, S, { q = start.q, v = start.v, t = 1, keep = { R.z } })
  end)
end)
