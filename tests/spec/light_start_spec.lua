-- light_start_spec.lua: a plain start reads only what every script needs; methods whose files are not read yet are known all the same.
local hm = require "hamel"
local check = require "check"

-- What a new program with these lines prints
local function fresh(lines)
  local _, text = check.script('local hm = require "hamel"\n' .. lines)
  return text
end

describe("a plain start", function()
  it("reads no forms, no runs and no pages of help", function()
    local text = fresh [[for name in pairs(package.loaded) do io.write(name, "\n") end]]
    assert.truthy(text:find("hamel.system\n", 1, true), text)
    for _, name in ipairs{ "hamel.forms", "hamel.run.simulate", "hamel.run.archive", "hamel.bodies.joint", "hamel.bodies.rolling", "hamel.book.concepts",
                           "hamel.book.help", "hamel.bodies.frame", "hamel.system.contact", "hamel.run.measures", "hamel.run.trajectory", "hamel.model.compile",
                           "hamel.equations", "hamel.algebra.matrix", "hamel.algebra.data", "hamel.algebra.unit_quaternion" } do
      assert.falsy(text:find(name .. "\n", 1, true), name .. " is read")
    end
  end)

  it("knows what it has not read", function()
    assert.equal("S has equations\n", fresh [[
      local S = hm.system "s"
      local names = {}
      for _, name in ipairs(debug.getmetatable(S).__names(S)) do names[name] = true end
      for _, name in ipairs{ "simulate", "equations", "joint", "rolls", "rotation", "transposition", "frame", "origin", "body", "unilateral",
                            "degrees_of_freedom", "lambda", "quasi_velocities" } do
        assert(names[name], name)
      end
      print("S has " .. "equations")]])
    assert.truthy(fresh [[print(select(2, pcall(function() return hm.system "s".simulat end)))]]:find("did you mean 'simulate'", 1, true))
    assert.truthy(fresh [[print(hm.help "joint")]]:find("revolute", 1, true))
    assert.truthy(fresh [[print(hm.help(hm.highest))]]:find("highest value of an expression", 1, true))
    assert.truthy(fresh [[print(hm.help "hm.form")]]:find("formalism of your own", 1, true))
  end)

  it("gives a run that is loaded first thing all fields of a run", function()
    local path = os.tmpname() .. ".hamel"
    local S = hm.system "s"
    local x = S:coordinates "x"
    S:kinetic_energy(x.dot^2/2)
    S:simulate{ q = { x = 0 }, v = { x = 1 }, t = 2 }:save(path)
    assert.equal("0 impacts, 0 notes, drift 0.0\n", fresh(([[
      local S = hm.system "s"
      local x = S:coordinates "x"
      S:kinetic_energy(x.dot^2/2)
      local run = hm.load(%q, S)
      print(("%%d impacts, %%d notes, drift %%s"):format(#run.impacts, #run.notes, run.energy_drift))]]):format(path)))
    os.remove(path)
  end)

  it("refuses surplus arguments of functions that read their file later", function()
    check.raises({ "hm.form", "one" }, hm.form, { name = "lagrange", title = "t", derive = print }, 2)
    assert.truthy(fresh [[print(select(2, pcall(hm.highest, "x", 2)))]]:find("hm.highest(e) takes one argument; argument 2 is 2", 1, true))
    assert.truthy(fresh [[print(select(2, pcall(hm.matrix, { { 1, nil, 3 } })))]]:find("hm.matrix", 1, true))
  end)

  it("saves and loads a run, declares a form and joins bodies first thing", function()
    assert.equal("2.0\n", fresh [[
      local S = hm.system "s"
      local x = S:coordinates "x"
      S:kinetic_energy(x.dot^2/2)
      local path = os.tmpname() .. ".hamel"
      S:simulate{ q = { x = 0 }, v = { x = 1 }, t = 2 }:save(path)
      print(hm.load(path, S):at(2).x)
      os.remove(path)]])
    -- after another study has read the file of runs
    assert.equal("1.0\n", fresh [[
      local S = hm.system "s"
      local x = S:coordinates "x"
      S:kinetic_energy(x.dot^2/2)
      local path = os.tmpname() .. ".hamel"
      local o = { q = { x = 0 }, v = { x = 1 }, t = 1, checkpoint = path }
      S:reference{ q = o.q, v = o.v, t = 1, prove = false }
      print(S:simulate(o):at(1).x)
      os.remove(path)]])
    local taken = fresh [[print(select(2, pcall(hm.form, { name = "lagrange", title = "t", derive = print })))]]
    assert.truthy(taken:find("there is a form 'lagrange' already", 1, true), taken)
    assert.truthy(fresh [[print(select(2, pcall(hm.last_run)))]]:find("no run was begun yet", 1, true))
    assert.equal("true\n", fresh [[
      local S = hm.system "s"
      local N = S:frame()
      print(N:plane() ~= nil)]])
  end)
end)
