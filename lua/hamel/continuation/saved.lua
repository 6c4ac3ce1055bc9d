-- saved.lua: B:save "x.branch" and hm.load: a branch as a text of lines "key = value", with the numbers as they are, and never code. The last line but one
-- is the checksum of the lines before it: points that were edited are no results any more.
local Branch = require "hamel.continuation.branch"
local branch_words = require "hamel.continuation.branch_words"
local core = require "hamel.core"
local doubts = require "hamel.continuation.doubts"
local files = require "hamel.base.files"
local fingerprint = require "hamel.run.fingerprint"
local kinds = require "hamel.continuation.kinds"
local object = require "hamel.base.object"
local options = require "hamel.base.options"
local saved_options = require "hamel.continuation.saved_options"

local fail = object.fail
local FIRST = "hamel branch 3"

-- What a point has: single values, values by name, lists of complex numbers, lists of numbers or texts
local numbers = { "value", "beside", "t", "period", "energy", "undetermined", "unsided" }
local numbers_of_special = { "frequency", "accuracy", "accuracy_beside", "several", "apart" }
local texts = { "form", "drive", "offender" }
local answers = { "stable", "admissible" }
local by_name = { "q", "v", "parameters", "kept", "advance" }
local complex = { "multipliers", "eigenvalues" }

-- What a branch says of itself, where it does
local counts_of_branch = { family = "family", passing = "_beside" }

-- ---- writing

local function text_of(what) return type(what) == "string" and what or core.text(what) end

local function point_lines(point, lines)
  local function line(key, value) if value ~= nil then lines[#lines + 1] = ("  %s = %s"):format(key, value) end end
  for _, key in ipairs(numbers) do line(key, point[key] and object.number(point[key])) end
  for _, key in ipairs(by_name) do
    for _, name in ipairs(object.keys(point[key] or {})) do
      local value = point[key][name]
      line(("%s %s"):format(key, name), value and object.number(options.number(value)) or "none")
    end
  end
  for _, key in ipairs(complex) do
    for _, m in ipairs(point[key] or {}) do
      line(key, ("%s, %s%s"):format(object.number(m.re), object.number(m.im), m.uncertainty and ", " .. object.number(m.uncertainty) or ""))
    end
    if point[key] and #point[key] == 0 then line(key, "none") end
  end
  for _, key in ipairs(answers) do line(key, point[key] ~= nil and tostring(point[key]) or nil) end
  for _, key in ipairs(texts) do line(key, point[key]) end
  for _, name in ipairs(object.keys(rawget(point, "refused") or {})) do line("refused " .. name, (point.refused[name]:gsub("%s+", " "))) end
  for _, value in ipairs(point.drift or {}) do line("drift", object.number(value)) end
  for _, what in ipairs(point.keep or {}) do line("keep", text_of(what)) end
  for _, name in ipairs(rawget(point, "turning") or {}) do line("turning", name) end
  if rawget(point, "turning") and #point.turning == 0 then line("turning", "none") end
  for _, at in ipairs(point.segments or {}) do
    line("segment", object.number(at.t))
    for _, key in ipairs{ "q", "v" } do
      for _, name in ipairs(object.keys(at[key])) do line(("at %s %s"):format(key, name), object.number(at[key][name])) end
    end
  end
  for _, event in ipairs(point.sequence or {}) do line("event", ("%s, %s, %s"):format(event.kind, object.number(event.duration), event.name)) end
  for _, impact in ipairs(point.impacts or {}) do
    line("impact", ("%s, %s, %s"):format(object.number(impact.t), object.number(impact.velocity), impact.name))
  end
end

local function sealed(text) return ("%schecksum = %s\nend\n"):format(text, core.checksum(text)) end

-- What the equations and the contacts of a system are
local function marks_of(system, form)
  return fingerprint.equations(system:equations(form)), fingerprint.contacts(system)
end

--- Writes the branch as a text, with all points and special points: B:save "wheel.branch". hm.load("wheel.branch", S) reads it; its points are starts of
--- further branches: S:continue{ periodic = B.points[3], along = "mu" }, and B:switch(B.special[1]) follows those that start at its special points, with the
--- options of the branch, which the file holds too, but for the measures in keep. A file that was changed since is refused, by its checksum; line ends may
--- be of either kind.
function Branch:save(path)
  if type(path) ~= "string" or not path:find "%.branch$" then fail("save: a branch goes to a file whose name ends in .branch: B:save \"wheel.branch\"") end
  if not self._system then fail("save: the branch was read without its system: hm.load(\"%s\", S) reads it with the system S", path) end
  local equations, contacts = marks_of(self._system, self.points[1].form)
  local lines = { FIRST, "program = " .. files.program(), "system = " .. self._title, "equations = " .. equations }
  if contacts then lines[#lines + 1] = "contacts = " .. contacts end
  for _, name in ipairs(self._coordinates) do lines[#lines + 1] = "coordinate = " .. name end
  lines[#lines + 1], lines[#lines + 2] = "kind = " .. self.kind, "along = " .. self.along
  if self.beside then lines[#lines + 1] = "beside = " .. self.beside end
  if self.born then lines[#lines + 1] = ("born = %s, %s, %s"):format(self.born.side, object.number(self.born.value), self.born.kind) end
  if self.spans then lines[#lines + 1] = ("spans = %s, %s"):format(object.number(self.spans[1]), object.number(self.spans[2])) end
  if self.missing then lines[#lines + 1] = ("missing = %s, %s"):format(object.number(self.missing.from), object.number(self.missing.to)) end
  if self.partners then lines[#lines + 1] = "partners = true" end
  for _, key in ipairs(object.keys(counts_of_branch)) do
    local count = rawget(self, counts_of_branch[key])
    if count then lines[#lines + 1] = ("%s = %d"):format(key, math.tointeger(count)) end
  end
  local of_options = self._options and not self.beside and saved_options.lines(self._options) or {}
  table.move(of_options, 1, #of_options, #lines + 1, lines)
  for _, why in ipairs(self.ended) do lines[#lines + 1] = "ended = " .. why:gsub("%s+", " ") end
  for i, point in ipairs(self.points) do
    lines[#lines + 1] = ("point %d"):format(i)
    point_lines(point, lines)
  end
  for _, special in ipairs(self.special) do
    lines[#lines + 1] = ("special %s after %d"):format(special.kind, special.after)
    for _, key in ipairs(numbers_of_special) do
      if special[key] then lines[#lines + 1] = ("  %s = %s"):format(key, object.number(special[key])) end
    end
    -- the branch ends beyond its last point
    if special.value ~= special.point.value then lines[#lines + 1] = "  at = " .. object.number(special.value) end
    if special.beside ~= special.point.beside then lines[#lines + 1] = "  beside_at = " .. object.number(special.beside) end
    for _, key in ipairs{ "name", "of", "criticality", "doubtful", "reason" } do
      if special[key] then lines[#lines + 1] = ("  %s = %s"):format(key, tostring(special[key])) end
    end
    point_lines(special.point, lines)
  end
  local text = sealed(table.concat(lines, "\n") .. "\n")
  files.write("save", path, text)
  return files.written(path, ("the branch, %d points; hm.load(\"%s\", S) reads it"):format(#self.points, path), { bytes = #text })
end

-- ---- reading

local function set_of(list)
  local set = {}
  for _, key in ipairs(list) do set[key] = true end
  return set
end

local is_number, is_text, is_answer, is_by_name, is_complex = set_of(numbers), set_of(texts), set_of(answers), set_of(by_name), set_of(complex)

-- A finite number of a text; nil where it is none
local function number(text)
  local value = tonumber(text)
  return value and value - value == 0 and value + 0.0 or nil
end

-- Multipliers may be infinite, where an impact grazes
local function any_size(text) return text == "inf" and math.huge or text == "-inf" and -math.huge or text and number(text) end

local readers = {}

function readers.event(point, text)
  local kind, duration, name = text:match "^(%S+), (%S+), (.+)$"
  if not number(duration) then return false end
  point.sequence = point.sequence or {}
  table.insert(point.sequence, { kind = kind, duration = number(duration), name = name })
  return true
end

function readers.impact(point, text)
  local t, velocity, name = text:match "^(%S+), (%S+), (.+)$"
  if not number(t) or not number(velocity) then return false end
  point.impacts = point.impacts or {}
  table.insert(point.impacts, { t = number(t), velocity = number(velocity), name = name })
  return true
end

function readers.drift(point, text)
  point.drift = point.drift or {}
  table.insert(point.drift, number(text))
  return number(text) ~= nil
end

function readers.keep(point, text)
  point.keep = point.keep or {}
  table.insert(point.keep, text)
  return true
end

function readers.turning(point, text)
  point.turning = point.turning or {}
  if text ~= "none" then table.insert(point.turning, text) end
  return true
end

function readers.segment(point, text)
  point.segments = point.segments or {}
  table.insert(point.segments, { t = number(text), q = {}, v = {} })
  return number(text) ~= nil
end

-- "at q x = 0.5" behind a segment
local function read_state(point, name, text)
  local key, coordinate = name:match "^([qv]) (.+)$"
  local last = point.segments and point.segments[#point.segments]
  if not (last and key and number(text)) then return false end
  last[key][coordinate] = number(text)
  return true
end

local function read_complex(point, key, text)
  point[key] = point[key] or {}
  local re, im, uncertainty = text:match "^([^%s,]+), ([^%s,]+),? ?(%S*)$"
  local known = uncertainty == "" or any_size(uncertainty)
  if any_size(re) and any_size(im) and known then
    table.insert(point[key], { re = any_size(re), im = any_size(im), uncertainty = any_size(uncertainty) })
  end
  return any_size(re) and any_size(im) and known or text == "none"
end

local TWICE = "is there twice"

-- One line of a point: is it understood? Second result: what is wrong with it, where it is not just unknown
local function read_line(point, key, text)
  local group, name = key:match "^(%a+) (.+)$"
  if group == "at" then return read_state(point, name, text) end
  if group == "refused" then
    point.refused = point.refused or {}
    if point.refused[name] then return false, TWICE end
    point.refused[name] = text
    return true
  end
  if group then
    if not is_by_name[group] or not (number(text) or group == "kept" and text == "none") then return false end
    point[group] = point[group] or {}
    if point[group][name] ~= nil then return false, TWICE end
    point[group][name] = number(text) or false
    return true
  end
  if readers[key] then return readers[key](point, text) end
  if point[key] ~= nil and not is_complex[key] then return false, TWICE end
  if is_number[key] then point[key] = number(text) return point[key] ~= nil end
  if is_answer[key] then point[key] = text == "true" return text == "true" or text == "false" end
  if is_text[key] then point[key] = text return true end
  return is_complex[key] and read_complex(point, key, text)
end

-- Where lines of a special point go that its point has not
local own_of_special = { frequency = "frequency", accuracy = "accuracy", accuracy_beside = "accuracy_beside", at = "value",
  beside_at = "beside", name = "name", of = "of", criticality = "criticality", doubtful = "doubtful", reason = "reason" }

local function read_special(special, key, text)
  if own_of_special[key] and special[own_of_special[key]] ~= nil then return false, TWICE end
  if object.contains(numbers_of_special, key) then special[key] = number(text) return special[key] ~= nil end
  if key == "at" then special.value = number(text) return special.value ~= nil end
  if key == "beside_at" then special.beside = number(text) return special.beside ~= nil end
  if key == "name" or key == "of" then special[key] = text return true end
  if key == "criticality" then special.criticality = text return text == "supercritical" or text == "subcritical" end
  if key == "doubtful" then special.doubtful = true return text == "true" end
  if key == "reason" then special.reason = text return doubts[text] ~= nil end
  return read_line(special.point, key, text)
end

local heads = set_of{ "program", "system", "equations", "contacts", "kind", "along", "beside", "checksum" }

local readers_of_head = {}

-- "unstable, 1.5, branch"
function readers_of_head.born(text)
  local side, value, kind = text:match "^(%a+), (%S+), (.+)$"
  return (side == "stable" or side == "unstable") and number(value) and object.contains(kinds, kind) and { side = side, value = number(value), kind = kind }
end

-- "0.0, 0.25"
function readers_of_head.missing(text)
  local from, to = text:match "^(%S+), (%S+)$"
  return from and number(from) and number(to) and { from = number(from), to = number(to) }
end

-- "1.5, 0.25"
function readers_of_head.spans(text)
  local one, other = text:match "^(%S+), (%S+)$"
  return one and number(one) and number(other) and { number(one), number(other) }
end

function readers_of_head.partners(text) return text == "true" end

for key in pairs(counts_of_branch) do readers_of_head[key] = function(text) return text:find "^%d+$" and math.tointeger(tonumber(text)) end end

-- The parts of a text; nil, the number of the line that is wrong, and what is wrong with it
local function parsed(text)
  local h, points, special, at, count = { ended = {}, coordinates = {}, options = {} }, {}, {}, nil, 0
  for line in (text:gsub("([^\n])$", "%1\n")):gmatch "([^\n]*)\n" do
    count = count + 1
    local kind, after = line:match "^special (.-) after (%d+)$"
    local key, value = line:match "^%s*(.-) = (.*)$"
    if h.complete or h.checksum and line ~= "end" then return nil, count end
    if count == 1 then
      if line ~= FIRST then return nil, 1 end
    elseif line == "end" then h.complete = true
    elseif line:find "^point %d+$" then
      at = {}
      points[#points + 1] = at
      if line ~= ("point %d"):format(#points) then return nil, count end
    elseif kind then
      at = { kind = kind, after = tonumber(after), point = {} }
      special[#special + 1] = at
    elseif not key then return nil, count
    elseif key == "checksum" and at then h.checksum = value
    elseif at then
      local fine, wrong = (at.point and read_special or read_line)(at, key, value)
      if not fine then return nil, count, wrong end
    elseif key == "ended" then table.insert(h.ended, value)
    elseif key:find "^option " then
      if not saved_options.read(h.options, key:match "^option (.+)$", value) then return nil, count end
    elseif key == "coordinate" then table.insert(h.coordinates, value)
    elseif heads[key] or readers_of_head[key] then
      if h[key] then return nil, count, TWICE end
      h[key] = heads[key] and value or not heads[key] and readers_of_head[key](value)
      if not h[key] then return nil, count end
    else return nil, count end
  end
  return h, points, special
end

-- The text with line ends of one kind, as it was written
local function plain(text) return (text:gsub("\r\n", "\n")) end

local function demand_unchanged(path, text, h, point)
  local before = text:match "^(.*\n)checksum = [^\n]*\nend\n?$"
  if not before or core.checksum(before) ~= h.checksum then
    local option, guess = Branch.start_of(h.kind, point)
    fail("hm.load: %s was changed after it was written: its checksum differs; save the branch again, or give the values as a guess: "
      .. "S:continue{ %s = %s, along = \"%s\" }", path, option, guess, h.along)
  end
end

local function demand_names(path, where, what, values, known)
  for _, name in ipairs(object.keys(values or {})) do
    if not object.contains(known, name) then fail("hm.load: %s: %s: %s '%s' is not known%s", path, where, what, name, object.hint(name, known)) end
  end
end

-- Do the names of a point belong to the branch and its system?
local function demand_point(path, where, point, h, system)
  for _, name in ipairs(h.coordinates) do
    if (point.q or {})[name] == nil then fail("hm.load: %s: %s lacks q of '%s'", path, where, name) end
  end
  demand_names(path, where, "the coordinate", point.q, h.coordinates)
  demand_names(path, where, "the velocity", point.v, h.coordinates)
  if not system then return end
  demand_names(path, where, "the parameter", point.parameters, system.parameter_names)
end

local function demand_specials(path, h, points, special, system)
  for i, item in ipairs(special) do
    local where = ("special point %d"):format(i)
    if not object.contains(kinds, item.kind) then fail("hm.load: %s: %s: '%s' is no kind of special points", path, where, item.kind) end
    if item.after > #points then fail("hm.load: %s: %s comes after point %d of %d", path, where, item.after, #points) end
    if not (item.value or item.point.value) then fail("hm.load: %s: %s lacks its value", path, where) end
    demand_point(path, where, item.point, h, system)
  end
end

local function demand_whole(path, h, points)
  local missing
  for _, key in ipairs{ "system", "equations", "kind", "along", "checksum", "complete" } do if not h[key] then missing = key end end
  if missing then fail("hm.load: %s is cut off: '%s' is missing", path, missing == "complete" and "end" or missing) end
  if #points == 0 then fail("hm.load: %s has no points", path) end
  for i, point in ipairs(points) do
    if not (point.value and point.q and point.v and point.t and point.form) then fail("hm.load: %s: point %d lacks its value, q, v, t or form", path, i) end
  end
end

-- A point with its values by name; beside: the second of the two names of a curve, a parameter where files do not give its value
local function completed(point, beside)
  for _, key in ipairs{ "parameters", "q", "v" } do point[key] = point[key] or {} end
  for name, value in pairs(point.kept or {}) do point[name] = value end
  point.beside = point.beside or beside and point.parameters[beside]
  return point
end

local function load(path, text, system)
  text = plain(text)
  local version = text:match "^hamel branch ([12])\n"
  if version then
    fail("hm.load: %s was written by an older version, without %s: continue the branch again and save it", path,
      version == "1" and "a checksum" or "the values that the system declares for its parameters")
  end
  local h, points, special = parsed(text)
  if not h then fail("hm.load: %s is damaged: line %d %s", path, points, special or "is not understood") end
  demand_whole(path, h, points)
  if system then
    local equations, contacts = marks_of(system, points[1].form)
    if equations ~= h.equations or contacts ~= h.contacts then
      fail("hm.load: %s holds a branch of other equations than those of %s; give the system that the branch was made with", path, system.name)
    end
  end
  for i, point in ipairs(points) do demand_point(path, ("point %d"):format(i), point, h, system) end
  demand_specials(path, h, points, special, system)
  demand_unchanged(path, text, h, points[1])
  for _, point in ipairs(points) do completed(point, h.beside) end
  for _, item in ipairs(special) do
    completed(item.point, h.beside)
    item.value, item.beside = item.value or item.point.value, item.beside or item.point.beside
  end
  local branch = { points = points, special = special, ended = h.ended, along = h.along, kind = h.kind, _system = system, _title = h.system,
    beside = h.beside or false, born = h.born or false, missing = h.missing or false, partners = h.partners or false,
    unsearched = false, family = h.family or false, spans = h.spans or false, _beside = h.passing or false, _coordinates = h.coordinates }
  branch._options = system and not h.beside and saved_options.completed(system, h.options) or nil
  for _, item in ipairs(special) do item._branch, item._options = branch, branch._options end
  return branch_words.added(setmetatable(branch, Branch.meta))
end

files.readers["hamel branch"] = load

return Branch
