-- session.lua: a session in steps. A step that lacks memory says so and is taken again: its result is then what it is without failures.
local hm = require "hamel"

local steps = {}
local function step(f) steps[#steps + 1] = f end

local function system()
  local S = hm.system "bead"
  local x, y, th = S:coordinates "x y theta"
  local m, g, L, J = S:positive "m=2 g=9.81 L=1 J=1/3"
  S:kinetic_energy(m*(x.dot^2 + y.dot^2)/2 + J*th.dot^2/2)
  S:potential_energy(m*g*y)
  S:constraint("rod", x^2 + y^2 - L^2)
  S:constraint("blade", x.dot*hm.sin(th) - y.dot*hm.cos(th))
  return S, x, y, th
end

step(function()
  local S = system()
  return tostring(S:equations())
end)
step(function()
  local a, b, x, y = hm.symbols "a b x y"
  local e = (hm.sin(x + y)^2*a + hm.cos(x + y)^2*a)/(b^2 - a^2)*(a + b)
  local big = ((x/3 + hm.number "12345678901234567891")^9/7 - y^12):expand()
  return table.concat({tostring(e:simplify()), tostring(big), big:latex(), tostring((big - big*(x + 1)/(1 + x)):is_zero()),
    tostring((x^12 - y^12):simplify "factored"), tostring((hm.sqrt(x^2 + 2*x*y + y^2)*hm.number("1e40")):simplify())}, "\n")
end)
step(function()
  local a, b, c, d = hm.symbols "a b c d"
  local M = hm.matrix{{a, b, 1}, {c, d, a}, {1, a*b, hm.number("7/3")^40}}
  return ("%s\n%s"):format(M:determinant(), hm.solve({a*c + b*d - 1, a*d - b*c - hm.number "1e30"}, {c, d})[1])
end)
step(function()
  local S = hm.system "pendulum"
  local q = S:coordinates "q"
  local m, g, l = S:positive "m=1 g=9.81 l=1"
  S:kinetic_energy(m*l^2*q.dot^2/2)
  S:potential_energy(-m*g*l*hm.cos(q))
  local run = S:simulate{q = {q = 1}, v = {q = 0}, t = 2}
  local sweep = S:sweep{over = {{"l", {0.5, 1, 2}}}, q = {q = 1}, v = {q = 0}, t = 1, keep = {"q"}}
  -- rows that fail stay in the table, with the reason
  for _, row in ipairs(sweep) do
    if row.status ~= "OK" then error(row.status == "MEMORY" and "not enough memory" or row.reason, 0) end
  end
  if run.status ~= "OK" then error(run.status == "MEMORY" and "not enough memory" or run.reason, 0) end
  local _, angles, energies = run:series("q", "energy", { n = 4 })
  return ("%.9g %.9g %s %.9g %.9g"):format(run:at(2).q.q, run:at(1).v.q, run.status, angles[3], energies[4])
    .. (" %.9g %.9g"):format(sweep[1].q, sweep[3].q)
end)

step(function()
  local S = hm.system "ball"
  local x, y = S:coordinates "x y"
  S:kinetic_energy((x.dot^2 + y.dot^2)/2)
  S:force(y, -10)
  S:unilateral("floor", y, {law = hm.newton(0.5)})
  S:friction("rub", {slip = x.dot, normal = "floor", coefficient = 0.3})
  local sweep = S:sweep{over = {{"v.x", {-1, 0, 2}}}, q = {x = 0, y = 1}, v = {y = 0}, times = {1, 2}, threads = 2, keep = {"x", N = "lambda.floor"}}
  for _, row in ipairs(sweep) do
    if row.status ~= "OK" then error(row.status == "MEMORY" and "not enough memory" or row.reason, 0) end
  end
  return ("%.9g %.9g %d"):format(sweep[1].x, sweep[3].series[1].N, sweep[3].impacts)
end)

-- The values at the end of a run that reached it
local function ended(run, ...)
  if run.status ~= "OK" then error(run.status == "MEMORY" and "not enough memory" or run.reason, 0) end
  local values = table.pack(run:at(run[#run].t, ...))
  for i = 1, values.n do values[i] = ("%.9g"):format(values[i]) end
  return table.concat(values, " ")
end

local function ball(law)
  local S = hm.system "ball"
  local x, y = S:coordinates "x y"
  local m, g = S:positive "m=1 g=9.81"
  S:kinetic_energy(m*(x.dot^2 + y.dot^2)/2)
  S:potential_energy(m*g*y)
  S:unilateral("floor", y, { law = law })
  S:friction("rub", { slip = x.dot, normal = "floor", coefficient = 0.3 })
  return S
end

step(function()
  local start = { x = 0, y = 0.2 }
  return ended(ball(hm.moreau(0.5)):simulate{ method = "moreau", step = 5e-4, q = start, v = { x = 1, y = 0 }, t = 0.6 }, "x", "y", "x'") .. "\n"
    .. ended(ball(hm.newton(0.5)):simulate{ q = start, v = { x = 1, y = 0 }, t = 0.6 }, "x", "y", "x'")
end)
-- stiff: "auto" changes its method on the way
step(function()
  local S = hm.system "van der Pol"
  local x = S:coordinates "x"
  S:kinetic_energy(x.dot^2/2)
  S:potential_energy(x^2/2)
  S:force(x, 100*(1 - x^2)*x.dot)
  return ended(S:simulate{ method = "auto", rtol = 1e-6, atol = 1e-6, q = { x = 2 }, v = { x = 0 }, t = 20 }, "x", "x'")
end)

step(function()
  local x, y = hm.symbols "x y"
  local p = hm.exp(y)
  local function root(n) return hm.sqrt(hm.number(n)) end
  local long = hm.number "123456789012345678901234567891"
  local atan = hm.atan2(y, x) - 2*hm.atan(y/(x + hm.sqrt(x^2 + y^2)))
  local list = {
    hm.log(p^2*x^2) - 2*hm.log(p) - 2*hm.log(hm.abs(x)), hm.cos(hm.number "1/5"*hm.pi) - (1 + root(5))/4, atan,
    hm.sqrt(6*long) - hm.sqrt(2*long)*root(3), hm.sqrt(5 + 2*root(6)) - root(2) - root(3), hm.cosh(hm.log(p)) - (p + 1/p)/2,
    hm.exp(hm.log(p)*3) - p^3, hm.sin(2*hm.asin(x)) - 2*x*hm.sqrt(1 - x^2), hm.max(x, y) - (x + y + hm.abs(x - y))/2 }
  for i, e in ipairs(list) do list[i] = tostring(e) .. " " .. tostring(e:is_zero()) .. " " .. tostring(e:simplify()) end
  list[#list + 1] = tostring(hm.sqrt(long^3*12)) .. " " .. tostring(hm.min(long/7, long/8)) .. " " .. tostring((8*long^3)^hm.number "1/3")
  return table.concat(list, "\n")
end)

-- integrals and densities: values modulo primes
step(function()
  local S = hm.system "particle"
  local x, y, z = S:coordinates "x y z"
  local m = S:positive "m=1234567.890123"
  S:kinetic_energy((m*x.dot^2 + y.dot^2 + z.dot^2)/2)
  S:constraint("c", z.dot - y*x.dot)
  local C = S:conserved{ power = 1, degree = 1, parameters = "declared" }
  return ("%s\n%s %s"):format(C, S:invariant_measure(), C:contains(x.dot*hm.sqrt(m + y^2)))
end)

step(function()
  local x, y, z = hm.symbols "x y z"
  local p = hm.positive "p"
  local list = { (hm.sin(x)/x):series(x, 3), hm.log(p + x):series(x, 2), (hm.sqrt(x - y)*hm.log(p*x)/hm.tan(x)):domain(),
                 hm.agree(hm.log(x^2), 2*hm.log(x)), hm.agree(hm.sqrt(x)*hm.sqrt(y), hm.sqrt(x*y)), hm.exp(-1/x^2):eval{ x = 0.25 },
                 hm.where(x:gt(0), x^2, -x):simplify(), (x^4 - y^4):factor(), hm.sin(x + y):trig "sum", hm.solve({ p*z + y - 1, z - y }, { z, y })[1] }
  for i, e in ipairs(list) do list[i] = tostring(e) end
  local function particle(name, f)
    local S = hm.system(name)
    local u, w = S:coordinates "u w"
    S:kinetic_energy((u.dot^2 + w.dot^2)/2)
    S:constraint("f", f(u, w))
    return S
  end
  local A, B = particle("A", function(u, w) return u^2 + w^2 - 4 end), particle("B", function(u, w) return u*u.dot + w*w.dot end)
  list[#list + 1] = tostring(hm.agree(A:equations(), B:equations()))
  return table.concat(list, "\n")
end)

-- from the energies alone; the implicit method has the equations made on demand
step(function()
  local S, names, q, v = hm.system "chain", {}, {}, {}
  for i = 1, 16 do names[i] = "q" .. i end
  local angles = { S:coordinates(table.concat(names, " ")) }
  local vx, vy, y, T, V = hm.number(0), hm.number(0), hm.number(0), hm.number(0), hm.number(0)
  for i, a in ipairs(angles) do
    vx, vy, y = vx + hm.cos(a)*a.dot, vy + hm.sin(a)*a.dot, y - hm.cos(a)
    T, V = T + (vx^2 + vy^2)/2, V + 9*y
    q[names[i]], v[names[i]] = i/10, 0
  end
  S:kinetic_energy(T)
  S:potential_energy(V)
  local run = S:simulate{ q = q, v = v, t = 1e-3, method = "radau5" }
  return ("%s %.17g %.17g"):format(run.model:by_graph(), run[#run].v.q3, run[#run].energy)
end)

for i, f in ipairs(steps) do
  local fine, message = pcall(f)
  if not fine then
    assert(tostring(message):find "not enough memory", message)
    io.stderr:write("step ", i, ": not enough memory\n")
    fine, message = pcall(f)
    assert(fine, message)
  end
  print(message)
end
