-- accuracy.lua: how many digits of a run are right: the same motion once more, at much tighter tolerances and by another method.
local methods = require "hamel.run.methods"
local object = require "hamel.base.object"
local options = require "hamel.base.options"
local simulate = require "hamel.run.simulate"
local Trajectory = require "hamel.run.trajectory"
local protected = require "hamel.base.protected"

local fail = object.fail

local TIGHTER, TIGHTEST = 1e-3, 1e-14  -- tolerances of the other run: relative to those of the run, and the least
local FINER = 0.25                     -- its step, where no other method takes the system
local LOST = 1e3                       -- tolerances: so far apart digits are lost
local MOST_DIGITS = 16

local Accuracy = object.class "Accuracy"

local schema = {
  method = { type = "string", doc = "of the other run; when not given, one that shares no steps with that of the run" },
  rtol = { above = 0, type = "number", doc = "relative tolerance of the other run; a thousandth of that of the run, at least 1e-14" },
  atol = { above = 0, type = "number", doc = "absolute tolerance of the other run; a thousandth of that of the run, at least 1e-14" },
  n = { default = 401, from = 2, to = 1e7, whole = true, type = "number", doc = "number of equally spaced times at which the runs are compared" },
}

-- Options of the run that the other one does not share
local own = { method = true, rtol = true, atol = true, step = true, first_step = true, max_step = true, keep = true, checkpoint = true, every = true,
              record = true, dense = true, refuse_several = true }

local function other_method(run)
  local contacts = #run.system.gaps + #run.system.frictions > 0
  local second = contacts and "radau5" or "auto"
  if run.options.method == "moreau" then return "moreau" end
  if run.options.method == second or (second == "auto" and run.options.method == "taylor") then return "dop853" end
  return second
end

local function start_of(run)
  local q, v, first = {}, {}, run[1]
  for _, name in ipairs(run.names) do q[name], v[name] = first.q[name], first.v[name] end
  return q, v
end

local function options_of_other(run, given)
  local o, own_tolerance = {}, run.options
  for name in pairs(options.of "simulate") do
    if not own[name] then o[name] = own_tolerance[name] end
  end
  if not o.q then o.q, o.v = start_of(run) end
  o.t = run.span
  o.method = given.method or other_method(run)
  o.rtol = given.rtol or math.max(TIGHTER*own_tolerance.rtol, TIGHTEST)
  o.atol = given.atol or math.max(TIGHTER*own_tolerance.atol, TIGHTEST)
  if methods.is_fixed(o.method) then o.step = FINER*own_tolerance.step end
  return o
end

-- The run of the user stays the last one
local function run_again(run, o)
  local last = simulate.last_run
  local fine, other = protected(run.system.simulate, run.system, o)
  simulate.last_run = last
  if fine then return other end
  if tostring(other):find("interrupted", 1, true) then error(other, 0) end
  fail("accuracy: the run cannot be made by %s: %s; name another method, as in run:accuracy{ method = \"dop853\" }", o.method,
    tostring(other))
end

local function times_of(run, other, n)
  local from, to, last = run.span[1], run[#run].t, other[#other].t
  if math.abs(last - from) < math.abs(to - from) then to = last end
  local list = {}
  if run.options.record ~= "steps" or not run.options.dense then
    for i = 1, #run do
      local t = run[i].t
      if math.abs(t - from) <= math.abs(to - from) then list[#list + 1] = t end
    end
    return list
  end
  for k = 0, n - 1 do list[k + 1] = k == n - 1 and to or from + (to - from)*k/(n - 1) end
  return list
end

-- One coordinate: the largest difference, its time, the right digits, and since when more than LOST tolerances are missing
local function compare(a, b, times, o)
  local row = { difference = 0, at = times[1] }
  local size = 0
  for k, t in ipairs(times) do
    local off = math.abs(a[k] - b[k])
    size = math.max(size, math.abs(b[k]))
    if off > row.difference then row.difference, row.at = off, t end
    if not row.lost and off > LOST*(o.atol + o.rtol*size) then row.lost = t end
  end
  local part = size > 0 and row.difference/size or 0
  row.digits = part > 0 and math.max(0, math.min(MOST_DIGITS, math.floor(-math.log(part, 10)))) or MOST_DIGITS
  return row
end

local function measured(run, given)
  local o = options.check("accuracy", schema, given or {})
  if not rawget(run, "raw") then fail("accuracy: this run never started") end
  local again = options_of_other(run, o)
  local other = run_again(run, again)
  local times = times_of(run, other, o.n)
  local coordinates = run.system:coordinate_list()
  local arguments = table.move(coordinates, 1, #coordinates, 1, {})
  arguments[#arguments + 1] = { times = times }
  local ours, theirs = table.pack(run:series(table.unpack(arguments))), table.pack(other:series(table.unpack(arguments)))
  local result = { run = run, other = other, names = run.names, difference = {}, at = {}, digits = {}, lost = {} }
  for i, name in ipairs(run.names) do
    local row = compare(ours[i + 1], theirs[i + 1], times, run.options)
    result.difference[name], result.at[name], result.digits[name], result.lost[name] = row.difference, row.at, row.digits, row.lost
  end
  return setmetatable(result, Accuracy.meta)
end

--- How accurate the run is: makes the motion once more, by another method at tolerances a thousand times tighter, and compares. rtol and atol bound
--- the error of each step only; what the errors add up to depends on the motion, and a chaotic one magnifies them without bound.
--- run:accuracy() returns a record that prints a table. Its fields by coordinate: difference (the largest), at (its time), digits (how many are
--- right, of the largest value), lost (the time from which the runs are more than a thousand tolerances apart; nil: they never are). The field
--- other is the other run. Where that is off itself, as behind `lost`, the differences say so and no more. Events by functions are called again.
--- run:accuracy{ method = "radau5", rtol = 1e-13 } chooses the other run.
function Trajectory:accuracy(given) return measured(self, given) end

local function settings(run)
  local o = run.options
  return methods.is_fixed(o.method) and ("%s, step = %g"):format(o.method, o.step) or ("%s, rtol = %g, atol = %g"):format(o.method, o.rtol, o.atol)
end

function Accuracy.meta.__tostring(self)
  local width = 10
  for _, name in ipairs(self.names) do width = math.max(width, utf8.len(name) or #name) end
  local function row(...) return ("  %-" .. width .. "s %12s %12s %7s %22s"):format(...) end
  local lines = {
    ("%s: %s, compared with %s"):format(self.run.system.name, settings(self.run), settings(self.other)),
    row("coordinate", "difference", "at t", "digits", "1000 tolerances from t"),
  }
  for _, name in ipairs(self.names) do
    lines[#lines + 1] = row(name, ("%.2g"):format(self.difference[name]), ("%.6g"):format(self.at[name]), ("%d"):format(self.digits[name]),
      self.lost[name] and ("%.6g"):format(self.lost[name]) or "-")
  end
  for _, r in ipairs{ self.run, self.other } do
    if r.reason then lines[#lines + 1] = ("  %s: %s"):format(r.options.method, r.reason) end
  end
  return table.concat(lines, "\n")
end

options.declare("accuracy", schema)

return Accuracy
