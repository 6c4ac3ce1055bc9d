-- floquet.lua: Floquet's multipliers of a periodic motion, without those that are 1 for every motion of its kind.
--
-- They are those of the map of a period on the directions across the motion, the symmetries and the gradients of the integrals. Where they differ by
-- many orders of magnitude the motion is flown in pieces, and they come from the matrices of the pieces: see products.lua.
local core = require "hamel.core"
local integrals = require "hamel.continuation.integrals"
local moduli = require "hamel.analysis.moduli"
local products = require "hamel.continuation.products"
local segments = require "hamel.continuation.segments"
local signs = require "hamel.analysis.signs"
local spectrum = require "hamel.continuation.spectrum"
local states = require "hamel.continuation.states"
local tangent = require "hamel.analysis.tangent"
local tracks = require "hamel.continuation.tracks"

local floquet = {}

local PIECES = 64                      -- of a segment

-- Unit directions across what gives multipliers 1 at a node, a point of one segment, at the time of the flow. more: further directions that do (nil: none)
local function across(problem, node, t, more)
  local _, held = problem:held_rows(node)
  table.move(more or {}, 1, #(more or {}), #held + 1, held)
  local gradients = integrals.gradients(problem, node)
  table.move(gradients, 1, #gradients, #held + 1, held)
  if problem.period_place then held[#held + 1] = states.unit(problem.space.part(segments.rate(problem.flow, t, problem.space.state(node)))) end
  for _, field in ipairs(problem.turns:fields(node)) do held[#held + 1] = field end
  return states.directions(held, problem.space.n)
end

--- The matrices of the pieces of a period, the directions at the start of each, and the lengths of their changes. count: pieces of a segment.
function floquet.pieces(problem, y, count)
  local flow, space, period = problem.flow, problem.space, problem:period(y)
  local N, matrices, bases, lengths = segments.count(y), {}, {}, {}
  local start = segments.node(problem, y, 1)
  local first = across(problem, start, flow.t)
  local begun = flow.t
  for i = 1, N do
    local from, to = segments.span(y, i)
    local node = segments.node(problem, y, i)
    local x = space.state(node)
    for j = 1, count do
      local t0, t1 = begun + period*(from + (to - from)*(j - 1)/count), begun + period*(from + (to - from)*j/count)
      local basis = bases[#matrices + 1] or first
      bases[#matrices + 1] = basis
      local wholes, changes = {}, {}
      for k, u in ipairs(basis) do wholes[k] = space.whole(u) end
      local last, carried = flow:run(t0, t1, x, wholes)
      local final, next_basis = i == N and j == count
      local places = final and signs.turned_over(flow, space.state(start), last) or {}
      for k, d in ipairs(carried) do changes[k] = space.part(signs.over(d, places)) end
      if final then
        changes, next_basis = problem.turns:undone(start, changes), first
      else
        local point = j == count and segments.node(problem, y, i + 1) or space.point(last, table.move(node, #space.kept + 1, space.n, 1, {}))
        flow.t = t1
        next_basis = across(problem, point, t1)
        flow.t = begun
        bases[#matrices + 2] = next_basis
      end
      matrices[#matrices + 1], lengths[#lengths + 1] = products.between(next_basis, changes), products.lengths(changes)
      x = last
    end
  end
  return matrices, bases, lengths
end

local function any_spread(matrices, lengths)
  for i, A in ipairs(matrices) do if products.is_spread(A, products.longest(lengths[i])) then return true end end
  return false
end

local KNOWN = 0.1                      -- of the tolerance of the equations: how exactly runs are known beside their longest direction

--- The eigenvalues of the product of matrices that were taken from runs with directions up to these lengths, in order.
function floquet.eigenvalues(problem, matrices, lengths)
  local errors, largest = {}, {}
  for i, list in ipairs(lengths) do
    errors[i] = {}
    for k, length in ipairs(list) do errors[i][k] = KNOWN*problem.tolerance*length end
    largest[i] = KNOWN*problem.tolerance*products.longest(list)
  end
  return moduli.sort(products.eigenvalues_of_whole(matrices, errors) or products.eigenvalues(matrices, largest))
end

--- The multipliers { re, im, uncertainty } at a point; kept in it with the matrices of the pieces and the directions at the start of each.
function floquet.multipliers(problem, point)
  if point.multipliers then return point.multipliers end
  local y = point.y
  local count, matrices, bases, lengths = 1
  if not y.cuts then
    -- a motion in one segment was flown with all directions
    local beside = across(problem, y, problem.flow.t, problem.ones and problem:ones(point))
    local changes, parts = problem.turns:undone(y, point.extra.changes), {}
    for b, v in ipairs(beside) do
      parts[b] = {}
      for i = 1, #v do parts[b][i] = 0.0 end
      for k, d in ipairs(point.directions) do
        local part = tangent.dot(d, v)
        if part ~= 0 then for i = 1, #v do parts[b][i] = parts[b][i] + part*changes[k][i] end end
      end
    end
    matrices, bases, lengths = { products.between(beside, parts) }, { beside }, { products.lengths(parts) }
  else
    matrices, bases, lengths = floquet.pieces(problem, y, 1)
  end
  local known = point.before and point.before.pieces or 1
  -- what gives further multipliers 1 is known at the start alone
  while not problem.keep and any_spread(matrices, lengths) and count < PIECES do
    -- half of what the point before needed: a branch may come to need less
    count = math.max(2*count, known//2)
    matrices, bases, lengths = floquet.pieces(problem, y, count)
  end
  point.multipliers = floquet.eigenvalues(problem, matrices, lengths)
  point.matrices, point.bases, point.pieces = matrices, bases, count
  return point.multipliers
end

local HUGE = 1e6                       -- a multiplier beside which rounding hides small ones

local function is_huge(list)
  for _, m in ipairs(list) do if not (states.modulus(m) < HUGE) then return true end end
  return false
end

-- Do multipliers come with their inverses? Weak damping is told from none by the equations (problem.hamiltonian), otherwise by how exactly they are known
local function is_reciprocal(problem, list)
  return spectrum.is_reciprocal(list) and (problem.hamiltonian or spectrum.is_reciprocal_within(list, tracks.border(problem.tolerance)))
end

--- Do the multipliers of a point come with their inverses, as at all points before? Then they leave the unit circle by meeting on it.
function floquet.is_symmetric(problem, point, list)
  if point.symmetric == nil then
    local before = point.before
    spectrum.stays(point, is_reciprocal(problem, list) or before and before.symmetric and is_huge(list) or false)
  end
  return point.symmetric
end

--- What is followed of the multipliers m of a point, see tracks.lua: they themselves; where they come with their inverses, m + 1/m.
--- turned: see tracks.of_multipliers.
function floquet.followed(problem, point, list, turned)
  if floquet.is_symmetric(problem, point, list) then return tracks.of_sums(spectrum.sums(list), problem.tolerance, turned) end
  return tracks.of_multipliers(list, problem.tolerance, turned)
end

--- Are there complex or negative multipliers off the unit circle in a symmetric spectrum? Those that meet on it may pass it in opposite directions.
function floquet.has_quartets(problem, point, list) return floquet.is_symmetric(problem, point, list) and spectrum.has_quartets_of_multipliers(list) end

--- Details of a special point at which the multiplier m is on the unit circle, or m + 1/m passes 2*at; nil where m is 1: folds and branch points have
--- tests of their own.
function floquet.passed(m, period, at)
  if at then return at < 0 and { kind = "flip" } or nil end
  if m.im == 0 then return m.re < 0 and { kind = "flip" } or nil end
  return { kind = "torus", frequency = math.atan(math.abs(m.im), m.re)/period }
end

--- What changes its sign where pairs of multipliers that come with their inverses meet: { meeting = }; empty for others.
function floquet.symmetric_tests(problem, point, list)
  if not floquet.is_symmetric(problem, point, list) then return {} end
  local value, nearest = spectrum.meeting_of_multipliers(list)
  point.test_sizes = { meeting = nearest }
  return { meeting = value }
end

-- Are two of the sums m + 1/m of multipliers nearer to each other than a distance?
local function nearly_meets(list, distance)
  local _, apart = spectrum.nearest_two(spectrum.sums(list))
  return apart <= distance
end

-- a b - 1
local function product_off(a, b) return { re = a.re*b.re - a.im*b.im - 1, im = a.re*b.im + a.im*b.re } end

-- What vanishes on curves of special points
local conditions = {
  fold = function(list) return states.product(list, function(a) return { re = a.re - 1, im = a.im } end) end,
  flip = function(list) return states.product(list, function(a) return { re = a.re + 1, im = a.im } end) end,
  torus = function(list, without) return states.pairs_product(list, product_off, without) end,
}

-- The list without the two with the product nearest to 1 of those that are no real pair; where that has none, any two
local function without_pair(list)
  local best, one, other = math.huge, nil, nil
  for i, a in ipairs(list) do
    for j = 1, i - 1 do
      local b = list[j]
      local off = math.abs(a.re*b.re - a.im*b.im - 1) + math.abs(a.re*b.im + a.im*b.re) + ((a.im == 0 or b.im == 0) and 1 or 0)
      if off < best then best, one, other = off, a, b end
    end
  end
  local rest = {}
  for _, m in ipairs(list) do if m ~= one and m ~= other then rest[#rest + 1] = m end end
  return rest
end

local borders = { fold = 1, branch = 1, flip = -1 }

--- Is a motion at a special point of a kind stable, by its record? At folds, branch points, flips and tori by the multipliers that are not on the unit circle
--- by definition: false, or nil, since one on the circle decides nothing. Where multipliers come with their inverses, two or, where pairs meet, four are on it.
function floquet.stable_at(problem, kind, record, point)
  local rest, border, twice = record.multipliers, borders[kind], floquet.is_symmetric(problem, point, record.multipliers)
  if border then
    for _ = 1, twice and 2 or 1 do rest = states.without_nearest(rest, function(m) return (m.re - border)^2 + m.im^2 end) end
  elseif kind == "torus" then
    for _ = 1, twice and 2 or 1 do rest = without_pair(rest) end
  else
    return record.stable
  end
  if #rest > 0 and states.is_stable(rest) == false then return false end
  return nil
end

local MEETING = 1e-3                   -- distance of two multipliers that are taken to meet

--- Do two multipliers of a symmetric spectrum meet at a torus point with this list? In others a pair passes the unit circle by itself.
function floquet.meets(problem, point, list)
  return floquet.is_symmetric(problem, point, list) and spectrum.meeting_angle(list, MEETING) ~= nil
end

--- Notes how the condition of a curve of special points is taken, in problem.meets and problem.without; list: of a point near the curve.
function floquet.prepare(problem, kind, point, list)
  problem.meets = kind == "torus" and floquet.meets(problem, point, list)
  problem.without = kind == "torus" and not problem.meets and states.further_pairs(list, product_off, 1) or 0
end

--- The condition of a kind of special points as a number. problem: see floquet.prepare.
function floquet.condition(problem, kind, list)
  if kind == "torus" and problem.meets then return spectrum.discriminant(list) or 0.0 end
  return conditions[kind](list, problem.without)
end

--- The order of the pole that the condition has where one multiplier of `count` grows beyond all bounds: as many factors have that multiplier in them.
function floquet.pole_order(problem, kind, count)
  if kind == "torus" then return problem.meets and 0 or count - 1 end
  return 1
end

local ON_BORDER, MEETS = 1e-7, 1e-3    -- distance of a multiplier from the border, of a pair from its inverse; of two sums m + 1/m that meet

-- How far a list of multipliers is from one with `count` pairs whose product is 1, and how exactly this is known
local function pairs_off(list, count)
  local all = {}
  for i, a in ipairs(list) do
    for j = 1, i - 1 do
      local b = list[j]
      all[#all + 1] = { off = states.modulus(product_off(a, b)),
        known = (a.uncertainty or 0)*states.modulus(b) + (b.uncertainty or 0)*states.modulus(a) }
    end
  end
  table.sort(all, function(one, other) return one.off < other.off end)
  local item = all[count] or { off = math.huge, known = 0 }
  return item.off, item.known
end

-- How far a list of multipliers is from one with a multiplier at the border, and how exactly this is known. Where two are near it, they are moved by the root
-- of what moves the matrix: the product of their distances counts
local function border_off(list, border)
  local all = {}
  for i, m in ipairs(list) do all[i] = { off = states.modulus{ re = m.re - border, im = m.im }, known = m.uncertainty or 0 } end
  table.sort(all, function(one, other) return one.off < other.off end)
  local one, other = all[1], all[2]
  if not one then return math.huge, 0 end
  return one.off*math.min(1, other and other.off or 1), one.known
end

--- Why multipliers are not those of a point on a curve of special points of a kind, in words; nil: they are. problem: see floquet.prepare.
function floquet.missed(problem, kind, list)
  local off, known
  if borders[kind] then off, known = border_off(list, borders[kind])
  elseif kind == "torus" and problem.meets then
    if nearly_meets(list, MEETS) then return nil end
    return "no two pairs of multipliers meet there"
  elseif kind == "torus" then off, known = pairs_off(list, 1 + (problem.without or 0)) end
  if not off or off <= math.max(ON_BORDER, known) then return nil end
  if kind == "torus" then return ("no pair of multipliers is on the unit circle there: the nearest is off by %.2g"):format(off) end
  return ("no multiplier is %d there: the nearest is off by %.2g"):format(borders[kind], off)
end

-- The multipliers that are not on the unit circle along a whole curve of special points of a kind
local function others_of(kind, list)
  local border = borders[kind]
  if border then return states.without_nearest(list, function(m) return (m.re - border)^2 + m.im^2 end) end
  return kind == "torus" and without_pair(list) or list
end

--- How many multipliers of a list errors hide on which side of the unit circle they are, without those that are on it by definition at points of a kind (nil:
--- of none); nil: of none is it hidden.
function floquet.unsided(kind, list)
  local count = 0
  for _, m in ipairs(others_of(kind, list)) do if moduli.off_circle(m) == 0 and not moduli.is_undetermined(m) then count = count + 1 end end
  return count > 0 and count or nil
end

-- Where another multiplier passes 1 or -1, or another pair the unit circle, along a curve of a kind: the names of these points
local passing_one = { torus = "fold-torus", flip = "fold-flip" }
local passing_minus_one = { torus = "flip-torus", fold = "fold-flip" }
local passing_pair = { torus = "torus-torus", fold = "fold-torus", flip = "flip-torus" }

-- The product of (m - border)/(1 + |m|): its sign is that of the product of m - border
local function product_at(list, border)
  return states.product(list, function(m)
    local size = 1 + states.modulus(m)
    return size < math.huge and { re = (m.re - border)/size, im = m.im/size } or { re = m.re > 0 and 1.0 or -1.0, im = 0.0 }
  end)
end

-- How far a pair is from a product 1, bounded where one of them is large
local function bounded_off(a, b)
  local size, off = (1 + states.modulus(a))*(1 + states.modulus(b)), product_off(a, b)
  return size < math.huge and { re = off.re/size, im = off.im/size } or { re = 1.0, im = 0.0 }
end

-- What passes zero there, of multipliers that do not come with their inverses; problem: see floquet.prepare
local function of_others(problem, kind, list)
  local rest, tests = others_of(kind, list), {}
  if #rest > 0 then
    if passing_one[kind] then tests[passing_one[kind]] = product_at(rest, 1) end
    if passing_minus_one[kind] then tests[passing_minus_one[kind]] = product_at(rest, -1) end
  end
  if #rest > 1 and (problem.without or 0) == 0 and passing_pair[kind] then tests[passing_pair[kind]] = states.pairs_product(rest, bounded_off) end
  return tests
end

local NEAR = 1e-3                      -- of a multiplier from the border: one that passes it. Others change their side at a pole, as where an impact grazes

-- Does another multiplier, or pair, pass the unit circle at a point of a curve, as the name of its kind says?
local function is_passing(kind, name, list)
  local rest = others_of(kind, list)
  if name == passing_pair[kind] then
    for i, a in ipairs(rest) do
      for j = 1, i - 1 do
        if a.im ~= 0 and rest[j].im ~= 0 and states.modulus(product_off(a, rest[j])) <= NEAR then return true end
      end
    end
    return false
  end
  local border = name == passing_one[kind] and 1 or -1
  for _, m in ipairs(rest) do if states.modulus{ re = m.re - border, im = m.im } <= NEAR then return true end end
  return false
end

local BESIDE_ONE = 0.1                 -- how far the multipliers have to be from 1 that come from no second eigenvalue on the axis

--- The point of rest, in words, at which motions on a curve of special points of a kind shrink to rest, where their multipliers at a point beside it, list,
--- tell; nil: they do not. Folds need a Hopf point without a first Lyapunov coefficient, where no other eigenvalue is zero, and tori a second frequency.
function floquet.at_rest_of_curve(kind, list)
  if kind ~= "fold" and kind ~= "torus" then return nil end
  for _, m in ipairs(others_of(kind == "fold" and kind or "", list)) do
    if states.modulus{ re = m.re - 1, im = m.im } < BESIDE_ONE then return nil end
  end
  return kind == "fold" and "generalised Hopf" or "Hopf-Hopf"
end

--- The point, in words, at which motions on a curve of special points of a kind come to their own mirror images, where their multipliers at a point beside it,
--- list (nil: not known), tell; nil: they do not. Folds need a point at which the symmetry breaks between both directions.
function floquet.at_image_of_curve(kind, list)
  if kind ~= "fold" or not list then return nil end
  for _, m in ipairs(others_of(kind, list)) do
    if states.modulus{ re = m.re - 1, im = m.im } < BESIDE_ONE then return nil end
  end
  return "degenerate pitchfork"
end

--- What passes zero at strong resonances on a curve of special points, see spectrum.resonances, and where another multiplier passes the unit circle. Where
--- multipliers come with their inverses, 1 and -1 are double on the whole curve, and nothing passes there.
function floquet.resonances(problem, kind, point, list)
  if kind == "torus" and problem.meets then return spectrum.resonances_of_meeting(list) end
  local symmetric = floquet.is_symmetric(problem, point, list)
  if symmetric and kind ~= "torus" then return {} end
  local tests = spectrum.resonances(kind, list)
  for name, value in pairs(symmetric and {} or of_others(problem, kind, list)) do tests[name] = value end
  return tests
end

--- Details of a point of a curve where a second condition holds, by the name of its kind: at 1 and -1 torus points come to their end. nil: it does not hold.
--- list: the multipliers there.
function floquet.second_met(kind, name, list)
  local of_other = name == passing_one[kind] or name == passing_minus_one[kind] or name == passing_pair[kind]
  if of_other and not is_passing(kind, name, list) then return nil end
  local at = kind == "torus" and name:match "^strong resonance 1:([12])$"
  if not at then return {} end
  return { ends = ("the multipliers come to %s (strong resonance 1:%s), and beyond they are real"):format(at == "1" and "1" or "-1", at) }
end

--- Details of the special point at which they meet; nil: there is none.
function floquet.met(list, period)
  local angle = spectrum.meeting_angle(list)
  return angle and { kind = "torus", frequency = angle/period } or nil
end

--- The direction that comes back reversed, at the start of each segment; at a flip.
function floquet.reversed(point)
  local matrices, r = point.matrices, #point.bases[1]
  local n = r*#matrices
  local flat = {}
  for i = 1, n*n do flat[i] = 0.0 end
  -- A_i v_i = v_(i+1), at last - v_1
  for i, A in ipairs(matrices) do
    local next_i, sign = i % #matrices + 1, i == #matrices and 1 or -1
    for a = 1, r do
      local row = ((i - 1)*r + a - 1)*n
      for b = 1, r do flat[row + (i - 1)*r + b] = A[a][b] end
      flat[row + (next_i - 1)*r + a] = flat[row + (next_i - 1)*r + a] + sign
    end
  end
  local _, vectors = core.singular(n, n, flat)
  local list = {}
  for i = 1, #matrices, point.pieces do
    local direction = {}
    for e = 1, #point.bases[1][1] do direction[e] = 0.0 end
    for b, u in ipairs(point.bases[i]) do
      local part = vectors[((i - 1)*r + b - 1)*n + n]
      for e, value in ipairs(u) do direction[e] = direction[e] + part*value end
    end
    list[#list + 1] = direction
  end
  return list
end

return floquet
