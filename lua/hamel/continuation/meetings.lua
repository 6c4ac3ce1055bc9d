-- meetings.lua: may members of a list (tracks.lua) meet within a part of a step, near enough to the border of stability to pass it?
--
-- Members that meet are no smooth functions of the point: two of a pair that become real move away from each other like the square root of the distance.
-- So their sides at a few points do not tell how far they go between them, and they may pass the border there and come back. Whether they meet, their
-- differences tell, which are known at the same points.
local meetings = {}

local FARTHER = 2                      -- times the bend of a difference: how far from zero it is where it may vanish, and how far its members may go

local function norm(v)
  local sum = 0
  for _, value in ipairs(v) do sum = sum + value*value end
  return math.sqrt(sum)
end

-- The norm of the difference of two vectors
local function apart(one, other)
  local sum = 0
  for k, value in ipairs(one) do sum = sum + (value - other[k])^2 end
  return math.sqrt(sum)
end

-- The least distance from the border of a member that has the number i in some lists; zero where it passes it
local function least_side(lists, i)
  local least, first = math.huge, lists[1][i].side
  for _, list in ipairs(lists) do
    local side = list[i].side
    if (side > 0) ~= (first > 0) then return 0 end
    least = math.min(least, math.abs(side))
  end
  return least
end

-- May two members meet, of which it is known at some points where they are? bend: of their difference along the part
local function may_meet(lists, i, j, bend)
  local least, most = math.huge, 0
  for _, list in ipairs(lists) do
    local d = apart(list[i].place, list[j].place)
    least, most = math.min(least, d), math.max(most, d)
  end
  -- two that are one along the whole part do not meet
  return least <= FARTHER*bend and most > lists[1].fine
end

--- May members meet near the border within a part of a step? lists: those of points of the part, members of one number continue each other; bends: of the
--- place of each member, a vector; active: which of them do not stay on the border
function meetings.near_border(lists, bends, active)
  local sizes, largest = {}, 0
  for i, bend in ipairs(bends) do
    sizes[i] = norm(bend)
    largest = math.max(largest, sizes[i])
  end
  for i in ipairs(bends) do
    local least = active[i] and not lists[1][i].at and least_side(lists, i)
    if least and least <= FARTHER*(sizes[i] + largest) then
      for j in ipairs(bends) do
        local bend = j ~= i and active[j] and apart(bends[i], bends[j])
        if bend and least <= FARTHER*bend and may_meet(lists, i, j, bend) then return true end
      end
    end
  end
  return false
end

return meetings
