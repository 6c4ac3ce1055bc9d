-- exact_times.lua: the start and the times of motions that are enclosed or computed to many digits, exactly as they are given.
local exact = require "hamel.analysis.exact"
local object = require "hamel.base.object"
local symbols = require "hamel.algebra.symbols"

local fail = object.fail

-- Which way it is from one time to another, which doubles may not tell apart: the sign of the result
local function way_between(from, to)
  local way = symbols.number(to) - symbols.number(from)
  return way ~= 0 and way or symbols.number(exact.number(to, "times") - exact.number(from, "t"))
end

-- Refuses times that turn back. The first one that is not the start says which way they go
local function demand_one_way(what, from, times)
  local before, way = from, 0
  for i, time in ipairs(times) do
    local next_way = symbols.number(time) and way_between(before, time)
    if not next_way or next_way*way < 0 then fail("%s: times[%d] = %s: times are numbers that go one way", what, i, tostring(time)) end
    if way == 0 then way = next_way > 0 and 1 or next_way < 0 and -1 or 0 end
    before = time
  end
end

--- The start and the list of times that the options t and times give, numbers, texts or expressions; t: as it was given, not yet the nearest double; what: the
--- function, for messages.
return function(what, times, t)
  local t0, last = 0.0, t
  if type(t) == "table" then t0, last = t[1], t[2] end
  if times and last ~= nil then fail("%s: give either the end time t or times; with times, t = { start } is the start", what) end
  local list = times or { last }
  if #list == 0 then fail("%s: the end time t is missing, or times = {...}", what) end
  if not symbols.number(t0) or not times and not symbols.number(last) then fail("%s: t is the end time, or {start, end}", what) end
  demand_one_way(what, t0, list)
  return t0, list
end
