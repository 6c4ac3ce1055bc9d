-- archive.lua: run:save "x.hamel" and hm.load: a whole trajectory, dense output included, in a file that is data and never code.
--
-- The file: a line "hamel run 1", lines "key: value" (values percent-encoded), an empty line, a line "bytes checksum", the block of
-- trajectory.c. The checksum covers all before it and the block. Doubles are in the order of little-endian machines.
local core = require "hamel.core"
local compile = require "hamel.model.compile"
local contact = require "hamel.system.contact"
local files = require "hamel.base.files"
local fingerprint = require "hamel.run.fingerprint"
local object = require "hamel.base.object"
local Observer = require "hamel.model.observe"
local redundant = require "hamel.model.redundant"
local simulate = require "hamel.run.simulate"
local Trajectory = require "hamel.run.trajectory"

local fail = object.fail
local Recording = object.class "Recording"
local archive = {}

local kept_options = {}
for _, name in ipairs(object.keys(simulate.run_schema)) do if simulate.run_schema[name].kept then kept_options[#kept_options + 1] = name end end
local counts = core.rows.counters
local FIRST = "hamel run 1\n"

local function encode(text) return (tostring(text):gsub("[%%%c]", function(c) return ("%%%02X"):format(c:byte()) end)) end
local function decode(text) return (text:gsub("%%(%x%x)", function(h) return string.char(tonumber(h, 16)) end)) end

local function state_names(E)
  local names = {}
  for i, s in ipairs(E.kin) do names[i] = core.text(s) end
  for _, s in ipairs(E.dyn) do names[#names + 1] = core.text(s) end
  return names
end

--- For refusals: the records of a run that its file does not hold, or nil.
function archive.unkept(run)
  if contact.any(run.system) then return ("impacts and friction (%s has %s)"):format(run.system.name, contact.described(run.system)) end
  if run.options.events then return "events" end
end

--- Writes a run; run:save calls it for names that end in .hamel.
function archive.store(run, path)
  local held = archive.unkept(run)
  if held then fail("run:save: a .hamel file cannot hold %s; save the values with a name that ends in .csv, .json, .npz or .mat", held) end
  local raw = rawget(run, "raw") or fail("run:save: the run has no states: it never started")
  local E, o, header = run.equations, run.options, { FIRST }
  local function line(key, value) header[#header + 1] = key .. ": " .. encode(value) .. "\n" end
  line("program", "hamel " .. core.version)
  line("system", run.system.name)
  line("form", E.form)
  line("equations", fingerprint.equations(E))
  if run.forces then line("forces", run.forces) end
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
  header[#header + 1] = "\n"
  local head, block = table.concat(header), raw:dump()
  local text = head .. ("%d %s\n"):format(#block, core.checksum(head .. block)) .. block
  files.write("run:save", path, text)
  return #text
end

-- reading: the checksum detects damage; the fields of the header are checked all the same

local MOST_BYTES = 4 << 30
local lists = { state = true, parameter = true, dependent = true }

-- The values of a header by key, its lists and its groups; nil and the line that is not understood
local function fields_of(header)
  local h = { state = {}, parameter = {}, dependent = {}, option = {}, outcome = {} }
  for line in header:gmatch "[^\n]+" do
    local key, value = line:match "^([^:]+): (.*)$"
    local group, name = (key or ""):match "^(%a+) (.+)$"
    if not key or (group and group ~= "option" and group ~= "outcome") or key == "option" or key == "outcome" then return nil, line end
    value = decode(value)
    if group then h[group][name] = value
    elseif lists[key] then table.insert(h[key], value)
    else h[key] = value end
  end
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
  for _, name in ipairs{ "t", "seconds" } do if not h.outcome[name] then return ("'outcome %s' is missing"):format(name) end end
  for _, name in ipairs(kept_options) do
    local row, value = simulate.run_schema[name], value_of(h.option[name] or "nil")
    if value == nil and row.default ~= nil then return ("'option %s' is missing"):format(name) end
    if value ~= nil and type(value) ~= row.type then return ("'option %s' is not a %s"):format(name, row.type) end
  end
end

local function read(path)
  local text, problem = files.read(path, MOST_BYTES)
  if not text then fail("hm.load: %s: %s", path, problem) end
  if text:sub(1, 10) ~= "hamel run " then fail("hm.load: %s is not a file of a run, as run:save \"x.hamel\" writes it", path) end
  if text:sub(1, #FIRST) ~= FIRST then
    fail("hm.load: %s was written by a newer version (%s); this one reads 'hamel run 1'", path, text:match("^[^\n]*"):sub(1, 40))
  end
  local ends = text:find("\n\n", 1, true)
  local size, sum, block_at = text:match("^(%d+) (%x+)\n()", ends and ends + 2 or #text + 1)
  if not size then fail("hm.load: %s is cut off within its header", path) end
  local block = text:sub(block_at)
  if #block ~= tonumber(size) then fail("hm.load: %s is cut off: %d of %s bytes of the run are there", path, #block, size) end
  if core.checksum(text:sub(1, ends + 1) .. block) ~= sum then fail("hm.load: %s is damaged: its checksum does not fit", path) end
  local h, line = fields_of(text:sub(#FIRST + 1, ends))
  local wrong = not h and ("the line '%s' is not understood"):format(line:sub(1, 60)) or check_fields(h)
  local fine, raw = pcall(core.trajectory, block)
  wrong = wrong or not fine and tostring(raw):gsub("^.-trajectory: ", "")
  -- a state may hold the work of forces besides
  if not wrong and #raw:state(1) < #h.state then wrong = ("it names %d states, a point has %d"):format(#h.state, #raw:state(1)) end
  if wrong then fail("hm.load: %s is damaged: %s", path, wrong) end
  return h, raw
end

local function outcome_of(h)
  local outcome = { status = h.status, message = h.message, advice = "" }
  for name, value in pairs(h.outcome) do outcome[name] = tonumber(value) end
  for _, name in ipairs(counts) do outcome[name] = math.tointeger(outcome[name]) or 0 end
  return outcome
end

--- For checkpoints: the states and the outcome that a file holds of just this run; nil where there is no such file. Raises where the file is of
--- another run.
function archive.continued(run, path)
  if not core.host.exists(path) then return nil end
  local h, raw = read(path)
  local function other(what) fail("simulate: %s is the checkpoint of another run (%s differs); remove it or take another name", path, what) end
  if h.equations ~= fingerprint.equations(run.equations) or h.form ~= run.equations.form then other "the equations" end
  if h.forces ~= (run.forces or nil) then other "a force in Lua" end
  for i, symbol in ipairs(run.observer.parameters) do
    if h.parameter[i] ~= core.name(symbol) .. " " .. ("%a"):format(run.observer.values[i]) then other("parameter " .. core.name(symbol)) end
  end
  for _, name in ipairs(kept_options) do if h.option[name] ~= tostring(run.options[name]) then other("option " .. name) end end
  if h.span ~= ("%a %a"):format(run.span[1], run.span[2]) then other "the span of time" end
  local start = raw:state(1)
  for i, value in ipairs(run.start) do if start[i] ~= value then other "the start" end end
  return raw, outcome_of(h)
end

local function attach(path, h, raw, system)
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
  for name in pairs(parameters) do if not system._parameter[name] then fail("hm.load: %s has no parameter '%s'", system.name, name) end end
  local model = compile.model(E, parameters)
  local implied = redundant.near(E, compile.workspace(E, model, parameters), raw:time(1), raw:state(1))
  if implied then model = compile.model(E, parameters, nil, nil, implied) end
  local o = { record = "steps", dependent = #h.dependent > 0 and h.dependent or nil, executor = "fastest" }
  for _, name in ipairs(kept_options) do o[name] = value_of(h.option[name] or "nil") end
  local outcome = outcome_of(h)
  if #raw:state(1) ~= model:state_size() then
    fail("hm.load: %s is damaged: a point has %d states, the system %d", path, #raw:state(1), model:state_size())
  end
  return Trajectory.new{ system = system, equations = E, model = model, workspace = compile.workspace(E, model, parameters),
    observer = Observer.new(E, parameters), options = o, start = raw:state(1), span = { h.from, h.to }, hybrid = false, raw = raw,
    forces = forces or false, outcome = outcome, redundant = implied or E.redundant }
end

--- A run kept by run:save "x.hamel": hm.load("x.hamel", S) gives it back with everything a run has (S: the system it was made with; other
--- equations, and other forces in Lua, are refused); hm.load "x.hamel" without the system gives the states alone: r.t, r.names, r:at(t) by
--- name, r.parameters, r.form. The file is data: nothing in it is executed. A damaged or cut file is refused with the reason.
function archive.load(path, system)
  if type(path) ~= "string" then fail("hm.load takes a file name") end
  local h, raw = read(path)
  if system then return attach(path, h, raw, system) end
  local times, parameters = {}, h.values
  for i = 1, raw:points() do times[i] = raw:time(i) end
  return setmetatable({ names = h.state, t = times, form = h.form, system = h.system, parameters = parameters, status = h.status, _raw = raw }, Recording.meta)
end

--- States at time t, by name.
function Recording:at(t)
  local x, values = self._raw:at(t + 0.0), { t = t }
  for i, name in ipairs(self.names) do values[name] = x[i] end
  return values
end

function Recording.meta.__tostring(self)
  return ("%s, %s: a recording of %s from t = %g to %g, %d points (hm.load(file, S) with the system S gives the run)"):format(self.system, self.form,
    table.concat(self.names, ", "), self.t[1], self.t[#self.t], #self.t)
end

files.writers.hamel, simulate.checkpoints = archive.store, archive

return archive
