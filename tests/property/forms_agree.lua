-- forms_agree.lua: random systems at random admissible states: every applicable form gives the accelerations and reactions of
-- Lagrange's equations with multipliers. Arbiter: the forms themselves, derived from one another by nothing but the system.
local hm, check = require "hamel", require "check"
local forms = require "hamel.forms"

local seed = tonumber(arg and arg[1]) or tonumber(os.getenv "HML_SEED") or os.time()
local systems = check.draws(80)
print(("forms_agree: seed %d, %d systems"):format(seed, systems))
local random = check.generator(seed)
for _ = 1, 10 do random(0, 1) end
local function pick(list) return list[1 + math.floor(random(0, #list*0.999999))] end
local function whole(from, to) return from + math.floor(random(0, (to - from + 1)*0.999999)) end

-- A smooth bounded function of some coordinate and, now and then, of time
local function coefficient(q)
  local x = pick(q)
  local e = pick{ function() return hm.sin(x) end, function() return hm.cos(x)/2 end, function() return x/3 end,
                  function() return x*pick(q)/4 end, function() return hm.sin(x + hm.t)/2 end, function() return hm.rational(whole(-3, 3), 2) end }
  return e()
end

-- Every fourth system has constraints and quasi-velocities that are not linear
local function bent(number) return number % 4 == 1 end

-- A nonlinear part that leaves the constraint solvable for its own velocity: by elimination or, with a cube of that velocity, not so
local function bend(q, m, k, on)
  local j, l = whole(m + 1, #q), whole(m + 1, #q)
  return pick{ function() return coefficient(on)*q[j].dot*q[l].dot end, function() return hm.sqrt(1 + q[j].dot^2)/2 end,
               function() return q[k].dot^3/3 + q[j].dot^2/4 end, function() return hm.sin(q[j].dot + hm.t)/2 end }()
end

-- One for each free velocity: that velocity, a little of the others, a part that moves, and where asked for a cube
local function choose_quasi_velocities(S, q, n, m, on, nonlinear)
  local names, list = {}, {}
  for s = 1, n - m do
    local other = q[whole(1, n)].dot
    local w = q[m + s].dot*(1 + hm.rational(whole(0, 2), 2)) + coefficient(on)*other/8
    if random(0, 1) < 0.4 then w = w + hm.sin(pick(on) + hm.t)/3 end
    if nonlinear and random(0, 1) < 0.5 then w = w + pick{ q[m + s].dot^3/4, q[whole(m + 1, n)].dot^2/8, hm.sinh(q[m + s].dot)/2 } end
    names[s], list[s] = "w" .. s, w
  end
  S:quasi_velocities(table.concat(names, " "), list)
end

local function random_system(number)
  local S = hm.system("random " .. number)
  local n = whole(2, bent(number) and 4 or 6)
  local names = {}
  for i = 1, n do names[i] = "q" .. i end
  local q = { S:coordinates(table.concat(names, " ")) }
  -- every third system is one of Chaplygin's: nothing depends on the coordinates the constraints are solved for
  local m = math.min(whole(1, 3), n - 1)
  local on = number % 3 == 0 and table.move(q, m + 1, n, 1, {}) or q
  -- a diagonally dominant mass matrix, gyroscopic terms, a part without velocities
  local T = hm.number(0)
  for i = 1, n do
    T = T + (2 + hm.sin(pick(on))/3 + hm.rational(whole(0, 4), 2))*q[i].dot^2/2
    if i > 1 and random(0, 1) < 0.5 then T = T + hm.cos(pick(on))/4*q[i].dot*q[i - 1].dot end
    if random(0, 1) < 0.25 then T = T + coefficient(on)*q[i].dot end
  end
  if random(0, 1) < 0.3 then T = T + hm.sin(pick(on) + hm.t)/5 end
  S:kinetic_energy(T)
  if random(0, 1) < 0.7 then S:potential_energy(pick(on)^2/2 + hm.cos(pick(on))) end
  for i = 1, n do if random(0, 1) < 0.4 then S:force(q[i], coefficient(on)*pick(q).dot + coefficient(on)) end end
  -- constraints solved for the first coordinates, plus couplings to all the others; acatastatic and rheonomic ones among them
  for k = 1, m do
    local f = (1 + hm.rational(whole(0, 2), 2))*q[k].dot
    for j = m + 1, n do if random(0, 1) < 0.7 then f = f + coefficient(on)*q[j].dot end end
    if k > 1 and random(0, 1) < 0.4 then f = f + hm.sin(pick(on))/4*q[k - 1].dot end
    if random(0, 1) < 0.4 then f = f + pick{ hm.sin(hm.t), pick(on)/2, hm.rational(1, 3), coefficient(on) } end
    if bent(number) and random(0, 1) < 0.7 then f = f + bend(q, m, k, on) end
    S:constraint("c" .. k, f)
  end
  if number % 2 == 1 then choose_quasi_velocities(S, q, n, m, on, bent(number)) end
  return S, n, m
end

-- Forms that describe the same motion; those of bodies are compared in coordinates_spec.lua
local names = {}
for name, form in pairs(forms) do
  if not form.another_motion and not form.takes.mapping and not form.takes.wall and not form.takes.bodies then names[#names + 1] = name end
end
table.sort(names)

local compared, used = 0, {}
for number = 1, systems do
  local S, n, m = random_system(number)
  local q, v, dependent = {}, {}, {}
  for i = 1, n do
    q["q" .. i] = random(-1, 1)
    if i > m then v["q" .. i] = random(-1, 1) else dependent[i] = "q" .. i end
  end
  local t = random(0, 1)
  local want = S:accelerations{ q = q, v = v, t = t }
  for _, form in ipairs(names) do
    local explicit = random(0, 1) < 0.5 and forms[form].options and dependent or nil
    local fine, got = pcall(S.accelerations, S, { q = q, v = v, t = t, form = form, dependent = explicit })
    if not fine then
      -- the forms with conditions of their own
      local words = { chaplygin = { "no Chaplygin system", "is not linear in any velocity" }, voronets = { "is not linear in any velocity" },
                      canonical = { "linear in the velocities: random" } }
      local expected = false
      for _, reason in ipairs(words[form] or {}) do expected = expected or (tostring(got):find(reason, 1, true) and (bent(number) or form == "chaplygin")) end
      assert(expected, ("seed %d, system %d, %s: %s"):format(seed, number, form, got))
    else
      used[form] = (used[form] or 0) + 1
      for name, a in pairs(want.a) do check.near(got.a[name], a, 1e-9, ("seed %d, system %d, %s, %s''"):format(seed, number, form, name)) end
      for name, l in pairs(want.lambda) do
        check.near(got.lambda[name], l, 1e-9, ("seed %d, system %d, %s, lambda %s"):format(seed, number, form, name))
      end
      compared = compared + 1
    end
  end
end
for _, form in ipairs(names) do print(("  %-10s %d systems"):format(form, used[form] or 0)) end
assert(compared >= systems*(#names - 2))
