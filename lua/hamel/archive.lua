-- archive.lua: run:save "x.hamel" and hm.load: a whole trajectory, dense output included, in a file that is data and never code.
--
-- The file: a line "hamel run 1", lines "key: value" (values percent-encoded), an empty line, a line "bytes checksum", the block of
-- trajectory.c. The checksum covers all before it and the block. Doubles stand in the order of little-endian machines.
local core = require "hamel.core"
local compile = require "hamel.compile"
local files = require "hamel.files"
local object = require "hamel.object"
local Observer = require "hamel.observe"
local Trajectory = require "hamel.trajectory"

local fail = object.fail
local Recording = object.class "Recording"
local archive = {}

local kept_options = { "method", "rtol", "atol", "project", "dense", "step", "max_step", "first_step", "every" }
local FIRST = "hamel run 1\n"

local function encode(text) return (tostring(text):gsub("[%%%c]", function(c) return ("%%%02X"):format(c:byte()) end)) end
local function decode(text) return (text:gsub("%%(%x%x)", function(h) return string.char(tonumber(h, 16)) end)) end

-- What the equations say, so that a file is not read with another system
local function fingerprint(E)
  local parts = {}
  for _, list in ipairs{ E.kin, E.dyn, E.k, E.r, E.b } do for _, e in ipairs(list) do parts[#parts + 1] = core.text(e) end end
  for _, rows in ipairs{ E.M, E.A } do for _, row in ipairs(rows) do for _, e in ipairs(row) do parts[#parts + 1] = core.text(e) end end end
  return core.checksum(table.concat(parts, "\n"))
end

local function state_names(E)
  local names = {}
  for i, s in ipairs(E.kin) do names[i] = core.text(s) end
  for _, s in ipairs(E.dyn) do names[#names + 1] = core.text(s) end
  return names
end

--- Writes a run; run:save calls it for names that end in .hamel.
function archive.store(run, path)
  local system = run.system
  if run.options.events or #system.gaps + #system.frictions > 0 or run.equations.whole_course then
    fail("run:save: events, impacts and friction are not kept in a .hamel file; save the values as .csv")
  end
  local raw = rawget(run, "raw") or fail("run:save: the run has no states: it never started")
  local E, o, header = run.equations, run.options, { FIRST }
  local function line(key, value) header[#header + 1] = key .. ": " .. encode(value) .. "\n" end
  line("program", "hamel " .. core.version)
  line("system", run.system.name)
  line("form", E.form)
  line("equations", fingerprint(E))
  line("coordinates", #E.kin)
  for _, name in ipairs(state_names(E)) do line("state", name) end
  for i, symbol in ipairs(run.observer.parameters) do line("parameter", core.name(symbol) .. " " .. ("%a"):format(run.observer.values[i])) end
  for _, name in ipairs(kept_options) do line("option " .. name, tostring(o[name])) end
  for _, name in ipairs(o.dependent or {}) do line("dependent", name) end
  line("span", ("%a %a"):format(run.span[1], run.span[2]))
  line("status", run.outcome.status)
  line("message", run.outcome.message)
  for _, name in ipairs{ "t", "seconds", "steps", "rejected", "evaluations", "jacobians", "projections", "impacts", "stiff_steps" } do
    line("outcome " .. name, math.type(run.outcome[name]) == "integer" and run.outcome[name] or ("%a"):format(run.outcome[name]))
  end
  header[#header + 1] = "\n"
  local head, block = table.concat(header), raw:dump()
  local text = head .. ("%d %s\n"):format(#block, core.checksum(head .. block)) .. block
  -- a half-written file must not take the place of a whole one
  local beside = path .. ".part"
  local written, problem = pcall(files.write, "run:save", beside, text)
  if not written then
    os.remove(beside)
    error(problem, 0)
  end
  local moved, why = os.rename(beside, path)
  if not moved then fail("run:save: cannot write: %s", why) end
  return #text
end

local function read(path)
  local file, message = io.open(path, "rb")
  if not file then fail("hm.load: %s", message) end
  local text = file:read "a"
  file:close()
  if text:sub(1, 10) ~= "hamel run " then fail("hm.load: %s is no file of a run", path) end
  if text:sub(1, #FIRST) ~= FIRST then fail("hm.load: %s was written by a newer version (%s); this one reads 'hamel run 1'", path, text:match "^[^\n]*") end
  local ends = text:find("\n\n", 1, true)
  local size, sum, block_at = text:match("^(%d+) (%x+)\n()", ends and ends + 2 or #text + 1)
  if not size then fail("hm.load: %s is cut off within its header", path) end
  local block = text:sub(block_at)
  if #block ~= tonumber(size) then fail("hm.load: %s is cut off: %d of %s bytes of the run are there", path, #block, size) end
  if core.checksum(text:sub(1, ends + 1) .. block) ~= sum then fail("hm.load: %s is damaged: its checksum does not fit", path) end
  local h = { state = {}, parameter = {}, dependent = {}, option = {}, outcome = {} }
  for key, value in text:sub(#FIRST + 1, ends):gmatch "([^:\n]+): ([^\n]*)\n" do
    value = decode(value)
    local group, name = key:match "^(%a+) (.+)$"
    if group then h[group][name] = value
    elseif type(h[key]) == "table" then table.insert(h[key], value)
    else h[key] = value end
  end
  return h, core.trajectory(block)
end

local function value_of(text)
  if text == "true" or text == "false" then return text == "true" end
  return tonumber(text) or text
end

local function outcome_of(h)
  local outcome = { status = h.status, message = h.message, advice = "" }
  for name, value in pairs(h.outcome) do outcome[name] = tonumber(value) end
  for _, name in ipairs{ "steps", "rejected", "evaluations", "jacobians", "projections", "impacts", "stiff_steps" } do
    outcome[name] = math.tointeger(outcome[name]) or 0
  end
  return outcome
end

--- For checkpoints: the states and the outcome that a file holds of just this run; nil where there is no such file. Raises where the file is of
--- another run.
function archive.continued(run, path)
  local file = io.open(path, "rb")
  if not file then return nil end
  file:close()
  local h, raw = read(path)
  local function other(what) fail("simulate: %s is the checkpoint of another run (%s differs); remove it or take another name", path, what) end
  if h.equations ~= fingerprint(run.equations) or h.form ~= run.equations.form then other "the equations" end
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
  local parameters = {}
  for _, item in ipairs(h.parameter) do
    local name, value = item:match "^(.*) (%S+)$"
    parameters[name] = tonumber(value)
  end
  local E = system:equations(h.form, { dependent = #h.dependent > 0 and h.dependent or nil })
  if fingerprint(E) ~= h.equations then
    fail("hm.load: %s was made with other equations than those of %s in the form '%s'", path, system.name, h.form)
  end
  for name in pairs(parameters) do if not system._parameter[name] then fail("hm.load: %s has no parameter '%s'", system.name, name) end end
  local model = compile.model(E, parameters)
  local o = { record = "steps", dependent = #h.dependent > 0 and h.dependent or nil, executor = "fastest" }
  for name, value in pairs(h.option) do o[name] = value_of(value) end
  local outcome = outcome_of(h)
  local from, to = h.span:match "^(%S+) (%S+)$"
  return Trajectory.new{ system = system, equations = E, model = model, workspace = compile.workspace(E, model, parameters),
    observer = Observer.new(E, parameters), options = o, start = raw:state(1), span = { tonumber(from), tonumber(to) }, hybrid = false, raw = raw,
    outcome = outcome }
end

--- A run kept by run:save "x.hamel": hm.load("x.hamel", S) gives it back with everything a run has (S: the system it was made with; other
--- equations are refused); hm.load "x.hamel" without the system gives the states alone: r.t, r.names, r:at(t) by name, r.parameters, r.form.
--- The file is data: nothing in it is executed. A damaged or cut file is refused with the reason.
function archive.load(path, system)
  if type(path) ~= "string" then fail("hm.load takes a file name") end
  local h, raw = read(path)
  if system then return attach(path, h, raw, system) end
  local times, parameters = {}, {}
  for i = 1, raw:points() do times[i] = raw:time(i) end
  for _, item in ipairs(h.parameter) do
    local name, value = item:match "^(.*) (%S+)$"
    parameters[name] = tonumber(value)
  end
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

return archive
