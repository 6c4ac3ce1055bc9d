-- S:sweep with project = false: lanes watch the constraints at their steps; where these drift the runs are made one by one, and judged in between
local hm, check, mechanics = require "hamel", require "check", require "mechanics"
local near, rod = check.near, mechanics.rod
local balance = require "hamel.run.balance"

local function sweep(S, t, tolerance, more)
  local o = { over = { { "x", hm.range(0.1, 0.9, 21) } }, v = { x = 0.1 }, t = t, rtol = tolerance, atol = tolerance, project = false,
              keep = { "x", "y", length = hm.sqrt(S:coordinate_list()[1]^2 + S:coordinate_list()[2]^2) }, progress = false }
  for name, value in pairs(more or {}) do o[name] = value end
  return S:sweep(o)
end

local function same(a, b)
  assert.equal(#a, #b)
  for i = 1, #a do
    for _, name in ipairs{ "index", "status", "reason", "t", "steps", "evaluations", "x", "y", "length" } do assert.equal(a[i][name], b[i][name]) end
  end
end

describe("S:sweep without projection", function()
  -- arbiter: runs one after the other, which are looked at a hundred times
  it("has the numbers of single runs where the constraints hold, with times and measures", function()
    local S = rod()
    local x = S:coordinate_list()[1]
    for _, method in ipairs{ "dop853", "taylor" } do
      local more = { method = method, times = { 1, 3 }, keep = { "x", "y", length = hm.sqrt(x^2 + S:coordinate_list()[2]^2), passages = hm.count(x, 0) } }
      local wide = sweep(S, 3, 1e-11, more)
      more.lanes = 1
      local single = sweep(S, 3, 1e-11, more)
      assert.equal(21, #wide)
      for i, row in ipairs(wide) do
        assert.equal("OK", row.status)
        assert.equal(single[i].passages, row.passages)
        near(row.length, 1, 1e-9)
        for k = 1, 2 do near(row.series[k].x, single[i].series[k].x, 1e-9) end
      end
    end
  end)

  it("leaves runs whose constraints drift to single runs, bit by bit", function()
    local S = rod()
    local wide, single = sweep(S, 60, 1e-4), sweep(S, 60, 1e-4, { lanes = 1 })
    same(wide, single)
    local refused = 0
    for _, row in ipairs(single) do refused = refused + (row.status == "INACCURATE" and tostring(row.reason):find "constraint" and 1 or 0) end
    assert.truthy(refused > 0)
  end)

  it("does not depend on threads, nor on the other runs", function()
    local S = rod()
    -- some of the runs drift, others do not
    local o = { over = { { "x'", hm.range(0, 3, 21) } }, q = { x = 0.1 }, v = {} }
    local one = sweep(S, 12, 1e-5, { over = o.over, q = o.q, v = o.v, threads = 1 })
    same(one, sweep(S, 12, 1e-5, { over = o.over, q = o.q, v = o.v, threads = 2 }))
    local half = sweep(S, 12, 1e-5, { over = o.over, q = o.q, v = o.v, shard = "2/2" })
    for _, row in ipairs(half) do same({ one[row.index] }, { row }) end
  end)

  -- arbiter: balance.check of each row
  it("takes rows for fine at once only where each of them is", function()
    local S, clear = rod(), balance.clear
    local skipped, whole, refused = 0, {}, 0
    local function ways()
      local list = {}
      for _, tolerance in ipairs{ 1e-3, 1e-5, 1e-9 } do
        for _, method in ipairs{ "dop853", "taylor", "rk4" } do
          for _, project in ipairs{ true, false } do
            list[#list + 1] = sweep(S, 8, tolerance, { method = method, step = method == "rk4" and 0.05 or nil, project = project, times = { 2, 8 } })
          end
        end
      end
      return list
    end
    balance.clear = function() return nil end
    local fine, one_by_one = pcall(ways)
    balance.clear = function(...)
      local found = clear(...)
      for _, held in ipairs(found) do skipped = skipped + (held and 1 or 0) end
      return found
    end
    local again, together = pcall(ways)
    balance.clear = clear
    assert.truthy(fine and again)
    for i, s in ipairs(one_by_one) do
      same(s, together[i])
      for _, row in ipairs(s) do
        whole[row.status] = true
        refused = refused + (row.status == "INACCURATE" and 1 or 0)
      end
    end
    assert.truthy(whole.OK and refused > 0 and skipped > 0)
  end)
end)
