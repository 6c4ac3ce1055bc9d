-- lanes.lua: the same runs of a sweep one after the other and side by side in vector lanes. Where the machine has no 8 lanes, it takes 4 in their place.
local lanes = {}

--- The sweep `given` of S in so many lanes and threads (1 where it is not given), without a line of progress.
function lanes.sweep(S, given, count, threads)
  local o = { lanes = count, threads = threads or 1, progress = false }
  for key, value in pairs(given) do o[key] = value end
  return S:sweep(o)
end

--- Calls each(row, the same row in lanes, lanes) for 4 lanes and for 8 in two threads. Returns the runs one after the other.
function lanes.compare(S, given, each)
  local single = lanes.sweep(S, given, 1)
  for count = 4, 8, 4 do
    local wide = lanes.sweep(S, given, count, count//4)
    assert(#wide == #single, "the sweeps have other numbers of rows")
    for i = 1, #single do each(single[i], wide[i], count) end
  end
  return single
end

--- Calls each(values, the same in the other row) at every time of a row that was kept.
function lanes.at_times(row, other, each)
  for k, values in ipairs(row.series or { row }) do each(values, (other.series or { other })[k]) end
end

return lanes
