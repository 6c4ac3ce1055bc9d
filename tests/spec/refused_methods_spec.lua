-- methods that a system is not for: they refuse it
local hm, check, mechanics = require "hamel", require "check", require "mechanics"

describe("a method that a system is not for", function()
  it("is dla where a force changes its formula", function()
    local forces = {
      function() return (hm.sign(hm.t - 5) - hm.sign(hm.t - hm.number "5.001"))*500 end,
      function() return hm.data{ x = { 0, 5, 5.001, 5.002, 10 }, y = { 0, 0, 1000, 0, 0 }, kind = "linear" }(hm.t) end,
      function(x) return 1000*hm.max(0, 1 - hm.abs(x - 3)*1000) end,
    }
    for _, force in ipairs(forces) do
      local S = mechanics.driven(force)
      check.raises({ "dla", "gauss4" }, S.simulate, S, { q = { x = 0 }, v = { x = 1 }, t = 10, method = "dla", step = 0.01 })
      assert.equal("OK", S:simulate{ q = { x = 0 }, v = { x = 1 }, t = 10, method = "dop853" }.status)
    end
  end)

  it("is one that builds on the steps before, where there are contacts", function()
    local S, y = mechanics.body("ball", "y")
    S:force(y, -1)
    S:unilateral("table", y - 2*hm.sin(hm.t), { law = hm.newton(0.2) })
    for _, method in ipairs{ "msadams", "msbdf" } do
      check.raises({ method, "dop853" }, S.simulate, S, { q = { y = 0 }, v = { y = 2 }, t = 50, method = method })
    end
  end)
end)

-- A block with a friction, and with a floor where wanted
local function block(floor)
  local S = hm.system "block"
  local x, y = S:coordinates "x y"
  S:kinetic_energy((x.dot^2 + y.dot^2)/2)
  S:potential_energy(10*y)
  if floor then S:unilateral("floor", y, { law = hm.plastic() }) end
  S:friction("rub", { slip = x.dot, normal = floor and "floor" or 1, coefficient = 0.3 })
  return S
end

describe("what takes no contacts", function()
  local start = { q = { x = 0, y = 0 }, v = { x = 1, y = 0 } }
  local words = { [true] = "block has the one-sided constraint 'floor' and the friction 'rub'", [false] = "block has the friction 'rub'" }

  it("is a method that names them, and the methods that take them", function()
    local core, taken = require "hamel.core", {}
    for name, row in pairs(core.steppers()) do if row.contacts then taken[#taken + 1] = name end end
    table.sort(taken)
    for floor, text in pairs(words) do
      for name, row in pairs(core.steppers()) do
        local o = { q = start.q, v = start.v, t = 0.1, method = name, step = row.fixed and 0.01 or nil }
        local S = block(floor)
        if row.contacts and name ~= "moreau" then assert.equal("OK", S:simulate(o).status, name) end
        if not row.contacts then
          check.raises({ "simulate: method '" .. name .. "'", text, "take one of " .. table.concat(taken, ", ") }, S.simulate, S, o)
        end
      end
    end
  end)

  it("is a form, or a study, that names them", function()
    for floor, text in pairs(words) do
      local S = block(floor)
      for _, form in ipairs{ "maggi", "appell", "hamel", "canonical" } do
        check.raises({ "the form '" .. form .. "'", text, "lagrange", "nielsen" }, S.simulate, S, { q = start.q, v = start.v, t = 1, form = form })
      end
      check.raises({ "reference", text }, S.reference, S, { q = start.q, v = start.v, t = 1 })
      check.raises({ "derivation", text }, S.derivation, S, "lagrange")
      check.raises({ "export_c", text }, S.export_c, S, "b.c")
      check.raises({ "variations", text }, S.variations, S, { q = start.q, v = start.v, t = 1 })
    end
  end)
end)

describe("hm.read", function()
  it("refuses a file of NumPy's whose numbers were damaged", function()
    local S, x = mechanics.body("pendulum", "x")
    S:potential_energy(-hm.cos(x))
    local path = os.tmpname() .. ".npz"
    S:simulate{ q = { x = 1 }, v = { x = 0 }, t = 10 }:save(path)
    local bytes = check.content(path)
    for place = 110, 400, 7 do
      check.write(path, bytes:sub(1, place - 1) .. string.char(bytes:byte(place) ~ 64) .. bytes:sub(place + 1))
      local fine, read = pcall(hm.read, path)
      assert(not fine or read.t[2] > 0.06 and read.t[2] < 0.0612 and math.abs(read.t[#read.t] - 10) == 0)
    end
    os.remove(path)
  end)
end)
