-- abbreviate.lua: long equations with names for the parts that they share
local hm = require "hamel"
local mechanics = require "mechanics"
local core, abbreviate = require "hamel.core", require "hamel.equations.abbreviate"

local function chain(name, names)
  local S = hm.system(name)
  local q = { S:coordinates(names) }
  local m, l = S:positive "m l"
  local x, y, T = 0, 0, 0
  for i = 1, #q do
    x, y = x + l*hm.sin(q[i]), y - l*hm.cos(q[i])
    T = T + m/2*(hm.dt(x)^2 + hm.dt(y)^2)
  end
  S:kinetic_energy(T)
  S:constraint("edge", hm.dt(x)*hm.sin(q[1]) - hm.dt(y)*hm.cos(q[1]))
  return S
end

describe("abbreviated equations", function()
  local S = chain("chain", "q1 q2 q3")
  local E = S:equations "hamel"

  it("are the same equations when the parts are put back", function()
    local rows = {}
    for i, row in ipairs(E.rows) do rows[i] = { name = row.name, of = "equation", left = row.left, right = row.right } end
    local short, parts, before, after = abbreviate.rows(S, rows)
    assert.is_true(#parts > 3 and after < before/2)
    for i, row in ipairs(short) do
      for _, side in ipairs{ "left", "right" } do
        local e = row[side]
        for k = #parts, 1, -1 do e = core.substitute(e, { parts[k].symbol }, { parts[k].value }) end
        assert.is_true((e - rows[i][side]):is_zero())
      end
    end
    -- a part is made of earlier ones
    local seen = {}
    for _, part in ipairs(parts) do
      for _, s in ipairs(core.symbols{ part.value }) do
        for _, other in ipairs(parts) do if other.symbol == s then assert.is_true(seen[s] or false) end end
      end
      seen[part.symbol] = true
    end
  end)

  it("say how long they are with and without the names", function()
    local text = E:text{ abbreviate = true, seconds = 0.1 }
    local after, before = text:match "%((%d+) characters; (%d+) without the names%)"
    assert.is_true(tonumber(after) < tonumber(before))
    assert.truthy(text:find "\n  where      D1 = ")
    assert.is_nil(E:text():find("where", 1, true))
    local tex = E:latex{ abbreviate = true, width = 30, number = "eq:chain" }
    assert.truthy(tex:find("\\label{eq:chain:D1}", 1, true))
    assert.truthy(tex:find(("^%%%% %s characters; %s without the names\n\\begin"):format(after, before)), tex:sub(1, 80))
    local whole = E:latex()
    assert.equal(#whole > 4000, whole:find "^%% %d+ characters; E:latex{ abbreviate = true }" ~= nil)
    assert.is_true(#whole > 4000)
  end)

  -- cart with two pendulums: short forms multiply the fractions of the canonical equations out
  local function cart(n)
    local C = hm.system "cart"
    local x, a, b, c = C:coordinates "x a b c"
    local m, l, g = C:positive "m l g"
    local T, px, py, V = m*x.dot^2, x, 0, 0
    for _, angle in ipairs(table.move({ a, b, c }, 1, n, 1, {})) do
      px, py = px + l*hm.sin(angle), py - l*hm.cos(angle)
      T, V = T + m/2*(px.dot^2 + py.dot^2), V + m*g*py
    end
    for i = n + 1, 3 do T = T + ({ a, b, c })[i].dot^2 end
    C:kinetic_energy(T)
    C:potential_energy(V)
    return C:equations "canonical"
  end

  it("are as short as the rows that were derived allow, and the same equations", function()
    local D = cart(2)
    local text = D:text()
    local before, after = text:match "\n  long: (%d+) characters; E:text{ abbreviate = true }, with names for the parts of the rows, has (%d+)"
    assert.is_true(before and tonumber(after) < tonumber(before)/3, text:sub(-200))
    local short = D:text{ abbreviate = true }
    assert.truthy(short:find(("(%s characters; %s without the names)"):format(after, before), 1, true))
    assert.is_nil(short:find("sin(a)^2 + ", 1, true), "the squares of sine and cosine make 1")
    -- each row of the text, its names put back, is the row that was derived
    local q, names, values = D.system:coordinate_list(), {}, {}
    local known = table.move(D.dyn, 1, #D.dyn, #q + 1, q)
    for _, parameter in pairs(D.system._parameter) do known[#known + 1] = parameter end
    local function read(words) return core.substitute(hm.parse(words, known), names, values) end
    for name, words in short:gmatch "\n %s+w?h?e?r?e? +(D%d+) = ([^\n]+)" do
      values[#values + 1] = read(words)
      names[#values] = core.symbol(name, 0)
      known[#known + 1] = names[#values]
    end
    assert.is_true(#values > 3)
    for i, name in ipairs{ "p1", "p2", "p3" } do
      local right = short:match("\n  " .. name .. ":%s+" .. name .. "' = ([^\n]+)")
      assert.is_true((read(right) - D.rows[i].right):is_zero(), name)
    end
  end)

  it("replace rows that are too long to be printed", function()
    local text = cart(3):text()
    assert.truthy(text:find "^cart: [^\n]*%(%d+ characters; E:text{ whole = true } has %d+%)\n")
    assert.truthy(text:find("\n  where      D1 = ", 1, true))
    assert.is_true(#text < 8000)
  end)

  it("have names that the system does not have, and none where nothing is gained", function()
    local other = chain("other", "q1 q2 D1"):equations "hamel"
    assert.truthy(other:text{ abbreviate = true, seconds = 0.1 }:find "\n  where      U1 = ")
    local P = mechanics.body("point", "x")
    assert.truthy(P:equations():text{ abbreviate = true }:find("no part is worth a name", 1, true))
  end)
end)
