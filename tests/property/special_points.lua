-- special_points.lua: Hopf points and pitchforks of random systems: each is found, none besides, and between them the print says stable where it is.
-- Modes u'' = d(p) u' - w^2 u - u^2 u' and u'' = s(p) u - u' - u^3 in coordinates turned at random; d and s are polynomials with given roots, also close
-- ones, shared ones and pairs within a step. Beside a driven coordinate the Hopf points are torus points. Arbiter: the roots, and the signs of the
-- polynomials.
local hm, check = require "hamel", require "check"

local seed = tonumber(arg and arg[1]) or tonumber(os.getenv "HML_SEED") or os.time()
local count = check.draws(40)
print(("special_points: seed %d, %d systems"):format(seed, count))
local random = check.generator(seed)
for _ = 1, 10 do random(0, 1) end
local function whole(from, to) return from + math.floor(random(0, (to - from + 1)*0.999999)) end

local function number(value) return hm.number(("%.17g"):format(value)) end

local GAPS = { 0.3, 0.05, 0.01, 1e-3, 1e-4 }

-- Roots of the polynomial of a mode; some are close to each other, some are those of another mode. least: distance of the roots of one mode
local function roots_of(others, least)
  local roots = {}
  for _ = 1, whole(0, 3) do
    local root = random(-0.95, 0.95)
    if #roots > 0 and random(0, 1) < 0.5 then root = roots[#roots] + GAPS[whole(1, #GAPS)]*random(0.5, 1) end
    if #others > 0 and random(0, 1) < 0.3 then
      local other = others[whole(1, #others)]
      root = other + (random(0, 1) < 0.5 and 0 or 10.0^-whole(3, 9))
    end
    if math.abs(root) < 0.97 then roots[#roots + 1] = root end
  end
  table.sort(roots)
  for i = #roots, 2, -1 do if roots[i] - roots[i - 1] < least then table.remove(roots, i) end end
  return roots
end

local function value_of(mode, p)
  local product = mode.factor
  for _, root in ipairs(mode.roots) do product = product*(p - root) end
  return product
end

-- A random system: its modes, and the system in turned coordinates
local function drawn(driven)
  local n, modes, others = whole(1, driven and 2 or 3), {}, {}
  for k = 1, n do
    local mode = { kind = random(0, 1) < 0.75 and "hopf" or "branch", factor = (random(0, 1) < 0.5 and -1 or 1)*random(0.3, 1.5),
                   roots = roots_of(others, driven and 2e-3 or 4e-5), w = 1 + 0.7*k + random(0, 0.5) }
    modes[k] = mode
    table.move(mode.roots, 1, #mode.roots, #others + 1, others)
  end
  local S, x, R = hm.system "modes", {}, {}
  local p = S:parameters "p=-1"
  local energy = 0
  for k = 1, n do
    x[k] = S:coordinates("x" .. k)
    energy = energy + x[k].dot^2/2
    R[k] = {}
    for j = 1, n do R[k][j] = k == j and 1 or 0 end
  end
  if driven then
    local z = S:coordinates "z"
    energy = energy + z.dot^2/2
    S:force(z, hm.cos(hm.t) - z.dot - z)
  end
  S:kinetic_energy(energy)
  for a = 1, n - 1 do
    for b = a + 1, n do
      local angle = random(-3, 3)
      local c, s = math.cos(angle), math.sin(angle)
      for j = 1, n do R[a][j], R[b][j] = c*R[a][j] - s*R[b][j], s*R[a][j] + c*R[b][j] end
    end
  end
  local forces = {}
  for j = 1, n do forces[j] = 0 end
  for k, mode in ipairs(modes) do
    local u, polynomial = 0, number(mode.factor)
    for j = 1, n do u = u + number(R[k][j])*x[j] end
    for _, root in ipairs(mode.roots) do polynomial = polynomial*(p - number(root)) end
    local force
    if mode.kind == "hopf" then
      local dot = 0
      for j = 1, n do dot = dot + number(R[k][j])*x[j].dot end
      force = polynomial*dot - number(mode.w)^2*u - u^2*dot
    else
      local dot = 0
      for j = 1, n do dot = dot + number(R[k][j])*x[j].dot end
      force = polynomial*u - dot - u^3
    end
    for j = 1, n do forces[j] = forces[j] + number(R[k][j])*force end
  end
  local rest = {}
  for j = 1, n do
    S:force(x[j], forces[j])
    rest["x" .. j] = 0
  end
  return S, modes, rest
end

-- Every root is a special point of its kind, and every special point a root
local function compare(B, modes, driven, what)
  local wanted = {}
  for _, mode in ipairs(modes) do
    local kind, w = mode.kind, mode.w
    -- the angle of a multiplier, over the period of the drive
    if driven and kind == "hopf" then kind, w = "torus", math.abs((w + 0.5) % 1 - 0.5) end
    for _, root in ipairs(mode.roots) do wanted[#wanted + 1] = { kind = kind, value = root, w = w } end
  end
  local function fits(special, item)
    local near = math.abs(special.value - item.value) <= (driven and 1e-7 or 1e-9) + (special.accuracy or 0) + (special.apart or 0)
    return near and special.kind == item.kind and (item.kind == "branch" or math.abs(special.frequency - item.w) < 1e-6)
  end
  for _, item in ipairs(wanted) do
    local found = false
    for _, special in ipairs(B.special) do found = found or fits(special, item) end
    if not found then error(("%s: the %s at p = %.12g is missing:\n%s"):format(what, item.kind, item.value, tostring(B))) end
  end
  local counts = 0
  for i, special in ipairs(B.special) do
    local found = false
    for _, item in ipairs(wanted) do found = found or fits(special, item) end
    if not found then error(("%s: the %s at p = %.12g is none:\n%s"):format(what, special.kind, special.value, tostring(B))) end
    assert(not special.doubtful and (i == 1 or special.value >= B.special[i - 1].value), what)
    -- real eigenvalues that pass together share a row
    counts = counts + (special.kind == "branch" and special.several or 1)
  end
  if counts > #wanted then error(("%s: %d special points for %d roots:\n%s"):format(what, #B.special, #wanted, tostring(B))) end
end

local asked, undecided = 0, 0

-- Between the roots the print is right
local function compare_spans(B, modes, what)
  local roots = { -1.0, 1.0 }
  for _, mode in ipairs(modes) do table.move(mode.roots, 1, #mode.roots, #roots + 1, roots) end
  table.sort(roots)
  local spans = {}
  for word, from, to in tostring(B):gmatch "\n  (%a[%a ]-) for p in %(([^,]+), ([^)]+)%)" do
    spans[#spans + 1] = { word = word, from = tonumber(from), to = tonumber(to) }
  end
  for k = 2, #roots do
    local p = (roots[k - 1] + roots[k])/2
    local apart = false
    for _, special in ipairs(B.special) do apart = apart or math.abs(special.value - p) <= (special.apart or 0) end
    -- six digits are printed
    if not apart and roots[k] - roots[k - 1] > 1e-5 then
      local most = -math.huge
      for _, mode in ipairs(modes) do most = math.max(most, value_of(mode, p)) end
      local word
      for _, span in ipairs(spans) do if span.from < p and p < span.to then word = span.word end end
      local right = most > 0 and "unstable" or "stable"
      asked = asked + 1
      if word == "not decided" then
        undecided = undecided + 1
      elseif word ~= right then
        error(("%s: at p = %.12g the motion is %s, not %s:\n%s"):format(what, p, right, word, tostring(B)))
      end
    end
  end
end

local function in_words(modes)
  local list = {}
  for k, mode in ipairs(modes) do
    local roots = {}
    for i, root in ipairs(mode.roots) do roots[i] = ("%.12g"):format(root) end
    list[k] = ("%s %.4g %.4g: %s"):format(mode.kind, mode.factor, mode.w, table.concat(roots, " "))
  end
  return table.concat(list, "; ")
end

local points = 0
for k = 1, count do
  local driven = k % 8 == 0
  local S, modes, rest, any
  repeat
    S, modes, rest = drawn(driven)
    any = false
    for _, mode in ipairs(modes) do any = any or #mode.roots > 0 end
  until any
  local v = { z = 1 }
  for name in pairs(rest) do v[name] = 0 end
  if driven then rest.z = 0 end
  for _, largest in ipairs(driven and { 0.1, 0.05 } or { 0.5, 0.1, 0.03 }) do
    local what = ("seed %d, draw %d (%s), steps up to %g"):format(seed, k, in_words(modes), largest)
    local B = S:continue{ equilibrium = not driven and { q = rest } or nil, periodic = driven and { q = rest, v = v, period = 2*hm.pi } or nil,
                          along = "p", from = -1, to = 1, largest = largest, step = largest*random(0.3, 1) }
    compare(B, modes, driven, what)
    compare_spans(B, modes, what)
    points = points + #B.special
  end
end
assert(undecided < asked/8, ("%d of %d intervals are not decided"):format(undecided, asked))
print(("seed %d: %d special points where the roots are, %d intervals, %d not decided"):format(seed, points, asked, undecided))
