-- kernel.lua: the kernel of a notebook: requests in, replies and displays out. Its sockets are in C (src/jupyter).
local cells = require "hamel.jupyter.cells"
local core = require "hamel.core"
local display = require "hamel.show.display"
local failure = require "hamel.jupyter.failure"
local files = require "hamel.base.files"
local json = require "hamel.base.json"
local notebook = require "hamel.jupyter.notebook"
local object = require "hamel.base.object"
local printer = require "hamel.repl.print"
local progress = require "hamel.base.progress"
local protected = require "hamel.base.protected"
local requests = require "hamel.jupyter.requests"
local sessions = require "hamel.repl.session"

local Kernel = {}
Kernel.__index = Kernel

-- ---- what cells show

function Kernel:publish(kind, content) self.wire.publish(kind, json.text(content)) end

local function bundle(value)
  local data = display.types(value)
  data["text/plain"] = printer.text(value)
  return data
end

function Kernel:show(value) self:publish("display_data", { data = bundle(value), metadata = json.empty, transient = json.empty }) end

-- Several values are one result: the last one bears the number
function Kernel:show_results(results)
  local last = results.n
  while last > 2 and results[last] == nil do last = last - 1 end
  for i = 2, last - 1 do self:show(results[i]) end
  if not cells.is_shown(results[last]) then return end
  self:publish("execute_result", { data = bundle(results[last]), metadata = json.empty, execution_count = self.count })
end

-- ---- execution

-- The functions of Lua's libraries as the kernel found them, which it needs itself
local function standard_functions()
  local kept = {}
  for _, library in ipairs{ _G, string, table, math, io, os, utf8, coroutine, debug } do
    kept[library] = {}
    for name, value in pairs(library) do
      if type(value) == "function" then kept[library][name] = value end
    end
  end
  return kept
end

-- What a cell removed or replaced by something that cannot be called is put back
local next, rawget, rawset, type = next, rawget, rawset, type
local function put_back(kept)
  for library, functions in next, kept do
    for name, f in next, functions do
      if type(rawget(library, name)) ~= "function" then rawset(library, name, f) end
    end
  end
end

function Kernel:fail(message, name)
  local content = failure.of(message, self.cells, name)
  self:publish("error", content)
  return { status = "error", ename = content.ename, evalue = content.evalue, traceback = content.traceback, execution_count = self.count }
end

-- Results of f behind true, or false and what was said; then the part of a run or a sweep that an interrupted call kept
function Kernel:call(f, names)
  local results = self.packed(self.wire.call(f, names))
  put_back(self.standard)
  return results, core.host.part()
end

-- What a failed or interrupted call says; the part becomes `ans`
function Kernel:failed(results, part)
  if part ~= nil then rawset(self.session, "ans", part) end
  if not results[3] then return self:fail(tostring(results[2]), "error") end
  local holding = part ~= nil and sessions.holders(self.session, part) or ""
  return self:fail(sessions.interrupted_words(results[2]) .. holding, "interrupted")
end

-- The values that a front end asks for by expressions
function Kernel:values(expressions)
  local values = {}
  for name, text in next, expressions or {} do
    local chunk, problem = load("return " .. text, "=expression", "t", self.session)
    local results = chunk and self:call(chunk) or { false, problem }
    if results[1] then values[name] = { status = "ok", data = bundle(results[2]), metadata = json.empty }
    else values[name] = { status = "error", ename = "error", evalue = tostring(results[2]), traceback = {} } end
  end
  return next(values) and values or json.empty
end

-- save_session "work.lua": the cells that ran, in their order, as a script that gives the same numbers
function Kernel:save_session(path)
  if type(path) ~= "string" or not path:find "%.lua$" then object.fail("save_session takes the name of a file that ends in .lua") end
  if core.host.exists(path) then object.fail("save_session: %s exists already; choose another name", path) end
  files.write("save_session", path, notebook.script(self.done, "this session"))
  return ("%s: a script of %d cells, which gives the same numbers; hamel %s runs it"):format(path, #self.done, path)
end

-- What a script of this session needs of a cell: one that failed may have had effects before
function Kernel:remember(content, reply)
  if content.silent or content.code:find "save_session" then return end
  local text = reply.status == "ok" and content.code
  if reply.ename == "interrupted" then text = ("-- in the session: %s\n%s"):format(reply.evalue, content.code) end
  if reply.ename == "error" then text = ("-- this failed in the session\ndo pcall(function()\n%s\nend) end"):format(content.code) end
  self.done[#self.done + 1] = text and { kind = "code", text = text } or nil
end

function Kernel:run(content)
  local chunk, hidden = cells.compile(content.code, self.session, content.silent and "=silent cell" or "=cell " .. self.count)
  if not chunk then return self:fail(hidden, "syntax") end
  local results, part = self:call(chunk, self.session)
  if not results[1] then return self:failed(results, part) end
  if results.n > 1 then rawset(self.session, "ans", results[2]) end
  if results.n > 1 and not hidden and not content.silent then
    local shown, kept = self:call(function() self:show_results(results) end)
    if not shown[1] then return self:failed(shown, kept) end
  end
  return { status = "ok", execution_count = self.count, user_expressions = self:values(content.user_expressions), payload = {} }
end

local answers = {}

function answers.execute(kernel, content)
  if not content.silent then
    kernel.count = kernel.count + 1
    kernel.cells[kernel.count] = content.code
    kernel:publish("execute_input", { code = content.code, execution_count = kernel.count })
    if content.store_history ~= false then kernel.history[#kernel.history + 1] = { kernel.count, content.code } end
  end
  local reply = kernel:run(content)
  kernel:remember(content, reply)
  kernel.aborting = reply.status == "error" and content.stop_on_error ~= false
  return reply
end

function answers.kernel_info() return requests.info() end
function answers.complete(kernel, content) return requests.complete(content, kernel.session) end
function answers.inspect(_, content) return requests.inspect(content) end
function answers.is_complete(_, content) return requests.is_complete(content) end
function answers.history(kernel, content) return requests.history(content, kernel.history) end
function answers.comm_info() return { status = "ok", comms = json.empty } end
function answers.shutdown(kernel, content)
  kernel.ended = true
  return { status = "ok", restart = content.restart == true }
end

-- ---- the standard input of cells

local read_as = {
  l = function(line) return line end, L = function(line) return line .. "\n" end, a = function(line) return line end,
  n = function(line) return tonumber(line) end,
}

-- io.read asks the front end for a line; io.input() of a file is read as ever
function Kernel:take_over_input()
  local read, standard = io.read, io.stdin
  function io.read(...) -- luacheck: ignore 122
    if io.input() ~= standard then return read(...) end
    if not self.allows_input then object.fail("io.read: this front end has no place to type in; assign the value in the cell") end
    local kind = tostring((...) or "l"):gsub("^%*", ""):sub(1, 1)
    local reader = read_as[kind] or object.fail("io.read: in a notebook the format is 'l', 'L', 'a' or 'n'")
    local reply = self.wire.ask(self.message, json.text{ prompt = "", password = false })
    return reply and reader(json.read(reply).value or "") or nil
  end
end

-- A cell that ends the process would take the others' results with it
local function keep_alive()
  function os.exit() -- luacheck: ignore 122
    object.fail("os.exit: a cell does not end the kernel; Kernel > Shut Down in the menu of the notebook does, error(\"...\") ends the cell")
  end
end

-- ---- the loop

-- Requests that wait behind a failed cell; taken before its reply is sent, since who has the reply may send new ones
function Kernel:take_waiting()
  local list = {}
  repeat
    local message = self.wire.next(0)
    list[#list + 1] = message or nil
  until not message
  return list
end

-- Cells that wait behind a failed one are not run
local function abort(kernel) return { status = "aborted", execution_count = kernel.count } end

-- The reply to a request of a kind; nil for an unknown kind
function Kernel:reply_of(kind, content, special)
  local answer = kind and (special and special[kind] or answers[kind])
  if not answer then return nil end
  local fine, reply = xpcall(answer, function(message) return tostring(message) end, self, content)
  if fine then return reply end
  return { status = "error", ename = "error", evalue = reply, traceback = {} }
end

-- The table that a part of a message holds; nil where it is no object
local function object_of(text)
  local fine, value = protected(json.read, text)
  return fine and type(value) == "table" and text:find "^%s*{" and utf8.len(text) and value or nil
end

-- Status idle is the last message of every request, whatever becomes of it
function Kernel:answer(message, special)
  local header, content = object_of(message.header), object_of(message.content)
  -- all front ends read the header of the request in what is published
  message.header = header and message.header or "{}"
  self.wire.parent(message.header)
  self:publish("status", { execution_state = "busy" })
  local kind = header and content and tostring(header.msg_type):match "^(.*)_request$"
  self.message, self.allows_input = message, content ~= nil and content.allow_stdin == true
  local reply = self:reply_of(kind, content, special)
  local waiting = self.aborting and self:take_waiting() or {}
  self.aborting = false
  self.wire.flush()
  if reply then self.wire.reply(message, kind .. "_reply", json.text(reply)) end
  self:publish("status", { execution_state = "idle" })
  for _, one in ipairs(waiting) do self:answer(one, { execute = abort }) end
end

function Kernel:serve()
  self.wire.parent "{}"
  self:publish("status", { execution_state = "starting" })
  for message in self.wire.next do
    self:answer(message)
    if self.ended then break end
  end
end

-- Jupyter's connection file
local function connection_of(path)
  local text, problem = files.read(path, 1 << 16)
  if not text then object.fail("jupyter: cannot read the connection file %s: %s", path, problem) end
  local fine, connection = protected(json.read, text)
  if not fine or type(connection) ~= "table" then object.fail("jupyter: %s is no connection file of Jupyter", path) end
  local scheme = connection.signature_scheme or "hmac-sha256"
  if scheme ~= "hmac-sha256" then object.fail("jupyter: the signature scheme '%s' is not supported; choose hmac-sha256", scheme) end
  return connection
end

--- Serves a front end until it ends the kernel. wire: the sockets of src/jupyter and `call` of the executable.
---@param path string Jupyter's connection file
return function(path, wire)
  local kernel = setmetatable({ wire = wire, session = sessions.new(), cells = {}, done = {}, history = {}, count = 0, ended = false, aborting = false,
    message = false, allows_input = false, packed = table.pack, standard = standard_functions() }, Kernel)
  function kernel.session.display(...)
    for i = 1, select("#", ...) do kernel:show((select(i, ...))) end
  end
  function kernel.session.save_session(file) return kernel:save_session(file) end
  display.in_notebook()
  progress.in_notebook(wire.clear)
  kernel:take_over_input()
  keep_alive()
  warn "@on"
  wire.open(connection_of(path), json.text(requests.info()))
  local fine, problem = protected(kernel.serve, kernel)
  wire.close()
  if not fine then error(problem, 0) end
  return true
end
