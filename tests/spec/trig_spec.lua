-- trigonometric forms on request: e:trig
local check, hm = require "check", require "hamel"
local sin, cos, tan = hm.sin, hm.cos, hm.tan
local core = require "hamel.core"
local a, b, x = hm.symbols "a b x"

-- Random polynomials and quotients of sines and cosines
local state = 17
local function random(n)
  state = (state*1103515245 + 12345) % 2147483648
  return state//65536 % n + 1
end
local function atom()
  local angles = { a, b, a + b, 2*a, a/2 }
  local angle = angles[random(#angles)]
  return ({ sin, cos, sin, cos, function() return x end, function(e) return sin(e)/cos(e) end })[random(6)](angle)
end
local function expression(depth)
  local e = atom()
  for _ = 1, depth do
    local other = random(3) == 1 and atom() + random(5) or atom()
    e = ({ function() return e*other end, function() return e + other end, function() return e^2*other end, function() return e - 2*other*atom() end,
           function() return e/(2 + other^2) end })[random(5)]()
  end
  return e
end

-- Is there a product of two sines or cosines above the line?
local function has_products(e, same)
  local kind, list = core.kind(e), core.operands(e)
  local function circular(f) return core.kind(f) == "call" and (core.name(f) == "sin" or core.name(f) == "cos") end
  local function divides(f) return core.kind(f) == "power" and core.number_value(list[2]) and core.number_value(list[2]) < 0 end
  if kind == "power" and not divides(e) and circular(list[1]) then return true end
  local met = {}
  for _, f in ipairs(kind == "product" and list or {}) do
    local key = circular(f) and (same and core.operands(f)[1] or "one")
    if key and met[key] then return true end
    if key then met[key] = true end
  end
  for _, f in ipairs(list) do if has_products(f, same) then return true end end
  return false
end

describe("e:trig", function()
  it("has the forms of the tables", function()
    for _, row in ipairs{
      { sin(a)*cos(b), "sum", "sin(a + b)/2 + sin(a - b)/2" }, { sin(a)*sin(b), "sum", "cos(a - b)/2 - cos(a + b)/2" },
      { sin(a)*cos(b), "double", "sin(a)*cos(b)" }, { sin(a)*cos(a), "double", "sin(2*a)/2" }, { sin(a)^2, "double", "1/2 - cos(2*a)/2" },
      { x*(cos(a)^2 - sin(a)^2), "double", "x*cos(2*a)" }, { 4*cos(a)^3, "double", "3*cos(a) + cos(3*a)" },
      { sin(a)*cos(a)*sin(b)*cos(b), "double", "sin(2*a)*sin(2*b)/4" }, { 1/(1 + sin(a)*cos(a)), "double", "1/(sin(2*a)/2 + 1)" },
      { sin(a)/cos(a), "tan", "tan(a)" }, { x*sin(a)^2/cos(a) + cos(a), "tan", "x*sin(a)*tan(a) + cos(a)" }, { sin(a)*x, "tan", "x*sin(a)" },
      { (sin(a) + cos(a))/(cos(a) - sin(a)), "tan", "(tan(a) + 1)/(1 - tan(a))" },
      { (sin(a) + cos(a))/(cos(a) - sin(a)), "sum", "(sin(a) + cos(a))/(cos(a) - sin(a))" },
      { x*(cos(a)^2 - sin(a)^2), "tan", "x*(cos(a)^2 - sin(a)^2)" },
    } do assert.are.equal(row[3], tostring((row[1]:trig(row[2]))), tostring(row[1])) end
  end)

  -- arbiter: exact algebra, and values
  it("gives equal expressions without products, or with tangents", function()
    local proved, shorter = 0, 0
    for _ = 1, 60 do
      local e = expression(random(4))
      for _, form in ipairs{ "sum", "double", "tan" } do
        local f, reason = e:trig(form)
        if not reason then
          proved = proved + 1
          assert.is_true((e - f):is_zero(), tostring(e))
          for _, at in ipairs{ { 0.7, 0.4 }, { -1.1, 2.3 } } do
            local point = { [a] = at[1], [b] = at[2], [x] = 1.7 }
            check.near(f:eval(point), e:eval(point), 1e-10*(1 + math.abs(e:eval(point))))
          end
          if form == "sum" then assert.is_false(has_products(f), tostring(f)) end
          if form == "double" then assert.is_false(has_products(f, true), tostring(f)) end
          if form == "tan" and f ~= e then
            shorter = shorter + 1
            assert.is_truthy(tostring(f):find("tan(", 1, true))
            assert.is_true(core.tree_size(f) < core.tree_size(e))
          end
        end
      end
    end
    assert.is_true(proved > 150 and shorter > 5, ("%d proved, %d with tangents"):format(proved, shorter))
  end)

  it("refuses other words", function()
    check.raises({ "there is no form 'sums'", "did you mean 'sum'", "double" }, x.trig, x, "sums")
    check.raises({ "name of a form", "'tan'" }, x.trig, x)
  end)

  it("reaches inside of other functions and leaves them", function()
    assert.are.equal("exp(sin(2*a)/2)", tostring(hm.exp(sin(a)*cos(a)):trig "double"))
    assert.are.equal("exp(tan(a))", tostring(hm.exp(sin(a)/cos(a)):trig "tan"))
    assert.are.equal("sqrt(x)*tan(a)^2", tostring((tan(a)^2*hm.sqrt(x)):trig "tan"))
  end)
end)
