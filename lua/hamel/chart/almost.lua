-- chart/almost.lua: almost periods: after how many points does a motion nearly repeat, wherever it is?
--
-- A motion of several frequencies has such numbers, however small the distance (Bohr, Acta Mathematica 45, 1925): they come from fractions that are near to the
-- ratios of its frequencies. Points of chaos are near to each other by chance and part again. Points that come to a cycle are nearer and nearer.
local points = require "hamel.chart.points"

local almost = {}

local PARTS = 4                         -- of the points: the distances in the first and in the last one are compared

--- The least, over numbers of points up to half of them, of the largest distance of points so many after each other, over the scales. Second result: of the
--- best number up to a quarter of them the largest such distance in the last quarter over that in the first one. list: see points.flat; whole: see turns.lua
function almost.least(list, scale, whole)
  local count, least, ratio = #list.flat//list.size, math.huge, 1
  for lag = 1, count//2 do
    local most, first, last, n = 0, 0, 0, count - lag
    for k = 1, n do
      local d = points.distance_in(list, k, k + lag, scale, whole)
      if d > most then most = d end
      if most >= least then break end
      if PARTS*k <= n and d > first then first = d end
      if PARTS*(n - k) < n and d > last then last = d end
    end
    if most < least then
      least = most
      if PARTS*lag <= count and first > 0 then ratio = last/first end
    end
  end
  return least, ratio
end

return almost
