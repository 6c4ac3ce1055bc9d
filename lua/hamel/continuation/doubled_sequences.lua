-- doubled_sequences.lua: periodic motions with impacts and switches of twice the period, which begin at flips: B:switch.
local integrals = require "hamel.continuation.integrals"
local periods = require "hamel.continuation.periods"
local segments = require "hamel.continuation.segments"
local Sequence = require "hamel.continuation.sequences"
local sequence_integrals = require "hamel.continuation.sequence_integrals"
local states = require "hamel.continuation.states"
local switching = require "hamel.continuation.switching"
local transitions = require "hamel.continuation.transitions"

local GROWS = 100                      -- growth over the simple period from which a doubled motion is cut in its middle

--- The same motions with the sequence flown twice, the point there, and the direction in which motions of twice the period leave it.
function Sequence:doubled(at)
  local twice = setmetatable({}, Sequence)
  for key, value in pairs(self) do twice[key] = value end
  twice.simple = self
  twice.segments = table.move(self.segments, 1, self.count, self.count + 1, table.move(self.segments, 1, self.count, 1, {}))
  twice:lay_out()
  for i = 1, self.kept_count do twice.space.scale[i] = self.space.scale[i] end
  for i = self.kept_count + 1, twice.space.n do twice.space.scale[i] = self.space.scale[self.first] end
  table.move(self.period_limits or {}, 1, #(self.period_limits or {}), #twice.limits + 1, twice.limits)
  twice.integrals = sequence_integrals.of(twice)
  for i, integral in ipairs(self.integrals) do twice.integrals[i].fixed, twice.integrals[i].unit = integral.fixed, integral.unit end
  twice.free = self.free and integrals.named(twice.integrals, self.free.name)
  if self.driven then
    function twice.driven(y) return periods.twice(self.driven(y)) end
    twice.repetitions = 2*self.repetitions
    twice.drive = self.drive and ("2*(%s)"):format(self.drive)
  end
  local shift, N, nodes, cuts, largest = self.first + self.count - 1, segments.count(at.y), {}, {}, 0
  for _, m in ipairs(transitions.multipliers(self, at)) do largest = math.max(largest, states.modulus(m)) end
  local in_arcs = N > 1 or largest >= GROWS
  -- durations twice
  local function repeated(node)
    local list = table.move(node, 1, shift, 1, {})
    return table.move(node, self.first, #node, #list + 1, list)
  end
  local n = self.space.n
  local along = repeated(table.move(at.tangent, 1, n, 1, {}))
  for half = 0, in_arcs and 1 or 0 do
    for a = 1, N do
      local stop = at.y.cuts and at.y.cuts[a] or { segment = self.count, part = 1.0 }
      nodes[#nodes + 1], cuts[#cuts + 1] = repeated(segments.node(self, at.y, a)), { segment = stop.segment + half*self.count, part = stop.part }
      if #nodes > 1 then
        local part = repeated(table.move(at.tangent, (a - 1)*n + 1, a*n, 1, {}))
        for i = self.first, #part do part[i] = 0.0 end
        for _, place in ipairs(self.places) do part[place] = 0.0 end
        -- changes of nodes are counted less the more there are (segments.lua)
        for _, value in ipairs(part) do along[#along + 1] = (a == 1 and value or math.sqrt(N)*value)/math.sqrt(2*N) end
      end
    end
  end
  local y = segments.joined(twice, nodes, cuts)
  -- the doubled equations have a branch point here
  local directions = twice:directions(y)
  local F, rows = twice:equations(y, directions)
  return twice, y, switching.second_direction({ directions = directions, rows = rows, F = F }, states.unit(along))
end

--- The first half of a point of doubled motions as a point of these.
function Sequence:half(y)
  local N, nodes, cuts, twice = math.max(1, segments.count(y)//2), {}, {}, self.space.n + self.count
  for a = 1, N do
    nodes[a] = table.move(y, (a - 1)*twice + 1, (a - 1)*twice + self.first + self.count - 1, 1, {})
    if self.time_place then nodes[a][self.time_place] = y[a*twice] end
    cuts[a] = y.cuts and y.cuts[a]
  end
  return segments.joined(self, nodes, cuts)
end
