-- change_points.lua: four-bar linkages that have a pose with all links on a line, parallelograms, kites and those with l1 + l2 = l3 + l4, from random
-- starts, by several methods and tolerances: where the dense elimination stops at the pose, so does the one on the graph of velocities; where one
-- passes, both have the same end.
local hm, check, mechanics = require "hamel", require "check", require "mechanics"

local seed = tonumber(arg and arg[1]) or tonumber(os.getenv "HML_SEED") or os.time()
local draws = check.draws(25)
print(("change points: seed %d, %d linkages"):format(seed, draws))
local random = check.generator(seed)
for _ = 1, 10 do random(0, 1) end
local function whole(from, to) return from + math.floor(random(0, (to - from + 1)*0.999999)) end

local function lengths()
  local a, b, c, kind = whole(10, 40), whole(10, 40), whole(10, 40), whole(1, 3)
  if kind == 1 then return { a, b, a, b } end
  if kind == 2 then return { a, a, b, b } end
  local d = a + b - c
  return { a, b, c, d > 3 and d or b + c - a > 3 and b + c - a or a + c - b }
end

local function linkage(number, list)
  local exact = {}
  for i, tenths in ipairs(list) do exact[i] = hm.rational(tenths, 10) end
  return mechanics.linkage("linkage " .. number, exact)
end

local methods = { "dop853", "dop853", "taylor", "auto" }
local counts = { same = 0, stopped = 0, refused = 0, inaccurate = 0 }
for number = 1, draws do
  local list, q1, v1, digits, method = lengths(), random(-2, 2), random(-3, 3), whole(7, 12), methods[whole(1, 4)]
  local ends = {}
  for _, way in ipairs{ "dense", "graph" } do
    local fine, run = pcall(function()
      return linkage(number, list):simulate{ q = { q1 = q1 }, v = { q1 = v1 }, t = 3, elimination = way, rtol = 10^-digits, atol = 10^-digits, method = method,
        max_steps = 20000, progress = false }
    end)
    ends[way] = fine and { status = run.status, t = run.outcome.t, q = run.status == "OK" and run:at(3).q } or { status = "refused" }
  end
  local one, other = ends.dense, ends.graph
  local function complain(what)
    error(("linkage %d (%s), q1 = %.17g, v1 = %.17g, %s, 1e-%d: %s: %s at %s, %s at %s"):format(number, table.concat(list, ", "), q1, v1, method, digits, what,
      one.status, one.t, other.status, other.t))
  end
  if one.q and other.q then
    for name, value in pairs(one.q) do
      if math.abs(value - other.q[name]) > 1e4*10^-digits then complain("other ends") end
    end
    counts.same = counts.same + 1
  elseif one.status == "INACCURATE" or other.status == "INACCURATE" then     -- it says so
    counts.inaccurate = counts.inaccurate + 1
  elseif one.status == "refused" or other.status == "refused" then
    if one.status ~= other.status then complain "one refuses" end
    counts.refused = counts.refused + 1
  else
    if one.q or other.q or math.abs(one.t - other.t) > 1e-2 then complain "one passes" end
    counts.stopped = counts.stopped + 1
  end
end
print(("%d with the same end, %d stopped at a pose on a line, %d inaccurate, %d starts refused"):format(counts.same, counts.stopped,
  counts.inaccurate, counts.refused))
assert(counts.stopped > draws/4 and counts.refused < draws/2)
