-- Rows of sweeps: nothing that `each` returns is dropped, nothing that fails ends the others, no column hides another, no value is made up
local hm, check = require "hamel", require "check"

-- Runs side by side in the core, and one after the other where a force is written in Lua
local ways = { "in the core", "one after the other" }

local function spring(way, names)
  local S = hm.system "spring"
  local x, k = S:coordinates(names and names.x or "x"), S:positive((names and names.k or "k") .. "=1")
  S:kinetic_energy(x.dot^2/2)
  S:potential_energy(k*x^2/2)
  if way == "one after the other" then S:force(x, function() return 0 end) end
  return S, x, k
end

local function sweep(S, n, each, more)
  local o = { n = n, each = each, q = {x = 1}, v = {x = 0}, t = 2 }
  for key, value in pairs(more or {}) do o[key] = value end
  return S:sweep(o)
end

local names_of_rows = { "index", "status", "reason", "t", "steps", "evaluations", "impacts", "series", "inputs", "label", "failed", "checksum" }

for _, way in ipairs(ways) do
  describe("a sweep by each, " .. way, function()
    it("refuses what it does not know", function()
      local S = spring(way)
      local function with(key, value) return function() return { q = {x = 1}, [key] = value } end end
      check.raises({ "each(1)", "unknown option 'params'", "did you mean 'parameters'?" }, sweep, S, 3, with("params", {k = 4}))
      for _, key in ipairs{ "k", "t", "V", "rtol", 1, "over", "keep" } do
        check.raises({ "each(1)", "unknown option '" .. key .. "'" }, sweep, S, 3, with(key, 4))
      end
      check.raises({ "each(1)", "'q' is a table, not number" }, sweep, S, 3, function() return { q = 1 } end)
      check.raises({ "each(1)", "returned nil, not a table" }, sweep, S, 3, function() end)
    end)

    it("keeps the rows of all runs but those for which it raises", function()
      local S = spring(way)
      local bad = {
        [2] = function() error "boo" end, [3] = function() error({}) end, [5] = function() return nil end, [6] = function() return { params = {} } end,
        [7] = function() return { parameters = {kk = 1} } end, [8] = function() return { q = {y = 1} } end, [9] = function(i) return i.b end,
        [10] = function() return { label = { status = "mine" } } end, [11] = function() return { label = { x = 5 } } end,
        [12] = function() return { parameters = {k = -1} } end,
      }
      local W = sweep(S, 14, function(i) return (bad[i] or function() return { parameters = {k = i} } end)(i) end)
      assert.are.equal(14, #W)
      for i, row in ipairs(W) do
        assert.are.equal(i, row.index)
        if bad[i] then
          assert.are.equal("START", row.status)
          assert(#row.reason > 3, row.reason)
          assert.is_nil(row.x)
        else
          assert.are.equal("OK", row.status)
          check.near(row.x, math.cos(2*math.sqrt(i)), 1e-7)
        end
      end
      assert.truthy(W[2].reason:find "sweep: each%(2%): .*boo$")
      assert.truthy(W[5].reason:find("each(5) returned nil", 1, true))
      assert.truthy(W[6].reason:find("did you mean 'parameters'?", 1, true))
      assert.truthy(W[7].reason:find("kk", 1, true))
      assert.truthy(W[10].reason:find("a row has a 'status' already", 1, true))
      assert.are.equal(10, #W:failed())
    end)

    it("raises where it raises for all of them", function()
      local S = spring(way)
      check.raises({ "each(1)", "boo" }, sweep, S, 3, function() error "boo" end)
    end)

    it("goes on from a file with the runs that failed", function()
      local S = spring(way)
      local path = os.tmpname() .. ".jsonl"
      local ill = true
      local function each(i)
        if ill and i == 3 then error "boo" end
        return { q = {x = i} }
      end
      local W = sweep(S, 5, each, { out = path })
      assert.are.equal("START", W[3].status)
      ill = false
      W = sweep(S, 5, each, { out = path })
      os.remove(path)
      for i = 1, 5 do
        assert.are.equal("OK", W[i].status)
        check.near(W[i].x, i*math.cos(2), 1e-7)
      end
    end)

    it("gives every row a label of its own", function()
      local S = spring(way)
      local label = { name = "shared" }
      local W = sweep(S, 3, function(i) label.number = i return { q = {x = i}, label = label } end)
      for i = 1, 3 do
        assert.are.equal(i, W[i].number)
        assert.are.equal(i, W[i].index)
      end
      assert.is_nil(label.index)
    end)
  end)

  describe("a column of a sweep, " .. way, function()
    it("has a name that a row does not have already", function()
      for _, name in ipairs(names_of_rows) do
        if name ~= "t" then
          local S = spring(way, { x = name })
          local given = { over = { { "k", { 1, 4 } } }, q = { [name] = 1 }, v = { [name] = 0 }, t = 2 }
          check.raises({ ("a row has a '%s' already"):format(name), ("keep = { my_%s = \"%s\" }"):format(name, name) }, S.sweep, S, given)
          given.keep = { ["my_" .. name] = name }
          local W = S:sweep(given)
          check.near(W:column("my_" .. name)[2], math.cos(4), 1e-7)
          assert.are.same({ "OK", "OK" }, W:column "status")
          given.over = { { "q." .. name, { 1, 3 } } }
          check.near(S:sweep(given):column("my_" .. name)[2], 3*math.cos(2), 1e-7)
          assert.are.same({ 1, 3 }, S:sweep(given):column("q." .. name))
        end
      end
    end)

    it("is called parameters.name where a row has the name of a parameter", function()
      for _, name in ipairs(names_of_rows) do
        if name ~= "t" then
          local S = spring(way, { k = name })
          for _, as in ipairs{ name, "parameters." .. name } do
            local W = S:sweep{ over = { { as, { 1, 4 } } }, q = {x = 1}, v = {x = 0}, t = 2 }
            assert.are.same({ 1, 4 }, W:column("parameters." .. name))
            assert.are.same({ 1, 2 }, W:column "index")
            assert.are.same({ "OK", "OK" }, W:column "status")
            check.near(W:column "x"[2], math.cos(4), 1e-7)
          end
        end
      end
      local S = spring(way)
      assert.are.same({ 1, 4 }, S:sweep{ over = { { "parameters.k", { 1, 4 } } }, q = {x = 1}, v = {x = 0}, t = 2 }:column "k")
      check.raises({ "over[1] is", "'unit' means nothing there" }, S.sweep, S, { over = { { "k", { 1 }, unit = "N/m" } }, q = {x = 1}, v = {x = 0}, t = 2 })
    end)
  end)

  describe("a kept value, " .. way, function()
    it("that is not finite is left out, with a word", function()
      local S, x, k = spring(way)
      local given = { over = { { "k", { 1, 4, 9 } } }, q = {x = 1}, v = {x = 0}, t = 2,
                      keep = { "x", root = hm.sqrt(k - 3), pole = 1/(k - 9), log = hm.log(k - 4), large = hm.exp(1000*k)/hm.exp(999*k) } }
      local W = S:sweep(given)
      local missing = { { "root", "log", "large" }, { "log", "large" }, { "pole", "large" } }
      for i, row in ipairs(W) do
        assert.are.equal("NOT_FINITE", row.status)
        check.near(row.x, math.cos(2*i), 1e-7)
        local gone = {}
        for _, name in ipairs(missing[i]) do gone[name] = true end
        for _, name in ipairs{ "root", "pole", "log" } do
          if gone[name] then assert.is_nil(row[name]) else assert(math.abs(row[name]) < 10) end
        end
        for _, name in ipairs(W.names) do assert(row[name] == nil or row[name] - row[name] == 0) end
        assert.truthy(row.reason:find("^keep: '%w+' is .* at t = 2$"))
      end
      given.keep = { root = hm.sqrt(x + 1/2) }
      given.over, given.times, given.t = { { "k", { 1 } } }, { 1, 2, 3, 6.2 }, nil
      W = S:sweep(given)
      assert.are.equal("NOT_FINITE", W[1].status)
      assert.truthy(W[1].reason:find("at t = 3$"))
      check.near(W[1].series[1].root, math.sqrt(math.cos(1) + 0.5), 1e-7)
      assert.is_nil(W[1].series[3].root)
      check.near(W[1].root, math.sqrt(math.cos(6.2) + 0.5), 1e-7)
      given.keep = { root = hm.sqrt(x + 2) }
      assert.are.equal("OK", S:sweep(given)[1].status)
    end)

    -- Arbiter: S:simulate, whose run from the same start is judged without the missing value
    it("does not hide that the run is inaccurate", function()
      local S = hm.system "double pendulum"
      local a, b = S:coordinates "a b"
      local x, y = hm.sin(a), -hm.cos(a)
      local u, w = x + hm.sin(b), y - hm.cos(b)
      S:kinetic_energy((hm.dt(x)^2 + hm.dt(y)^2 + hm.dt(u)^2 + hm.dt(w)^2)/2)
      S:potential_energy(hm.number "9.81"*(y + w))
      if way == "one after the other" then S:force(a, function() return 0 end) end
      local given = { q = {a = 2, b = 1}, v = {a = 0, b = 0}, t = 10, method = "gauss4", step = 0.05 }
      assert.equal("INACCURATE", S:simulate(given).status)
      given.q, given.over = {b = 1}, { { "a", { 2 } } }
      for _, keep in ipairs{ { "b" }, { "b", pole = hm.highest(1/a) }, { "b", root = hm.sqrt(-1 - a^2) }, { "b", "count b" } } do
        given.keep = keep
        local row = S:sweep(given)[1]
        assert.equal("INACCURATE", row.status)
        assert.truthy(row.reason:find("the errors of the steps of 0.05 grow", 1, true), row.reason)
      end
    end)
  end)
end
