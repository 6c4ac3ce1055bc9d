-- averages.lua: the mean growth of directions over a time in which contacts may take some away and give others back.
--
-- A product of tangent maps keeps no more directions than its factor of least rank, so that what contact or stick takes away within the time has the
-- exponent -inf. A motion that does so only before it comes to its attractor would have -inf for ever: the average begins behind that.
local averages = {}

local Averages = {}
Averages.__index = Averages

--- Sums of the growth of n directions from the time t on. marks: { lost = { how often each was taken away }, present = { is each there? } }, of which later
--- ones are new tables; nil: all are there all the time.
function averages.new(n, t, marks)
  local sums = {}
  for k = 1, n do sums[k] = 0.0 end
  return setmetatable({ count = n, entries = { [0] = { t = t, sums = sums, marks = marks } } }, Averages)
end

--- Adds the logarithms by which directions have grown up to the time t.
function Averages:add(t, logs, marks)
  local before, sums = self.entries[#self.entries].sums, {}
  for k = 1, self.count do sums[k] = before[k] + logs[k] end
  self.entries[#self.entries + 1] = { t = t, sums = sums, marks = marks }
end

-- The entry since which direction k has been there all the time; nil: it is not there at the end
function Averages:kept_since(k)
  local entries, last = self.entries, #self.entries
  local final = entries[last].marks
  if not final then return 0 end
  if not final.present[k] then return nil end
  local i = last
  while i > 0 do
    local marks = entries[i - 1].marks
    if marks ~= final and not (marks.present[k] and marks.lost[k] == final.lost[k]) then break end
    i = i - 1
  end
  return i
end

-- The number of the last entry in the first half of the time
function Averages:middle()
  local entries, last = self.entries, #self.entries
  local t, i = (entries[0].t + entries[last].t)/2, last
  while entries[i].t > t do i = i - 1 end
  return i
end

-- Is direction k taken away in both halves of the time, or gone all the second half?
function Averages:is_taken(k, middle)
  local first, half, last = self.entries[0].marks, self.entries[middle].marks, self.entries[#self.entries].marks
  if last.lost[k] > half.lost[k] then return half.lost[k] > first.lost[k] end
  return not half.present[k] and not last.present[k]
end

--- The entries { t =, means... } of the time that counts, its beginning, and the places of directions with the exponent minus infinity of which it is open
--- whether contact takes them away again and again. What is taken away in the first half only does not count: the average begins when it is there again.
function Averages:history()
  local entries, middle, from, since = self.entries, self:middle(), 0, {}
  for k = 1, self.count do
    since[k] = self:kept_since(k) or math.huge
    if since[k] <= middle then from = math.max(from, since[k]) end
  end
  local history, open, began = {}, {}, entries[from]
  for i = from + 1, #entries do
    local entry = { t = entries[i].t }
    for k = 1, self.count do
      entry[k] = since[k] <= from and (entries[i].sums[k] - began.sums[k])/(entry.t - began.t) or -math.huge
    end
    history[#history + 1] = entry
  end
  for k = 1, self.count do
    if since[k] > from and not self:is_taken(k, middle) then open[#open + 1] = k end
  end
  return history, began.t, open
end

return averages
