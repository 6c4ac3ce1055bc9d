-- Measured data in messages: by their name, with the ends of their points
local hm, check, mechanics = require "hamel", require "check", require "mechanics"

local points = { x = {0, 1, 2, 3}, y = {0, 1, 0.5, 0} }
local function data(kind) return hm.data{ x = points.x, y = points.y, name = "drive", kind = kind } end

describe("measured data", function()
  it("are named where a run leaves their points", function()
    for _, kind in ipairs{ "cubic", "periodic", "steffen", "linear" } do
      local u = data(kind)
      local forces = {
        ["drive(t)"] = function() return u(hm.t) end, ["drive(2*t)"] = function(x) return -x*u(2*hm.t) end, ["drive(x)"] = function(x) return u(x) + 1 end,
        ["drive(t/2)"] = function() return u(hm.t/2):diff(hm.t) end,
      }
      for text, force in pairs(forces) do
        for _, method in ipairs{ "dop853", "auto", "radau5", "rk4" } do
          local run = mechanics.driven(force):simulate{ q = {x = 0.5}, v = {x = 0.2}, t = 10, method = method, step = method == "rk4" and 0.01 or nil }
          assert.are.equal("NOT_FINITE", run.status)
          assert(run.reason:find(text .. " is not a number", 1, true), run.reason)
          assert(run.reason:find("the points of the data reach from 0 to 3", 1, true), run.reason)
          assert(not run.reason:find("tabled", 1, true), run.reason)
        end
      end
    end
  end)

  it("are named where a series refuses them", function()
    local S = mechanics.driven(function() return hm.sqrt(1 + data()(hm.t)) end)
    check.raises({ "drive(t), which is not smooth" }, S.simulate, S, { q = {x = 0}, v = {x = 0}, t = 1, method = "taylor" })
  end)

  it("have no value beyond their points, whatever the curve", function()
    for _, kind in ipairs{ "cubic", "periodic", "steffen", "linear" } do
      local u = data(kind)
      for _, at in ipairs{ -0.1, 3.1 } do assert(u(at) ~= u(at)) end
      check.near(u(1), 1, 1e-14)
    end
  end)
end)
