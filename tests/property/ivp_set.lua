-- ivp_set.lua: initial value problems with published end values, by each method that suits them; the numbers are typed in with their source.
local hm, check = require "hamel", require "check"
local sin, cos, sqrt, near = hm.sin, hm.cos, hm.sqrt, check.near

local function done(name, text) print(("  %-26s %s"):format(name, text)) end

-- ---- Pleiades: seven bodies in the plane (Hairer, Norsett, Wanner I; test set for IVP solvers); 16 digits printed
do
  local S = hm.system "Pleiades"
  local names = {}
  for i = 1, 7 do names[i] = "x" .. i end
  for i = 1, 7 do names[7 + i] = "y" .. i end
  local q = table.pack(S:coordinates(table.concat(names, " ")))
  local T, V = hm.number(0), hm.number(0)
  for i = 1, 7 do
    T = T + hm.rational(i, 2)*(q[i].dot^2 + q[7 + i].dot^2)
    for j = i + 1, 7 do V = V - hm.number(i*j)/sqrt((q[i] - q[j])^2 + (q[7 + i] - q[7 + j])^2) end
  end
  S:kinetic_energy(T)
  S:potential_energy(V)
  local at = { 3, 3, -1, -3, 2, -2, 2, 3, -3, 2, 0, 0, -4, 4 }
  local going = { 0, 0, 0, 0, 0, 1.75, -1.5, 0, 0, 0, -1.25, 1, 0, 0 }
  local wanted = { 0.3706139143970502, 3.237284092057233, -3.222559032418324, 0.6597091455775310, 0.3425581707156584, 1.562172101400631,
    -0.7003092922212495, -3.943437585517392, -3.271380973972550, 5.225081843456543, -2.590612434977470, 1.198213693392275,
    -0.2429682344935824, 1.091449240428980 }
  local speeds = { 3.417003806314313, 1.354584501625501, -2.590065597810775, 2.025053734714242, -1.155815100160448, -0.8072988170223021,
    0.5952396354208710, -3.741244961234010, 0.3773459685750630, 0.9386858869551073, 0.3667922227200571, -0.3474046353808490,
    2.344915448180937, -1.947020434263292 }
  local q0, v0 = {}, {}
  for i, name in ipairs(names) do q0[name], v0[name] = at[i], going[i] end
  local worst = {}
  for _, method in ipairs{ "dop853", "rk8pd", "taylor" } do
    local run = S:simulate{ q = q0, v = v0, t = 3, rtol = 1e-13, atol = 1e-13, method = method }
    local s = run:at(3)
    worst[method] = 0
    for i, name in ipairs(names) do
      worst[method] = math.max(worst[method], math.abs(s[name] - wanted[i]), math.abs(s.v[name] - speeds[i]))
    end
    assert(worst[method] < 1e-10, ("Pleiades, %s: off by %.2g"):format(method, worst[method]))
  end
  done("pleiades", ("t = 3 to %.1g (dop853), %.1g (rk8pd), %.1g (taylor) of 1e-10"):format(worst.dop853, worst.rk8pd, worst.taylor))
end

-- ---- Car axis (test set for IVP solvers): a rheonomic and a scleronomic constraint, stiff scaling; the published set is good to 6e-10 in
-- the worst velocity, the converged one was found with 1e-14 by two methods
do
  local S = hm.system "car axis"
  local xl, yl, xr, yr = S:coordinates "xl yl xr yr"
  local k = hm.rational(10, 20000)                                        -- M eps^2/2, M = 10, eps = 1/100
  local yb = sin(10*hm.t)/10
  local xb = sqrt(1 - yb^2)
  local Ll, Lr = sqrt(xl^2 + yl^2), sqrt((xr - xb)^2 + (yr - yb)^2)
  S:kinetic_energy(k/2*(xl.dot^2 + yl.dot^2 + xr.dot^2 + yr.dot^2))
  S:potential_energy((Ll - hm.rational(1, 2))^2/2 + (Lr - hm.rational(1, 2))^2/2 + k*(yl + yr))
  S:constraint("axis", xb*xl + yb*yl)
  S:constraint("length", (xl - xr)^2 + (yl - yr)^2 - 1)
  local wanted = { xl = 0.04934557842752409, yl = 0.4969894602300081, xr = 1.041742524885426, yr = 0.3739110272653658 }
  local speeds = { xl = -0.07705836840359209, yl = 0.007446866592068417, xr = 0.01755681575354173, yr = 0.7703410437796011 }
  local published = { xl = 0.0493455784275402809122, yl = 0.496989460230171153861, xr = 1.04174252488542151681, yr = 0.373911027265361256927 }
  local worst = {}
  for _, method in ipairs{ "dop853", "radau5", "auto" } do
    local tolerance = method == "radau5" and 1e-11 or 1e-13
    local run = S:simulate{ q = { xl = 0, yl = 0.5, xr = 1, yr = 0.5 }, v = { xl = -0.5, yl = 0, xr = -0.5, yr = 0 }, t = 3,
      rtol = tolerance, atol = tolerance, method = method, dense = false }
    local s, off = run:at(3), 0
    for name, value in pairs(wanted) do
      off = math.max(off, math.abs(s[name] - value), math.abs(s.v[name] - speeds[name]))
      near(s[name], published[name], 1e-9)
    end
    worst[method] = off
    assert(off < (method == "radau5" and 1e-8 or 1e-11), ("car axis, %s: off by %.2g"):format(method, off))
    -- the multipliers of the print belong to k q'' = ... + lam1 grad(xb xl + yb yl) + 2 lam2 (...): the second gradient is ours
    near(s.lambda.axis, -0.004736886590853327, 1e-9)
    near(s.lambda.length, -0.001104680331259566, 1e-9)
  end
  done("car-axis", ("t = 3 to %.1g (dop853), %.1g (radau5), %.1g (auto), multipliers to 1e-9"):format(worst.dop853, worst.radau5, worst.auto))
end

-- ---- Slider crank with a spring and a damper (SUNDIALS, idaSlCrank_dns): 5 digits printed, 17 converged
do
  local S = hm.system "slider crank"
  local q, x, p = S:coordinates "q x p"
  local a, J1, J2, m2 = hm.rational(1, 2), 1, 2, 1
  S:kinetic_energy(hm.rational(J1, 2)*q.dot^2 + hm.rational(m2, 2)*x.dot^2 + hm.rational(J2, 2)*p.dot^2)
  local l = sqrt(x^2 - x*(cos(p) + a*cos(q)) + (1 + a^2)/4 + a*cos(p - q)/2)
  local pull = -((l - 1) + hm.dt(l))                                      -- k = c = l0 = 1
  local push = { [q] = 0, [x] = 1, [p] = -sin(p) }
  for coordinate, force in pairs(push) do S:force(coordinate, pull*hm.diff(l, coordinate) + force) end
  S:constraint("slide", x - cos(p) - a*cos(q))
  S:constraint("height", -sin(p) - a*sin(q))
  local run = S:simulate{ q = { q = math.pi/2, x = math.cos(math.asin(0.5)), p = -math.asin(0.5) }, v = { q = 0, x = 0, p = 0 }, t = 10,
    rtol = 1e-12, atol = 1e-12 }
  local published = { [2.5] = { 7.2238e-02, 1.4980, -3.6096e-02 }, [5] = { -1.4300, 0.93903, 0.51790 }, [10] = { 1.2757, 1.0236, -0.49881 } }
  local converged = { [2.5] = { 0.072236105465911817, 1.4980447181497497, -0.036094486807723665 },
    [5] = { -1.4299969676472274, 0.93903061357826623, 0.51789475648988625 }, [10] = { 1.2756758486502394, 1.0235785589798395, -0.49881304918249875 } }
  for t, values in pairs(published) do
    local s = run:at(t)
    for i, name in ipairs{ "q", "x", "p" } do
      near(s[name], values[i], 5e-5)
      near(s[name], converged[t][i], 1e-10)
    end
  end
  done("slider-crank-sundials", "t = 2.5, 5, 10: the print to 5e-5, converged values to 1e-10")
end

-- ---- IFToMM A01: pendulum in Cartesian coordinates; closed form sin(phi/2) = sin(pi/4) sn(K - w t, 1/2), 18 digits
do
  local S = hm.system "pendulum A01"
  local x, y = S:coordinates "x y"
  S:kinetic_energy((x.dot^2 + y.dot^2)/2)
  S:potential_energy(hm.number "9.81"*y)
  S:constraint("rod", x^2 + y^2 - 1)
  local period = 2.3678419475762374493
  local wanted = { [1] = { 0.986291751131875319, -0.165010853125541169 }, [2] = { -0.793566195343321747, -0.608483930443791515 },
    [5] = { -0.942305435043757335, -0.334754338414000581 }, [9.99] = { -0.316436469913032291, -0.948613704575776519 },
    [10] = { -0.27508746257611686, -0.961419205099125064 } }
  for _, method in ipairs{ "dop853", "taylor" } do
    local run = S:simulate{ q = { x = -1, y = 0 }, v = { x = 0, y = 0 }, t = 10, rtol = 1e-13, atol = 1e-13, method = method,
      events = { { name = "level", when = y } } }
    for t, values in pairs(wanted) do
      near(run:at(t).x, values[1], 1e-10)
      near(run:at(t).y, values[2], 1e-10)
    end
  end
  -- the period by an event: at the lowest point it passes every half period
  local run = S:simulate{ q = { x = -1, y = 0 }, v = { x = 0, y = 0 }, t = 10, rtol = 1e-13, atol = 1e-13, events = { { name = "low", when = x } } }
  local found = run.events
  near(found[3].t - found[1].t, period, 1e-10)
  near(found[#found].t - found[1].t, (#found - 1)*period/2, 1e-10)
  near(run.constraint_drift, 0, 1e-12)
  done("iftomm-a01", ("x, y at five times to 1e-10, the period by events, drift %.1g"):format(run.constraint_drift))
end

print "ok"
