-- measure.lua: figures with what they are worth. A time on a machine with other programs scatters; a figure is therefore taken twice or more from
-- separate rounds, and the smallest and the largest of these go with it.
local measure = {}

--- A figure from values measured separately: { value, low, high }, value the median. Without values, or where one is not a number: nil.
function measure.figure(values)
  local sorted = {}
  for k, x in ipairs(values) do
    if type(x) ~= "number" or x ~= x then return nil end
    sorted[k] = x
  end
  if #sorted == 0 then return nil end
  table.sort(sorted)
  return { value = (sorted[(#sorted + 1)//2] + sorted[#sorted//2 + 1])/2, low = sorted[1], high = sorted[#sorted] }
end

--- Seconds that each of `runs` (a table of functions) takes, the runs in turn: what it returns, else the time of the processor. Returns
--- { name = least of all rounds } and a list with the least times of every third round, of those after them, and of the rest: see of_least.
function measure.least(rounds, runs)
  local names, all, thirds = {}, {}, { {}, {}, {} }
  for name in pairs(runs) do names[#names + 1] = name end
  for k = 1, rounds do
    for _, name in ipairs(names) do
      local before = os.clock()
      local seconds, third = runs[name]() or os.clock() - before, thirds[k % 3 + 1]
      all[name], third[name] = math.min(all[name] or math.huge, seconds), math.min(third[name] or math.huge, seconds)
    end
  end
  return all, thirds
end

--- A figure of least times: f(times) of each third of the rounds, its value that of all rounds.
function measure.of_least(all, thirds, f)
  local figure = measure.figure{ f(all), f(thirds[1]), f(thirds[2]), f(thirds[3]) }
  if figure then figure.value = f(all) end
  return figure
end

--- What a figure says about a target: "reached", "missed", or "uncertain" where its values lie on both sides of the target, or where one of them is
--- impossible: a time or a ratio of times is positive. `more`: the target is the least that counts.
function measure.verdict(figure, target, more)
  if not figure then return "not measured" end
  if figure.low <= 0 and not figure.signed then return "uncertain" end
  local function reached(x) return more and x >= target or not more and x <= target end
  if reached(figure.low) ~= reached(figure.high) then return "uncertain" end
  return reached(figure.low) and "reached" or "missed"
end

--- The figure as text: its value, and the smallest and largest where they differ by more than a tenth of it.
function measure.text(figure, unit)
  unit = unit or "%.2f"
  if not figure then return "not measured" end
  if figure.low <= 0 and not figure.signed then return "lost in noise" end
  local number, after = unit:match "^(%%%S+)(.*)$"
  if math.abs(figure.high - figure.low) <= 0.1*math.abs(figure.value) then return (number .. after):format(figure.value) end
  return (number .. " to " .. number .. after):format(figure.low, figure.high)
end

return measure
