-- archive.lua: run:save "x.hamel" and hm.load: a whole trajectory, dense output included, in a file that is data and never code.
--
-- The file: a line "hamel run 1", lines "key: value" (values percent-encoded), an empty line, a line "bytes checksum", the block of
-- trajectory.c. Runs with contacts or events begin with "hamel run 2" and have the block of hybrid.c besides, whose size is the value of
-- "records". The checksum covers all before it and the blocks. Doubles are in the order of little-endian machines.
local core = require "hamel.core"
local compile = require "hamel.model.compile"
local files = require "hamel.base.files"
local fingerprint = require "hamel.run.fingerprint"
local hybrid = require "hamel.run.hybrid"
local methods = require "hamel.run.methods"
local object = require "hamel.base.object"
local Observer = require "hamel.model.observe"
local redundant = require "hamel.model.redundant"
local run_schema = require "hamel.run.run_schema"
local run_times = require "hamel.run.run_times"
local symbols = require "hamel.algebra.symbols"
local Trajectory = require "hamel.run.trajectory"
local protected = require "hamel.base.protected"
require "hamel.run.drift"
require "hamel.run.records"

local fail = object.fail
local Recording = object.class "Recording"
local archive = {}

local kept_options = {}
for _, name in ipairs(object.keys(run_schema)) do if run_schema[name].kept then kept_options[#kept_options + 1] = name end end
local counts = core.rows.counters
local pivot_counts = { "handed_over", "reordered" }            -- states at which a pivot of x' was too small: who solved them
local PLAIN, WITH_RECORDS = "hamel run 1\n", "hamel run 2\n"

local function encode(text) return (tostring(text):gsub("[%%%c]", function(c) return ("%%%02X"):format(c:byte()) end)) end
local function decode(text) return (text:gsub("%%(%x%x)", function(h) return string.char(tonumber(h, 16)) end)) end

local function state_names(E)
  local names = {}
  for i, s in ipairs(E.kin) do names[i] = core.text(s) end
  for _, s in ipairs(E.dyn) do names[#names + 1] = core.text(s) end
  return names
end

--- For refusals: what a file does not hold of a run, or nil.
function archive.unkept(run)
  if run.equations.whole_course then return ("a run of the whole course of %s"):format(run.system.name) end
  if not run.hybrid then return nil end
  local o, what = run.options, #run.system.gaps + #run.system.frictions > 0 and "impacts and friction" or "events"
  if not methods.locates_impacts(o.method) then return ("%s by method '%s'"):format(what, o.method) end
  if o.record ~= "steps" then return ("%s with record = '%s'"):format(what, o.record) end
end

-- Names of the user's events; what decides their roots
local function events_of(run)
  local names, list = {}, {}
  for _, event in ipairs(run.hybrid.events) do
    if not event.hidden then
      names[#names + 1] = event.name
      list[#list + 1] = { event.name, event.call or event.expression, event.direction, event.terminal }
    end
  end
  return names, #list > 0 and fingerprint.of(list) or nil
end

--- Writes a run; run:save calls it for names that end in .hamel.
function archive.store(run, path)
  local held = archive.unkept(run)
  if held then fail("run:save: a .hamel file cannot hold %s; save the values with a name that ends in .csv, .json, .npz or .mat", held) end
  local raw = rawget(run, "raw") or fail("run:save: the run has no states: it never started")
  local records = run.hybrid and run.hybrid.core:store()
  local E, o, header = run.equations, run.options, { records and WITH_RECORDS or PLAIN }
  local function line(key, value) if value ~= nil then header[#header + 1] = key .. ": " .. encode(value) .. "\n" end end
  line("program", "hamel " .. core.version)
  line("system", run.system.name)
  line("form", E.form)
  line("equations", fingerprint.equations(E))
  if run.forces then line("forces", run.forces) end
  if records then
    local names, events = events_of(run)
    for _, name in ipairs(names) do line("event", name) end
    line("events", events)
    line("contacts", fingerprint.contacts(run.system))
    line("several", o.several)
    line("records", #records)
  end
  line("coordinates", #E.kin)
  for _, name in ipairs(state_names(E)) do line("state", name) end
  for i, symbol in ipairs(run.observer.parameters) do line("parameter", core.name(symbol) .. " " .. ("%a"):format(run.observer.values[i])) end
  for _, name in ipairs(kept_options) do line("option " .. name, tostring(o[name])) end
  for _, name in ipairs(o.dependent or {}) do line("dependent", name) end
  line("span", ("%a %a"):format(run.span[1], run.span[2]))
  line("status", run.outcome.status == "OK" and run.outcome.doubt and "INACCURATE" or run.outcome.status)
  line("message", run.outcome.message)
  for _, name in ipairs{ "t", "seconds", table.unpack(counts) } do
    line("outcome " .. name, math.type(run.outcome[name]) == "integer" and run.outcome[name] or ("%a"):format(run.outcome[name]))
  end
  for _, name in ipairs(pivot_counts) do line("outcome " .. name, run.outcome[name] or 0) end
  header[#header + 1] = "\n"
  local head, block = table.concat(header), raw:dump() .. (records or "")
  local text = head .. ("%d %s\n"):format(#block, core.checksum(head .. block)) .. block
  files.write("run:save", path, text)
  return #text
end

-- reading: the checksum detects damage; the fields of the header are checked all the same

local MOST_BYTES = 4 << 30
local lists = { state = true, parameter = true, dependent = true, event = true }

-- The values of a header by key, its lists and its groups; nil and the line that is not understood
local function fields_of(header)
  local h = { state = {}, parameter = {}, dependent = {}, event = {}, option = {}, outcome = {} }
  for line in header:gmatch "[^\n]+" do
    local key, value = line:match "^([^:]+): (.*)$"
    local group, name = (key or ""):match "^(%a+) (.+)$"
    if not key or (group and group ~= "option" and group ~= "outcome") or key == "option" or key == "outcome" then return nil, line end
    value = decode(value)
    if group then h[group][name] = value
    elseif lists[key] then table.insert(h[key], value)
    else h[key] = value end
  end
  h.option.elimination = h.option.elimination or "dense"                    -- files older than this option were made so
  return h
end

local function value_of(text)
  if text == "nil" then return nil end
  if text == "true" or text == "false" then return text == "true" end
  return tonumber(text) or text
end

-- What is wrong with the fields of a header, or nil; numbers become numbers
local function check_fields(h)
  for _, key in ipairs{ "system", "form", "equations", "coordinates", "span", "status", "message" } do
    if not h[key] then return ("'%s' is missing"):format(key) end
  end
  local coordinates, from, to = math.tointeger(tonumber(h.coordinates)), h.span:match "^(%S+) (%S+)$"
  h.from, h.to = tonumber(from), tonumber(to)
  if not h.from or not h.to then return "'span' is not two numbers" end
  if not coordinates or coordinates < 1 or coordinates > #h.state then return "'coordinates' does not fit the states" end
  h.values = {}
  for _, item in ipairs(h.parameter) do
    local name, value = item:match "^(.*) (%S+)$"
    if not tonumber(value) then return ("'parameter %s' is not a name and a number"):format(item) end
    h.values[name] = tonumber(value)
  end
  for name, value in pairs(h.outcome) do if not tonumber(value) then return ("'outcome %s' is not a number"):format(name) end end
  if h.records and not math.tointeger(tonumber(h.records)) then return "'records' is not a number of bytes" end
  for _, name in ipairs{ "t", "seconds" } do if not h.outcome[name] then return ("'outcome %s' is missing"):format(name) end end
  for _, name in ipairs(kept_options) do
    local row, value = run_schema[name], value_of(h.option[name] or "nil")
    if value == nil and row.default ~= nil then return ("'option %s' is missing"):format(name) end
    if value ~= nil and type(value) ~= row.type then return ("'option %s' is not a %s"):format(name, row.type) end
  end
end

local function read(path)
  local text, problem = files.read(path, MOST_BYTES)
  if not text then fail("hm.load: %s: %s", path, problem) end
  if text:sub(1, 10) ~= "hamel run " and path:find "%.branch$" then
    fail("hm.load: %s is not a file of a branch, as B:save \"x.branch\" writes it%s", path, text == "" and "; it is empty" or "")
  end
  if text:sub(1, 10) ~= "hamel run " then fail("hm.load: %s is not a file of a run, as run:save \"x.hamel\" writes it", path) end
  local first = text:sub(1, #PLAIN)
  if first ~= PLAIN and first ~= WITH_RECORDS then
    fail("hm.load: %s was written by a newer version (%s); this one reads 'hamel run 1' and 'hamel run 2'", path, text:match("^[^\n]*"):sub(1, 40))
  end
  local ends = text:find("\n\n", 1, true)
  local size, sum, block_at = text:match("^(%d+) (%x+)\n()", ends and ends + 2 or #text + 1)
  if not size then fail("hm.load: %s is cut off within its header", path) end
  local block = text:sub(block_at)
  if #block ~= tonumber(size) then fail("hm.load: %s is cut off: %d of %s bytes of the run are there", path, #block, size) end
  if core.checksum(text:sub(1, ends + 1) .. block) ~= sum then fail("hm.load: %s is damaged: its checksum does not fit", path) end
  local h, line = fields_of(text:sub(#PLAIN + 1, ends))
  local wrong = not h and ("the line '%s' is not understood"):format(line:sub(1, 60)) or check_fields(h)
  local size_of_records = not wrong and tonumber(h.records) or 0
  if not wrong and (first == WITH_RECORDS) ~= (h.records ~= nil) then wrong = "'records' does not fit the first line" end
  local records = h and h.records and block:sub(math.max(1, #block - size_of_records + 1))
  local fine, raw = protected(core.trajectory, block:sub(1, math.max(0, #block - size_of_records)))
  wrong = wrong or not fine and tostring(raw):gsub("^.-trajectory: ", "")
  -- a state may hold the work of forces besides
  if not wrong and #raw:state(1) < #h.state then wrong = ("it names %d states, a point has %d"):format(#h.state, #raw:state(1)) end
  if wrong then fail("hm.load: %s is damaged: %s", path, wrong) end
  return h, raw, records
end

local function outcome_of(h)
  local outcome = { status = h.status, message = h.message, advice = "" }
  for name, value in pairs(h.outcome) do outcome[name] = tonumber(value) end
  for _, name in ipairs(counts) do outcome[name] = math.tointeger(outcome[name]) or 0 end
  for _, name in ipairs(pivot_counts) do outcome[name] = math.tointeger(outcome[name]) or 0 end
  return outcome
end

-- The records of a file become those of the contacts and events of a run
local function restore(path, hybrid_core, records)
  local fine, why = protected(hybrid_core.restore, hybrid_core, records)
  if not fine then fail("hm.load: %s is damaged: %s", path, tostring(why):gsub("^.-run: ", "")) end
end

--- For checkpoints: the states and the outcome that a file holds of just this run; nil where there is no such file. Raises where the file is of
--- another run. Contacts and events become as they were where the file ends.
function archive.continued(run, path)
  if not core.host.exists(path) then return nil end
  local h, raw, records = read(path)
  local function other(what) fail("simulate: %s is the checkpoint of another run (%s differs); remove it or take another name", path, what) end
  if h.equations ~= fingerprint.equations(run.equations) or h.form ~= run.equations.form then other "the equations" end
  if h.forces ~= (run.forces or nil) then other "a force in Lua" end
  if (records ~= nil) ~= (run.hybrid ~= false) then other "a contact, an event or the form" end
  if h.contacts ~= fingerprint.contacts(run.system) then other "a contact or its law" end
  if h.events ~= (run.hybrid and select(2, events_of(run)) or nil) then other "the events" end
  if run.hybrid and h.several ~= run.options.several then other "option several" end
  for i, symbol in ipairs(run.observer.parameters) do
    if h.parameter[i] ~= core.name(symbol) .. " " .. ("%a"):format(run.observer.values[i]) then other("parameter " .. core.name(symbol)) end
  end
  for _, name in ipairs(kept_options) do if h.option[name] ~= tostring(run.options[name]) then other("option " .. name) end end
  if h.span ~= ("%a %a"):format(run.span[1], run.span[2]) then other "the span of time" end
  local start = raw:state(1)
  for i, value in ipairs(run.start) do if start[i] ~= value then other "the start" end end
  if run.hybrid then restore(path, run.hybrid.core, records) end
  return raw, outcome_of(h)
end

-- Events of a run that is read: their roots are not looked for any more
local function events_by_name(names)
  local list = {}
  for i, name in ipairs(names) do list[i] = { name = name, when = core.number(1) } end
  return list
end

local function attach(path, h, raw, records, system)
  local parameters = h.values
  local E = system:equations(h.form, { dependent = #h.dependent > 0 and h.dependent or nil })
  if fingerprint.equations(E) ~= h.equations then
    fail("hm.load: %s holds a run of other equations than those of %s in the form '%s'; give the system that the run was made with", path,
      system.name, h.form)
  end
  local forces = fingerprint.forces(system)
  if forces ~= h.forces then
    fail("hm.load: %s was made with other forces in Lua than those of %s; use the functions of the run, with the same upvalues", path,
      system.name)
  end
  if h.contacts ~= fingerprint.contacts(system) then
    fail("hm.load: %s was made with other contacts, frictions or laws than those of %s; give the system that the run was made with", path, system.name)
  end
  for name in pairs(parameters) do if not system._parameter[name] then fail("hm.load: %s has no parameter '%s'", system.name, name) end end
  local for_runs = records ~= nil
  local o = { record = "steps", dependent = #h.dependent > 0 and h.dependent or nil, executor = "fastest" }
  for _, name in ipairs(kept_options) do o[name] = value_of(h.option[name] or "nil") end
  local first = compile.before_implied(E, o.elimination)
  local model, spec = compile.model(E, parameters, nil, nil, nil, for_runs, first)
  local implied = redundant.near(E, compile.workspace(E, model, parameters), raw:time(1), raw:state(1))
  if implied or first ~= o.elimination then model, spec = compile.model(E, parameters, nil, nil, implied, for_runs, o.elimination) end
  local outcome = outcome_of(h)
  if #raw:state(1) ~= model:state_size() then
    fail("hm.load: %s is damaged: a point has %d states, the system %d", path, #raw:state(1), model:state_size())
  end
  local w, observer = compile.workspace(E, model, parameters), Observer.new(E, parameters)
  observer.heading = raw:time(raw:points()) < raw:time(1) and -1 or 1
  w:head(observer.heading)
  local run = Trajectory.new{ system = system, equations = E, model = model, workspace = w, observer = observer, options = o,
    start = raw:state(1), span = { h.from, h.to }, hybrid = false, raw = raw,
    forces = forces or false, outcome = outcome, redundant = implied or E.redundant }
  if records then
    run.hybrid = hybrid.new(system, E, spec, w, observer, events_by_name(h.event))
    run.workspace = hybrid.reader(run.hybrid.core, w, run)
    restore(path, run.hybrid.core, records)
  end
  return run
end

--- A run kept by run:save "x.hamel": hm.load("x.hamel", S) gives it back with all its states (S: the system it was made with; other equations, and
--- other forces in Lua, are refused); the numbers of `keep` are read off again by run:keep. hm.load "x.hamel" without the system gives the states
--- alone: r.t, r.names, r:at(t) by name, r.parameters, r.form. hm.load("x.branch", S): a branch that B:save wrote.
--- The file is data: nothing in it is executed. A damaged or cut file is refused with the reason.
function archive.load(path, system)
  if type(path) ~= "string" then fail("hm.load takes a file name") end
  local text = files.read(path, MOST_BYTES)
  local reader = text and files.readers[text:match "^hamel %a+"]
  if reader then return reader(path, text, system) end
  local h, raw, records = read(path)
  if system then return attach(path, h, raw, records, system) end
  local times, parameters = {}, h.values
  for i = 1, raw:points() do times[i] = raw:time(i) end
  return setmetatable({ names = h.state, t = times, form = h.form, system = h.system, parameters = parameters, status = h.status, _raw = raw }, Recording.meta)
end

Recording.meta.__elsewhere = function(_, name)
  if Trajectory.get[name] or Trajectory[name] then
    return "; a recording has the states alone: run = hm.load(file, S) with the system S gives the run, which has it"
  end
end
-- What a state of a run has and a recording has not
local needs_system = { q = true, v = true, a = true, lambda = true, energy = true, friction = true, rough = true, mu = true, p = true }

local function time_of(self, given)
  local t = type(given) == "number" and given or symbols.number(given)
  if t then return t + 0.0 end
  fail("at: the time of a recording is a number of seconds, from %g to %g, not %s", self.t[1], self.t[#self.t],
    type(given) == "string" and ('"%s"'):format(given) or core.is_expression(given) and core.text(given) or "a " .. type(given))
end

--- States at time t, a number or an expression without symbols, by name.
function Recording:at(when)
  local t = run_times.at_end(self._raw, time_of(self, when))
  local x, values = self._raw:at(t), { t = t }
  for i, name in ipairs(self.names) do values[name] = x[i] end
  return setmetatable(values, { __index = function(_, key)
    if type(key) ~= "string" then return nil end
    fail("a recording without its system has the states alone, and no '%s'%s", key, needs_system[key] and ": hm.load(file, S) with the system S gives it"
      or object.hint(key, self.names) .. "; hm.load(file, S) with the system S gives all that a run has")
  end })
end

function Recording.meta.__tostring(self)
  return ("%s, %s: a recording of %s from t = %g to %g, %d points (hm.load(file, S) with the system S gives the run)"):format(self.system, self.form,
    table.concat(self.names, ", "), self.t[1], self.t[#self.t], #self.t)
end

files.writers.hamel = archive.store

return archive
