-- answer.lua: whatever a public function gives back prints as what it holds, never as an address
local hm, check = require "hamel", require "check"
local core, help = require "hamel.core", require "hamel.book.help"

local cos = hm.cos
local internal = { model = true, workspace = true, hybrid = true, observer = true, raw = true }

-- Texts of a value and of what it holds, to three levels
local function addresses(value, path, found, depth)
  local text = tostring(value)
  if text:find "0x%x%x%x%x" and type(value) ~= "function" or text:find "userdata" then found[#found + 1] = path .. ": " .. text end
  if type(value) ~= "table" or depth >= 3 then return found end
  for key, item in next, value do
    if type(key) ~= "string" or key:sub(1, 1) ~= "_" and not internal[key] then addresses(item, ("%s[%s]"):format(path, tostring(key)), found, depth + 1) end
  end
  return found
end

local sleigh = check.offset_sleigh(hm)
local start = { q = { x = 0, y = 0, theta = 0 }, v = { theta = 1, y = 0, x = 0.5 }, t = 1 }

local function ball()
  local S = hm.system "ball"
  local x, z = S:coordinates "x z"
  S:kinetic_energy((x.dot^2 + z.dot^2)/2)
  S:potential_energy(9.81*z)
  S:unilateral("floor", z, { law = hm.newton(0.5) })
  return S, z
end

local bouncing, z = ball()
local bounced = bouncing:simulate{ q = { x = 0, z = 1 }, v = { x = 1, z = 0 }, t = 1, events = { { name = "half", when = z - 0.5 } } }

local function pendulum()
  local S = hm.system "pendulum"
  local x, y = S:coordinates "x y"
  S:kinetic_energy((x.dot^2 + y.dot^2)/2)
  S:potential_energy(9.81*y)
  S:constraint("rod", x^2 + y^2 - 1)
  return S
end

local swinging = pendulum()
local run = sleigh:simulate(start)
local x = sleigh:symbol "x"

local objects = {
  S = { sleigh, bouncing, swinging }, run = { run, bounced }, equations = { sleigh:equations(), sleigh:equations "maggi" },
  matrix = { hm.matrix{ { cos(x), x }, { x, 2 } } }, e = { x*cos(x)/(1 + x) }, state = { run:at(1) }, constraint = { sleigh.constraints.blade },
  sweep = { sleigh:sweep{ over = { { "m", { 1, 2 } } }, q = start.q, v = start.v, t = 1, keep = { "theta" } } },
  variations = { sleigh:variations(start) },
}

-- What a method is given, by name; those without an entry are called without arguments, and may refuse
local given = {
  accelerations = { { q = start.q, v = start.v } }, velocities = { { q = start.q, v = start.v } },
  linearize = { { q = start.q, v = { x = 1, y = 0, theta = 0 } } },
  reactions = { { q = start.q, v = start.v } }, compare = { { forms = { "lagrange", "hamel" }, q = start.q, v = start.v, t = 1 } }, lyapunov = { start },
  section = { { when = x - 0.1, q = start.q, v = start.v, t = 1 } }, reference = { start }, derivation = { "hamel" }, transposition = {},
  at = { 0.5 }, roots = { "theta" }, series = { "x" }, before = { 1 }, after = { 1 }, values = { { "x" } }, column = { 1 }, values_at = { 0.5, { "x" } },
  two_field = { "chetaev" }, coefficient = { x }, collect = { { x } }, diff = { x }, series_of = { x, 2 }, subs = { { [x] = 1 } }, matrix_of = { 0.5 },
}

-- Files, changes of the system, and what only the library calls
local except = { simulate = true, sweep = true, new = true, item = true, steps = true, save = true, plot = true, animate = true, export_c = true,
                 plot_drift = true, rates_of = true }

describe("a result", function()
  it("of every method and field prints as what it holds", function()
    local found, called = {}, 0
    for _, entry in ipairs(help.entries()) do
      local prefix, separator, name = entry.name:match "^(%a+)([.:])([%w_]+)$"
      for k, object in ipairs(objects[prefix] or {}) do
        if not except[name] then
          local arguments = given[name] or {}
          local results = table.pack(pcall(function()
            if separator == "." then return object[name] end
            return object[name](object, table.unpack(arguments))
          end))
          called = called + (results[1] and 1 or 0)
          for i = 2, results[1] and results.n or 1 do addresses(results[i], ("%s of %d, result %d"):format(entry.name, k, i - 1), found, 1) end
        end
      end
    end
    assert.are.same({}, found)
    assert.is_true(called > 100, called)
  end)

  it("of the library's functions prints as what it holds", function()
    local y = sleigh:symbol "y"
    local found = {}
    for name, value in pairs{ range = hm.range(0, 1, 3), gradient = hm.gradient(x^2*y, { x, y }),
                              solve = hm.solve({ hm.eq(x + y, 1), hm.eq(x - y, 3) }, { x, y }),
                              agree = hm.agree(sleigh:equations(), sleigh:equations "maggi"), law = hm.newton(0.5), eq = hm.eq(x, y),
                              jacobian = hm.jacobian({ x*y }, { x, y }), events = bounced.events, impacts = bounced.impacts } do
      addresses(value, name, found, 1)
    end
    assert.are.same({}, found)
  end)

  it("of fields of a system and a run prints as what it holds", function()
    local found = {}
    for _, object in ipairs{ sleigh, bouncing, swinging, run, bounced } do
      for key, value in next, object do
        if key:sub(1, 1) ~= "_" and not internal[key] then addresses(value, key, found, 3) end
      end
    end
    assert.are.same({}, found)
  end)

  it("of a list of rows is still a list", function()
    local M = sleigh:mass_matrix()
    assert.are.equal(3, #M)
    assert.are.equal(3, #{ table.unpack(M[1]) })
    local count = 0
    for _ in pairs(sleigh:multipliers()) do count = count + 1 end
    assert.are.equal(1, count)
  end)

  it("leaves out a formula that nobody reads, with advice", function()
    local S = hm.system "snake"
    local u, w, a, b = S:coordinates "u w a b"
    local vx, vy, T = u.dot, w.dot, hm.number(0)
    for i, angle in ipairs{ a, b } do
      local cx, cy = vx - hm.sin(angle)*angle.dot/2, vy + cos(angle)*angle.dot/2
      T = T + (cx^2 + cy^2)/2 + angle.dot^2/24
      S:constraint("blade " .. i, cy*cos(angle) - cx*hm.sin(angle))
      vx, vy = vx - hm.sin(angle)*angle.dot, vy + cos(angle)*angle.dot
    end
    S:kinetic_energy(T)
    local list = S:multipliers{ simplify = false }
    local text = tostring(list)
    for i = 1, 2 do
      local length = #tostring(list[i])
      assert.equal(length <= 4000, text:find(tostring(list[i]), 1, true) ~= nil)
      if length > 4000 then
        local words = ("(too long to be printed: %d characters; tostring of the entry returns them; S:accelerations{ q =, v = } gives"):format(length)
        assert.truthy(text:find(words, 1, true))
      end
    end
    local long = u + w
    for i = 1, 500 do long = long + hm.sin(i*u)^2 end
    local printed = tostring(require "hamel.base.answer".labelled({ long, u }, { "long", "short" }))
    assert.truthy(printed:find("too long to be printed", 1, true) and printed:find("short  u", 1, true) and #printed < 200)
  end)

  it("of many entries is lines with names, those that are zero left out", function()
    local H = check.offset_sleigh(hm)
    local place, turn = H:symbol "x", H:symbol "theta"
    H:quasi_velocities("u omega", { place.dot*cos(turn) + H:symbol("y").dot*hm.sin(turn), turn.dot })
    local symbols = tostring(H:transposition())
    assert.truthy(symbols:find("gamma^u_omega,u_3  ", 1, true), symbols)
    assert.is_nil(symbols:find("gamma^omega", 1, true))
    assert.truthy(tostring(H:commutation()):find("blade: y by delta x      theta'/cos(theta)^2", 1, true))
    assert.truthy(tostring(H:constraint_variation()):find("delta blade: delta x ", 1, true))
    assert.truthy(tostring(H:christoffel()):find("[theta, theta; x]  ", 1, true))
    local sphere = hm.system "point on a sphere"
    local p, q = sphere:coordinates "p q"
    local f = { hm.sin(p)*cos(q), hm.sin(p)*hm.sin(q), cos(p) }
    sphere:kinetic_energy((f[1].dot^2 + f[2].dot^2 + f[3].dot^2)/2)
    assert.equal("point on a sphere: Christoffel symbols of the mass matrix that are not zero, symmetric in the first two indices\n"
      .. "  [p, q; q]  sin(p)*cos(p)\n  [q, q; p]  -sin(p)*cos(p)", tostring(sphere:christoffel()))
    sphere:constraint("two words", q.dot - cos(p)*p.dot)
    assert.truthy(tostring(sphere:multipliers()):find('lambda["two words"]', 1, true))
    local a = H:accelerations{ q = start.q, v = start.v }
    assert.truthy(tostring(a):find("^sleigh: accelerations and multipliers at t = 0\n  x''"), tostring(a))
    assert.truthy(tostring(a):find("lambda.blade", 1, true))
    assert.equal("Q_x      0\nQ_y      0\nQ_theta  0", tostring(H:generalised_forces()))
    local plane = hm.system "plane"
    local r, s = plane:coordinates "r s"
    plane:kinetic_energy((r.dot^2 + s.dot^2)/2)
    plane:constraint("c", r.dot - r*s.dot)
    assert.equal("c  log(r) - s is constant", tostring(plane:constraint_integrals()))
    assert.equal("plane: all Christoffel symbols are zero, since the mass matrix is constant", tostring(plane:christoffel()))
  end)

  it("without entries is a sentence", function()
    local texts = {}
    for i, name in ipairs{ "events", "impacts", "switches", "accumulations", "notes", "friction" } do texts[i] = tostring(run[name]) end
    assert.same({ "no events", "no impacts", "no switches of contact or friction", "no accumulating impacts", "no notes",
                  "run.friction of sleigh: there are none" }, texts)
    assert.equal(0, #run.impacts)
  end)

  it("says what its lines are", function()
    assert.truthy(tostring(sleigh:multipliers()):find("lambda.blade  ", 1, true))
    local free = tostring(sleigh:free_motion())
    assert.truthy(free:find("sleigh moves without reactions where these vanish:\n  blade  ", 1, true))
    local verdict, terms = sleigh:holonomic()
    assert.is_false(verdict)
    assert.truthy(tostring(terms):find("the constraints of sleigh are not integrable", 1, true))
    assert.truthy(tostring(select(2, swinging:holonomic())):find("are integrable", 1, true))
    assert.truthy(tostring(sleigh:mass_matrix()):find("x  *{m, 0"))
    assert.are.equal("run.q of sleigh, a list over the stored times each: x, y, theta", tostring(run.q))
    assert.are.equal("ball has no constraints, and no multipliers", tostring(bouncing:multipliers()))
  end)

  it("that no class knows how to print says what can be asked of it", function()
    assert.is_nil(tostring(run.observer):find "0x")
    assert.truthy(core.version)
  end)
end)

describe("the library", function()
  it("says what it is when it is printed", function()
    assert.truthy(tostring(hm):find("^the library Hamel %d[%d.]*; hm.help%(%)"))
  end)
end)
