-- The systems whose integrals, measures, multipliers and growth vectors are in the literature: each answer in seconds of computing time.
-- Which functions they are is in conserved_spec, measure_spec and multiplier_spec.
local systems = require "nonholonomic"

local MOST = 60                        -- seconds of one answer; sanitizers take several times as long
local sanitized = (os.getenv "SANITIZE" or "OFF") ~= "OFF"

-- integrals: how many are listed; measure; multiplier: for this shape there is one (true) or none (false); growth
local rows = {
  particle = { make = systems.particle, conserved = { power = 2 }, integrals = 4, measure = true, shape = { "x", "y" }, multiplier = true, growth = "2 3" },
  ["balanced sleigh"] = { make = systems.sleigh, conserved = { angle = 1, power = 1 }, integrals = 5, measure = true, shape = { "x", "theta" },
    multiplier = true, growth = "2 3" },
  ["sleigh with an offset"] = { make = systems.sleigh, arguments = { true }, conserved = { angle = 2, power = 1 }, integrals = 1, measure = false,
    shape = { "x", "theta" }, multiplier = false, growth = "2 3" },
  ["Suslov, principal axis"] = { make = systems.suslov, arguments = { 0 }, measured = { parameters = "declared" }, measure = true, integrals = 5,
    conserved = { angle = { psi = 1, theta = 1, phi = 1 }, degree = 1, parameters = "declared" }, growth = "2 3" },
  ["Suslov, another axis"] = { make = systems.suslov, arguments = { 1 }, conserved = { angle = 1 }, integrals = 1, measure = false, growth = "2 3" },
  ["upright disc"] = { make = systems.upright_disc, conserved = { angle = 1, power = 1 }, integrals = 5, measure = true, shape = { "theta", "phi" },
    multiplier = true, growth = "2 3 4" },
  ["rolling disc"] = { make = systems.rolling_disc, conserved = { degree = 1, along = "theta" }, integrals = 3, measure = true, growth = "3 4 5" },
  snakeboard = { make = systems.snakeboard, conserved = {}, integrals = 4, measure = true, growth = "3 4 5" },
  ["roller racer"] = { make = systems.roller_racer, conserved = { degree = 1, angle = 2 }, integrals = 1, measure = false, growth = "2 3 4" },
  Veselova = { make = systems.veselova, conserved = function(k) return { over = k.gamma, products = 2, velocities = k.w } end, integrals = 2,
    measure = true, shape = { "theta", "phi" }, multiplier = true, growth = "2 3" },
  ["Chaplygin's sphere"] = { make = systems.sphere, integrals = 4, measure = true, shape = { "psi", "theta", "phi" }, multiplier = false, growth = "3 5",
    conserved = function(k) return { over = table.move(k.gamma, 1, 3, 4, { table.unpack(k.alpha) }), products = 2, degree = 1 } end },
  turntable = { make = systems.turntable, conserved = { power = 2 }, integrals = 7, measure = true },
  ["ball in a cylinder"] = { make = systems.cylinder, conserved = { degree = 1, power = { z = 1 } }, integrals = 4, measure = true },
  ellipsoid = { make = systems.ellipsoid, arguments = { 3, 2, 1 }, conserved = { degree = 1, angle = 1 }, integrals = 1, measure = false },
}

local function timed(what, f)
  local start = os.clock()
  local result = f()
  local seconds = os.clock() - start
  if os.getenv "HML_TIMES" then print(("%-45s %6.2f s"):format(what, seconds)) end
  assert(sanitized or seconds < MOST, ("%s took %.1f s"):format(what, seconds))
  return result
end

describe("known answers:", function()
  for name, row in pairs(rows) do
    it(name, function()
      local S, k = row.make(table.unpack(row.arguments or {}))
      local given = type(row.conserved) == "function" and row.conserved(k) or row.conserved
      local C = timed(name .. ": conserved", function() return S:conserved(given) end)
      assert(#C == row.integrals, tostring(C))
      for _, I in ipairs(C) do assert.is_true(I.proof) end
      for _, s in ipairs(C.search) do assert.is_true(s.complete) end
      local M = timed(name .. ": invariant_measure", function() return S:invariant_measure(row.measured) end)
      assert.is_true(M.proof and M.exists == row.measure)
      if row.shape then
        local N = timed(name .. ": chaplygin_multiplier", function() return S:chaplygin_multiplier{ shape = row.shape } end)
        assert.is_true(N.proof and (N.multiplier ~= nil) == row.multiplier)
      end
      if row.growth then
        local g = timed(name .. ": growth_vector", function() return S:growth_vector() end)
        assert.are.equal(row.growth, table.concat(g, " "))
      end
    end)
  end
end)
