-- hostile_spec.lua: every public function and method with wrong, huge and foreign arguments: a result or one clear message, no crash.
local check = require "check"
local core = require "hamel.core"
local hm = require "hamel"
local mechanics = require "mechanics"

require("hamel.base.object").load()          -- what is read when first asked for

local INSTRUCTIONS, SECONDS = 5000000, 60

-- ---- arguments nobody should give

local function odd_values()
  local S = check.sleigh(hm)
  local a, b = hm.symbols "a b"
  local powers_of_two = {}
  for i = 0, 62 do powers_of_two[1 << i] = 1 end
  return {
    true, false, 0, 1, -1, 2, 1.5, 1e308, -1e308, 1e-320, 0/0, 1/0, -1/0, math.maxinteger, math.mininteger, 1 << 32,
    "", "x", "x y", "m=1", "m=", "=", "1/0", "y.", "lagrange", "hamel", "\0", "x\0y", "\xff\xfe", "θ", "x'", ("("):rep(1000), "%s%n%d", "a\nb",
    {}, { 1 }, { {} }, { { 1 } }, { a }, { [a] = b }, { [1] = 1, [3] = 3 }, { "x" }, { x = 1 }, { [{}] = {} }, { 0/0 }, powers_of_two,
    setmetatable({}, { __index = function() error "index" end, __len = function() return 1 << 40 end }),
    setmetatable({}, { __tostring = function() error "tostring" end }),
    print, function() end, function() error "mine" end, coroutine.create(print), io.stdout, hm.t, a, a + b, a.diff, hm.number(3), hm.sin(a)/b,
    hm.functions_of_time "x", hm.functions_of_time("x").ddot, S, S:equations(), hm.matrix{ { a, b } }, hm.eq(a, b), S.constraints.blade,
    core.steppers(),
  }
end

-- ---- what is called: every function reachable from the module, every method of its objects

local function sleigh_run()
  local S = check.sleigh(hm)
  return S:simulate{ q = { x = 0, y = 0, theta = 0 }, v = { x = 1, theta = 0.3 }, t = 1 }
end

local function model_parts()
  local run = sleigh_run()
  return rawget(run, "model"), rawget(run, "workspace"), rawget(run, "raw")
end

-- name -> function that makes a fresh object
-- A ball that rolls on a turned plane
local function ball()
  local S = hm.system "ball"
  local N, R = S:frame "N", S:rotation "R"
  local body = S:body("ball", { at = S:point "x y z", frame = R, mass = 1, inertia = "solid", shape = { "sphere", radius = 1 } })
  local plane = N:rotate("y", 0.1):plane()
  return S, N, R, body, plane, S:rolls("roll", body, plane)
end

local objects = {
  frame = function() return (select(2, ball())) end,
  rotation = function() return (select(3, ball())) end,
  vector = function()
    local S, N, R = ball()
    return S:coordinates "x"*N.x + 2*R.z
  end,
  point = function()
    local S, N = ball()
    return S.origin + 2*N.x
  end,
  body = function() return (select(4, ball())) end,
  surface = function() return (select(5, ball())) end,
  rolling = function() return (select(6, ball())) end,
  system = function() return (check.sleigh(hm)) end,
  ["empty system"] = function() return hm.system "empty" end,
  equations = function() return (check.sleigh(hm)):equations() end,
  constraint = function() return (check.sleigh(hm)).constraints.blade end,
  run = sleigh_run,
  state = function() return sleigh_run():at(0.5) end,
  matrix = function() local a, b = hm.symbols "a b" return hm.matrix{ { a, b }, { b, 1 } } end,
  equation = function() local a, b = hm.symbols "a b" return hm.eq(a, b) end,
  agreement = function() local a, b = hm.symbols "a b" return hm.agree(a, b) end,
  expression = function() local a, b = hm.symbols "a b" return a^2*hm.sin(b) + a/b end,
  symbol = function() return hm.functions_of_time "x" end,
  number = function() return hm.number "1/3" end,
  paper = function() return hm.paper{ title = "t", quiet = true } end,
  model = function() return (model_parts()) end,
  workspace = function() return (select(2, model_parts())) end,
  trajectory = function() return (select(3, model_parts())) end,
  program = function() local a, b = hm.symbols "a b" return core.program({ a, b }, { a*b, a + b }) end,
  comparison = function()
    return (check.sleigh(hm)):compare{ forms = { "lagrange", "maggi" }, q = { x = 0, y = 0, theta = 0 }, v = { x = 1, theta = 0.3 }, t = 0.1 }
  end,
}

-- Names of the functions an object answers to; metatables of userdata are hidden, so debug is asked
local function methods_of(object)
  local names, meta = {}, debug.getmetatable(object)
  local class = meta.__index
  if type(object) == "userdata" and core.is_expression(object) then class = core.methods end
  if type(class) == "function" then                       -- a class of object.lua: the table is an upvalue
    local i = 1
    while true do
      local name, value = debug.getupvalue(class, i)
      if name == nil or name == "class" then class = value break end
      i = i + 1
    end
  end
  -- a name with an underscore in front belongs to the library alone
  local function offered(name) return name ~= "new" and name ~= "item" and not name:find "^_%a" end
  for name, f in next, class do if type(f) == "function" and offered(name) then names[#names + 1] = name end end
  for name in pairs(rawget(class, "get") or {}) do names[#names + 1] = "." .. name end
  for name, f in pairs(meta) do
    if type(f) == "function" and not ({ __gc = true, __index = true, __names = true, __own = true })[name] then names[#names + 1] = name end
  end
  table.sort(names)
  return names
end

local function bind(object, name)
  if name:sub(1, 1) == "." then return function() return object[name:sub(2)] end end
  if name:sub(1, 2) == "__" then return debug.getmetatable(object)[name] end
  return object[name]
end

-- ---- the judge

local function complaint(message)
  if type(message) ~= "string" then return "the error is a " .. type(message) end
  if message:find("lua/hamel/[%w_/]+%.lua:%d") then return "the message points into the library" end
  for _, words in ipairs{ "attempt to", "stack overflow", "not enough memory", "bad argument #%d+ to '[%w_]*' %(%w+ expected, got no value" } do
    if message:find(words) and not message:find("got no value") then return "a message of Lua's" end
  end
  if #message > 2000 then return "the message has " .. #message .. " bytes" end
  if message == "" then return "the message is empty" end
end

-- nil, or what was wrong with f(...)
local function verdict(f, ...)
  local started = os.clock()
  debug.sethook(function() error("too long", 0) end, "", INSTRUCTIONS)
  local fine, message = pcall(f, ...)
  debug.sethook()
  if os.clock() - started > SECONDS then return ("it took %.1f s"):format(os.clock() - started) end
  if fine then return nil end
  if message == "too long" then return "it does not end" end
  local bad = complaint(message)
  return bad and bad .. ": " .. tostring(message)
end

local function shown(value)
  if type(value) == "string" then return ("%q"):format(value):sub(1, 40) end
  local fine, text = pcall(tostring, value)
  return fine and text:sub(1, 60) or type(value)
end

local function describe_call(name, ...)
  local list = table.pack(...)
  for i = 1, list.n do list[i] = shown(list[i]) end
  return name .. "(" .. table.concat(list, ", ") .. ")"
end

-- One example of each kind of finding, by what was wrong without its details
local function note(findings, bad, call)
  local kind = bad:gsub("%(.*", ""):gsub("a %w+ value", "")
  if findings[kind] then return end
  findings[kind] = true
  findings[#findings + 1] = call .. " -> " .. bad
end

local function report(findings)
  if #findings > 0 then error(#findings .. " findings:\n  " .. table.concat(findings, "\n  ", 1, math.min(#findings, 60)), 0) end
end

-- Calls f with none, one, and some pairs and triples of odd values; `self` makes the first argument anew for each call
local function bombard(name, make, findings)
  local values = odd_values()
  local random = check.generator(20261121)
  local function pick() return values[math.floor(random(1, #values + 1 - 1e-9))] end
  local function try(...)
    local f, self = make()
    local bad
    if self ~= nil then bad = verdict(f, self, ...) else bad = verdict(f, ...) end
    if bad then note(findings, bad, describe_call(name, ...)) end
  end
  try()
  for _, value in ipairs(values) do try(value) end
  for _ = 1, 60 do try(pick(), pick()) end
  for _ = 1, 60 do try(pick(), pick(), pick()) end
end

-- Results of these are printed or written to files
local function quiet(f, ...)
  local print_, write = print, io.write
  print, io.write = function() end, function() end            -- luacheck: ignore
  local result = table.pack(pcall(f, ...))
  print, io.write = print_, write                             -- luacheck: ignore
  if not result[1] then error(result[2], 0) end
  return table.unpack(result, 2, result.n)
end

local function reachable(module, except)
  local names = {}
  for name, f in pairs(module) do if type(f) == "function" and not except[name] then names[#names + 1] = name end end
  table.sort(names)
  return names
end

describe("odd arguments", function()
  it("spare no name that the help offers", function()
    local count = 0
    for _, entry in ipairs(require("hamel.book.help").entries()) do
      count = count + 1
      assert.is_nil(entry.name:find "[.:]_%a", entry.name)
      assert.is_nil(entry.signature:find "[.:]_%a", entry.signature)
    end
    assert.is_true(count > 100)
  end)
  for _, name in ipairs(reachable(hm, {})) do
    it("are answered by hm." .. name, function()
      local findings = {}
      quiet(bombard, "hm." .. name, function() return hm[name] end, findings)
      report(findings)
    end)
  end
  for kind, make in pairs(objects) do
    for _, name in ipairs(methods_of(make())) do
      it(("are answered by %s of a %s"):format(name, kind), function()
        local findings = {}
        local fresh = kind:find "system" or kind == "paper" or kind == "workspace"
        local object = not fresh and make()
        quiet(bombard, kind .. ":" .. name, function()
          local self = object or make()
          return bind(self, name), self
        end, findings)
        report(findings)
      end)
      if name:find "^%a" then
        it(("are answered by %s of a %s called with a dot"):format(name, kind), function()
          local findings = {}
          local object = make()
          quiet(bombard, kind .. "." .. name, function() return bind(object, name) end, findings)
          report(findings)
        end)
      end
    end
  end
  -- functions of the core stand behind the library; stock Lua can reach them: no crash, any message
  for _, name in ipairs(reachable(core, { library = true, where = true })) do
    it("do not crash core." .. name, function()
      quiet(bombard, "core." .. name, function() return function(...) pcall(core[name], ...) end end, {})
    end)
  end
end)

describe("odd options", function()
  local names = { "q", "v", "t", "form", "dependent", "mu", "mapping", "parameters", "rtol", "atol", "method", "max_step", "first_step",
    "max_steps", "project", "dense", "where", "forms", "n", "times", "by", "seconds", "terms", "bytes", "reduce", "title", "tolerance", "quiet" }
  local function base()
    return { q = { x = 0, y = 0, theta = 0 }, v = { x = 1, theta = 0.3 }, t = 0.1, max_steps = 200 }
  end
  -- options of a run, or none
  local run = { simulate = true, compare = true, accelerations = true, velocities = true }
  local takers = {
    simulate = function(o) return check.sleigh(hm):simulate(o) end,
    accelerations = function(o) return check.sleigh(hm):accelerations(o) end,
    velocities = function(o) return check.sleigh(hm):velocities(o) end,
    compare = function(o) o.forms = o.forms == nil and { "lagrange", "maggi" } or o.forms return check.sleigh(hm):compare(o) end,
    free_motion = function(o) return check.sleigh(hm):free_motion(o) end,
    equations = function(o) return check.sleigh(hm):equations("chaplygin", o) end,
    simplify = function(o) return (hm.t^2 - 1):simplify(o) end,
    series = function(o) return sleigh_run():series("x", o) end,
    save = function(o) return sleigh_run():save("/nowhere/at/all.csv", o) end,
  }
  for what, take in pairs(takers) do
    it("are answered by " .. what, function()
      local findings = {}
      local values = odd_values()
      for _, name in ipairs(names) do
        for _, value in ipairs(values) do
          local o = run[what] and base() or {}
          if what ~= "simulate" and what ~= "compare" then o.max_steps = nil end
          if what == "accelerations" or what == "velocities" then o.t = nil end
          o[name] = value
          local bad = verdict(take, o)
          if bad then note(findings, bad, ("%s{ %s = %s }"):format(what, name, shown(value))) end
        end
      end
      report(findings)
    end)
  end
end)

-- ---- functions of the user inside the core

-- x'' = -x by a Lua function that does `work` first
local function oscillator(work)
  local S, x = mechanics.body("oscillator", "x")
  S:force(x, function(t, q, v)
    if work then work(t, q, v) end
    return -q.x
  end)
  return S
end
local function swing(S) return S:simulate{ q = { x = 1 }, v = { x = 0 }, t = 1 } end

describe("a force written in Lua", function()
  it("may run another system, and the same one from another start", function()
    local inner, depth = oscillator(), 0
    local S
    S = oscillator(function(t)
      check.near(swing(inner):at(1).x, math.cos(1), 1e-8, "the inner run")
      if depth == 0 and t > 0.5 then
        depth = 1
        check.near(S:simulate{ q = { x = 2 }, v = { x = 0 }, t = 1 }:at(1).x, 2*math.cos(1), 1e-8, "the same system")
      end
    end)
    check.near(swing(S):at(1).x, math.cos(1), 1e-8, "the outer run")
    assert.equal(1, depth)
  end)
  it("cannot disturb the run that calls it", function()
    local kept = {}
    local S = oscillator(function(t)
      local run = hm.last_run()
      kept[#kept + 1] = check.message(function() return rawget(run, "workspace"):set_state(t, { 5, 5 }) end)
      kept[#kept + 1] = check.message(function() return rawget(run, "workspace"):rate() end)
      pcall(function() return run:at(t).a.x end)
      pcall(tostring, run)
    end)
    check.near(swing(S):at(1).x, math.cos(1), 1e-8, "the run")
    assert.truthy(#kept > 10)
    for _, message in ipairs(kept) do assert.truthy(message:find("cannot use the run that calls it", 1, true), message) end
  end)
  it("gives back its own error object, whatever that is", function()
    local unprintable = setmetatable({}, { __tostring = function() error "no text" end })
    for _, object in ipairs{ {}, unprintable, print, 5, true } do
      local fine, got = pcall(swing, oscillator(function(t) if t > 0.5 then error(object, 0) end end))
      assert.is_false(fine)
      assert.is_true(rawequal(got, object) or got == object)
    end
    local fine, got = pcall(swing, oscillator(function() error() end))
    assert.is_false(fine)
    assert.equal("string", type(got))
  end)
  it("cannot leave the run by a yield, from any coroutine", function()
    local S = oscillator(coroutine.yield)
    local fine, message = coroutine.resume(coroutine.create(swing), S)
    assert.is_false(fine)
    assert.truthy(tostring(message):find("yield", 1, true), message)
    -- a coroutine of its own is its own business
    local ticks = coroutine.wrap(function() while true do coroutine.yield() end end)
    check.near(swing(oscillator(function() ticks() end)):at(1).x, math.cos(1), 1e-8, "the run")
  end)
  it("must return one finite number", function()
    for _, value in ipairs{ "one", {}, 0/0, true, false } do
      local S, x = mechanics.body("s", "x")
      S:force(x, function() return value end)
      check.raises({ "the force on 'x' returned", "a number is needed" }, swing, S)
    end
    local model, workspace = (function() local run = swing(oscillator()) return rawget(run, "model"), rawget(run, "workspace") end)()
    local state = { 1, 0 }
    for i = 3, model:state_size() do state[i] = 0 end
    for _, result in ipairs{ false, 5, {}, { "x" }, print } do
      workspace:set_force(function() return result end)
      check.raises({ "no list of 1 numbers" }, function() workspace:set_state(0, state) return workspace:rate() end)
    end
  end)
end)

-- ---- lists and sizes that only a C program could get wrong

describe("the core", function()
  it("measures lists that have absurd borders", function()
    local list = {}
    for i = 0, 62 do list[1 << i] = 1 end
    for _, f in ipairs{ core.sum, core.product, core.symbols } do check.message(f, list) end
  end)
  it("takes no sizes that wrap around", function()
    check.raises({ "number of rows", "4294967296" }, core.determinant, 1 << 32, {})
    check.raises({ "number of rows" }, core.solve_linear, 1 << 32, {}, {})
    check.raises({ "number of rows" }, core.determinant, -1, { 1 })
    check.raises({ "too high" }, function() return hm.functions_of_time "x":dot(100):dot(100) end)
    check.raises({ "order" }, core.undot, hm.functions_of_time "x", -1)
    check.raises({ "order" }, core.undot, hm.functions_of_time "x", 1 << 32)
    check.raises({ "coefficient", "1.5" }, function() return (hm.t^2):coefficient(hm.t, 1.5) end)
    check.raises({ "no input 1.5" }, function() return core.program({ hm.t }, { hm.t }):tangent{ 1.5 } end)
  end)
  it("takes no text beyond a zero byte", function()
    check.raises({ "zero byte" }, hm.parse, "t\0 + oops", { hm.t })
    check.raises({ "zero byte" }, hm.number, "1\0 2")
  end)
  it("hides its metatables", function()
    for _, kind in ipairs{ "expression", "program", "model", "workspace", "trajectory" } do
      assert.equal("hamel." .. kind, getmetatable(objects[kind]()))
    end
  end)
end)

describe("expressions without measure", function()
  local x = hm.symbols "x"
  it("stop growing as numbers before memory ends", function()
    check.raises({ "too many digits" }, function() return (hm.number(2)^60000)^60000 end)
    check.raises({ "more than 602060 digits" }, function()
      local a = hm.number(3)^60000
      for _ = 1, 40 do a = a*a end
    end)
    for _, text in ipairs{ "1e1000000000", "1e-1000000000", ("1"):rep(6000) } do check.raises({ "at most 5000 digits" }, hm.number, text) end
  end)
  it("may be nested deeply", function()
    local e, fraction = x, x
    for _ = 1, 20000 do e, fraction = hm.sin(e), 1/(1 + fraction) end
    local text = tostring(e)
    assert.is_true(#text >= 5*20000 + 1 and #text < 5.1*20000)                -- every few hundred levels a part has a name
    assert.equal(e, hm.parse(text, { x }))
    assert.is_true(math.abs(e:eval{ x = 1 }) < 1)
    assert.equal("product", e:diff(x):kind())
    assert.equal("call", e:subs{ [x] = x + 1 }:kind())
    assert.equal("call", e:simplify():kind())
    assert.is_true(#fraction:latex() > 20000)
    check.raises({ "nested deeper" }, hm.parse, ("("):rep(20000) .. "x" .. (")"):rep(20000), { x })
  end)
end)

-- ---- the end of a Lua state, and finalizers written in Lua

describe("a finalizer", function()
  it("may use the library at the end, or is told that it cannot", function()
    local status, output = check.script [[
      older = setmetatable({}, { __gc = function() print("older", pcall(function() return hm.symbols "x" + 1 end)) end })
      old = setmetatable({}, { __gc = function() print("kept", pcall(function() return kept.dot, kept + 1, p:eval{ 1 }, tostring(kept) end)) end })
      hm = require "hamel"
      kept = hm.functions_of_time "x"
      p = require("hamel.core").program({ kept }, { kept })
      younger = setmetatable({}, { __gc = function() print("younger", pcall(function() return hm.symbols "x" + 1 end)) end })
    ]]
    assert.equal(0, status, output)
    assert.truthy(output:find("younger\ttrue\tx + 1", 1, true), output)
    assert.truthy(output:find("older\tfalse\t", 1, true) and output:find("closing", 1, true), output)
    assert.truthy(output:find("kept\tfalse\t", 1, true), output)
  end)
  it("that makes many expressions takes none away from a call under way", function()
    local status, output = check.script [[
      local hm, core = require "hamel", require "hamel.core"
      local x = hm.symbols "x"
      local made = 0
      local function bomb()
        setmetatable({}, { __gc = function()
          for _ = 1, 300 do made = made + 1 ; local _ = hm.sin(x + made) end
          core.sweep()
          if made < 400000 then bomb() end
        end })
      end
      bomb()
      collectgarbage("setpause", 1)
      local k = 0
      while k < 300 or (made <= 1000 and k < 30000) do
        k = k + 1
        local list = {}
        for i = 1, 40 do list[i] = 1000000*k + i end
        local s = hm.sin(core.sum(list))*core.product{ k + 0.5, x, 1/7 }
        assert(tostring(s):find("sin", 1, true))
        for _, e in ipairs(core.operands(s)) do assert(#tostring(e) > 0) end
      end
      print(made > 1000)
    ]]
    assert.equal(0, status, output)
    assert.truthy(output:find("true", 1, true), output)
  end)
end)
