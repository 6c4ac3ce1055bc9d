-- curves of touches of stick-slip cycles over two parameters
local hm, branches, check = require "hamel", require "branches", require "check"
local first, near = branches.first, check.near

-- A block on a belt with damping z: at the touch it comes to the velocity of the belt with no acceleration. v at two values of z is from the closed solution of
-- its slip, from the end of the rest on, by Newton's method with 30 digits
describe("a curve of touches", function()
  it("starts where a slip comes to be no longer ended by a rest", function()
    for _, unit in ipairs{ { 1, 1 }, { 1e-9, 1e-6 } } do
      local L, T = table.unpack(unit)
      local S = hm.system "belt"
      local x = S:coordinates "x"
      local v, z = S:parameters "v=0.2 z=0.05"
      S:kinetic_energy(T^2/L*x.dot^2/2)
      S:potential_energy(x^2/(2*L))
      S:force(x, -2*T/L*z*x.dot)
      S:friction("belt", { slip = x.dot - L/T*v, normal = 1, coefficient = 0.3, static = 0.5 })
      local run = S:simulate{ q = { x = 0.49*L }, v = { x = 0.2*L/T }, t = 60*T, rtol = 1e-12, atol = 1e-13*L*math.min(1, 1/T) }
      local ends = {}
      for _, switch in ipairs(run.switches) do if switch.from == "stick" then ends[#ends + 1] = switch.t end end
      local state = run:at(ends[#ends] + T)
      local guess = { q = { x = state.x }, v = { x = state.v.x }, period = ends[#ends] - ends[#ends - 1] }
      local B = S:continue{ periodic = guess, along = "v", from = 0.15, to = 0.3 }
      local touch = first(B, "touch")
      near(touch.value, 0.219618524823175, 1e-10)
      local curve = S:continue{ touch = touch, along = { "v", "z" }, from = { 0.05, 0.02 }, to = { 0.5, 0.1 } }
      for _, wanted in ipairs{ { 0.02, 0.376655982894548 }, { 0.1, 0.136043520778456 } } do
        local found
        for _, point in ipairs(curve.points) do if math.abs(point.parameters.z - wanted[1]) < 1e-12 then found = point end end
        near(found.parameters.v, wanted[2], 1e-9)
        assert(found.admissible)
      end
    end
  end)
end)
