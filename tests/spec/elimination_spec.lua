-- Forms that eliminate velocities stop where these are not determined: the message names others, which serve.
local hm, check = require "hamel", require "check"

local function chain()
  local S = hm.system "chain"
  S:frame "N"
  local A, B = S:rotation("A", { rates = "a1 a2 a3" }), S:rotation("B", { rates = "b1 b2 b3" })
  local a = S:body("a", { at = S:point "x1 y1 z1", frame = A, mass = 1, inertia = {1, 2, 2.5} })
  local b = S:body("b", { at = S:point "x2 y2 z2", frame = B, mass = 1, inertia = {1, 2, 2.5} })
  S:joint("hip", "spherical", S.origin, a:point(-1, 0, 0))
  S:joint("knee", "revolute", a:point(1, 0, 0), b:point(-0.5, 0, 0), { axis = {A.z, B.z} })
  S:gravity(-9.81*S:frame().z)
  return S
end

describe("a run whose form eliminates velocities that are not determined", function()
  local start = { q = { A = {"zyz", 0.1, 0.2, 0.3}, B = {"zyz", 0.1, 0.2, 0.3} }, v = { a1 = 1, a2 = 2, a3 = 3, b3 = 4 }, t = 0.4, rtol = 1e-9 }
  local S = chain()
  local want = S:simulate(start)
  for _, form in ipairs{ "hamel", "canonical", "kane" } do
    it("names the velocities to eliminate there: " .. form, function()
      start.form, start.dependent = form, nil
      local run = S:simulate(start)
      assert.are.equal("SINGULAR", run.status)
      assert.is_true(#run.reason < 500, run.reason)
      local list = run.reason:match "dependent = {([^}]+)}"
      start.dependent = {}
      for name in list:gmatch '"([^"]+)"' do table.insert(start.dependent, name) end
      assert.are.equal(8, #start.dependent)
      local other = S:simulate(start)
      assert.are.equal("OK", other.status)
      for _, name in ipairs{ "x2", "y2", "z2" } do check.near(other:at(0.4)[name], want:at(0.4)[name], 1e-6, name) end
    end)
  end
end)
