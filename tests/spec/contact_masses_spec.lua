-- rows of balls whose masses differ by many orders of magnitude: right, or refused because of rounding
local hm, check = require "hamel", require "check"
local near = check.near

-- Balls in a row over a floor, perhaps below a ceiling that touches the last one; all touch at the start
local function row(masses, forces, ceiling)
  local S = hm.system "row"
  local names, T, q, v = {}, 0, {}, {}
  for i = 1, #masses do names[i], q["x" .. i], v["x" .. i] = "x" .. i, 0, 0 end
  local x = { S:coordinates(table.concat(names, " ")) }
  for i, m in ipairs(masses) do
    T = T + m*x[i].dot^2/2
    S:force(x[i], forces[i])
  end
  S:kinetic_energy(T)
  S:unilateral("floor", x[1], { law = hm.newton(0.5) })
  for i = 2, #masses do S:unilateral("gap" .. i, x[i] - x[i - 1], { law = hm.newton(0.5) }) end
  if ceiling then S:unilateral("ceiling", -x[#masses], { law = hm.newton(0.5) }) end
  local fine, run = pcall(S.simulate, S, { q = q, v = v, t = 1 })
  return fine and run.status or "refused", fine and run or nil, fine and run.reason or tostring(run)
end

-- Gauss: of all accelerations 0 <= a1 <= a2 <= ... those with the least sum of m (a - F/m)^2, which are found by joining neighbours in turn
local function by_gauss(masses, forces)
  local blocks, a = {}, {}
  for i, m in ipairs(masses) do
    local block = { m = m, F = forces[i], n = 1 }
    while #blocks > 0 and blocks[#blocks].F/blocks[#blocks].m >= block.F/block.m do
      local before = table.remove(blocks)
      block = { m = before.m + block.m, F = before.F + block.F, n = before.n + block.n }
    end
    blocks[#blocks + 1] = block
  end
  for _, block in ipairs(blocks) do for _ = 1, block.n do a[#a + 1] = math.max(0, block.F/block.m) end end
  return a
end

local function compare(masses, forces, ceiling)
  local status, run, reason = row(masses, forces, ceiling)
  if status ~= "OK" then
    assert.truthy(reason:find("rounding", 1, true), reason)
    return false
  end
  local a, most = by_gauss(masses, forces), 0
  for i = 1, #masses do if ceiling then a[i] = 0 end end
  for _, value in ipairs(a) do most = math.max(most, value) end
  for i, value in ipairs(a) do near(run:at(1).q["x" .. i], value/2, 1e-8*most + 1e-10, ("x%d of %s"):format(i, table.concat(masses, " "))) end
  return true
end

describe("a row of balls that touch", function()
  it("moves by Gauss' principle with masses up to 1e12 apart", function()
    -- a light ball that carries a heavy one, alone and with others
    assert(compare({ 1e-6, 1e4 }, { -1e-6, -1e4 }))
    assert(compare({ 1e-3, 1e6, 1e4 }, { -0.122, -0.354, 0.359 }))
    assert(compare({ 1e-5, 1e4, 1e-6 }, { -1e-5, -1e4, -1e-6 }))
    assert(compare({ 1, 1e4, 1e-4, 10 }, { 0.0268, -0.0407, 0.108, -0.447 }))
    assert(compare({ 1e-3, 1e4, 1 }, { -1e-3, -1e4, -1 }, true))
    assert(compare({ 1, 1e-2, 1e7, 1e-4, 1e-2 }, { -0.463, 0.00442, -4.8e6, -2.56e-5, 0.00377 }, true))
  end)

  it("with masses drawn at random is right, or refused because of rounding", function()
    local seed, fine, cases = 7, 0, 40
    local function draw()
      seed = (seed*16807) % 2147483647
      return seed/2147483647
    end
    for _ = 1, cases do
      local masses, forces = {}, {}
      for i = 1, 2 + math.floor(4*draw()) do
        masses[i] = 10.0^math.floor(15*draw() - 7)
        forces[i] = (draw() - 0.5)*masses[i]
      end
      if compare(masses, forces, draw() < 0.5) then fine = fine + 1 end
    end
    assert(fine > cases*3//4, fine)
  end)
end)
