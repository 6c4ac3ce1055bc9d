-- derivation_of_bodies.lua: the steps of S:derivation for systems with rotations: from vectors to equations in body rates (Euler, Jourdain 1909).
local base = require "hamel.equations.base"
local Body = require "hamel.bodies.body"
local core = require "hamel.core"
local inertia = require "hamel.bodies.inertia"
local motion = require "hamel.bodies.motion"
local Vector = require "hamel.bodies.vector"

local AXES = { "x", "y", "z" }

local function short(e) return (core.simplify(e, "auto", nil, { effort = 1 })) end

-- ---- vectors in print

local function escaped(name) return (name:gsub("[_%%&#$]", "\\%0")) end

local function vector_latex(v)
  local parts = {}
  for _, term in ipairs(v._terms) do
    for i, axis in ipairs(AXES) do
      local c = term[i]
      if core.number_value(c) ~= 0 then
        local text = core.latex(c)
        if core.kind(c) == "sum" then text = "\\left( " .. text .. " \\right)" end
        local factor = text == "1" and "" or text == "-1" and "-" or text .. " \\, "
        parts[#parts + 1] = ("%s\\mathbf{%s}_{%s}"):format(factor, escaped(term.frame.name), axis)
      end
    end
  end
  return #parts == 0 and "\\mathbf{0}" or (table.concat(parts, " + "):gsub("%+ %-", "- "))
end

local function vector_line(one, text, latex, v)
  v = v:_map(short)
  one[#one + 1] = { text = text, latex = latex, value = tostring(v), value_latex = vector_latex(v), vector = v }
end

local function line(one, text, latex, value) one[#one + 1] = { text = text, latex = latex, value = short(value) } end

local function step(D, title, words)
  local one = { title = title, words = words }
  D[#D + 1] = one
  return one
end

-- ---- what moves: masses at points and inertias that turn

-- { label, latex, velocity (vector), momentum (vector), symbol }: m v of points, J omega of frames
local function carriers(system)
  local list = {}
  for _, body in ipairs(system._bodies) do
    local name = "\\text{" .. escaped(body.name) .. "}"
    for _, part in ipairs(body._parts) do
      if part.point then
        local v = part.point:velocity()
        list[#list + 1] = { text = "v_" .. body.name, latex = ("\\mathbf{v}_{%s}"):format(name), momentum_text = "m v_" .. body.name,
          momentum_latex = ("m \\mathbf{v}_{%s}"):format(name), velocity = v, momentum = part.mass*v }
      else
        local w = Body._turning(part)
        local h = Vector.new(system, { [part.frame] = inertia.times(part.J, w) })
        list[#list + 1] = { text = "omega_" .. body.name, latex = ("\\boldsymbol{\\omega}_{%s}"):format(name), momentum_text = "h_" .. body.name,
          momentum_latex = ("\\mathbf{h}_{%s}"):format(name), velocity = Vector.new(system, { [part.frame] = w }), momentum = h }
      end
    end
  end
  return list
end

-- Weights: { force (vector), velocity (vector) }
local function weights(system)
  local g, list = rawget(system, "_gravity"), {}
  for _, body in ipairs(g and system._bodies or {}) do
    if core.number_value(body.mass) ~= 0 then list[#list + 1] = { force = body.mass*g, velocity = body:velocity() } end
  end
  return list
end

local function by(v, w) return v:_map(function(c) return core.diff(c, w) end) end

-- Is the vector zero, but for its form?
local function absent(v)
  for _, term in ipairs(v._terms) do for i = 1, 3 do if term[i]:is_zero() ~= true then return false end end end
  return true
end

-- ---- steps

local function energies(D, system, F)
  local T, V = base.energies(system)
  local one = step(D, "Kinetic and potential energy, T and V, in body rates and direction cosines")
  line(one, "T", "T", T)
  if core.number_value(V) ~= 0 then line(one, "V", "V", V) end
  for s, Q in ipairs(base.forces(system, F)) do
    if core.number_value(Q) ~= 0 then line(one, "Q_" .. F.names[s], ("Q_{%s}"):format(core.latex(F.base[s])), Q) end
  end
end

local function constraints(D, system)
  if #system.constraints == 0 then return end
  local one = step(D, "The constraints f = 0")
  for _, c in ipairs(system.constraints) do line(one, c.name, ("\\text{%s}"):format(escaped(c.name)), c.given or c.f) end
end

local function solved_velocities(D, E)
  if #(E.kinematic or {}) == 0 then return end
  local one = step(D, "The constraints, or the quasi-velocities, solved for the base velocities")
  for _, row in ipairs(E.kinematic) do line(one, core.text(row.left), core.latex(row.left), row.right) end
end

local function velocities(D, list)
  local one = step(D, "Velocities of mass points v, angular velocities omega: vectors, with components in the frames named",
    "Velocities of mass points $\\mathbf{v}$, angular velocities $\\boldsymbol{\\omega}$: vectors, with components in the frames named")
  for _, item in ipairs(list) do vector_line(one, item.text, item.latex, item.velocity) end
end

local function momenta(D, list)
  local one = step(D, "Momenta m v, angular momenta h = J omega", "Momenta $m \\mathbf{v}$, angular momenta $\\mathbf{h} = J \\boldsymbol{\\omega}$")
  for _, item in ipairs(list) do vector_line(one, item.momentum_text, item.momentum_latex, item.momentum) end
  one = step(D, "Their rates in space: components differentiated in the frame that turns with omega, plus omega x h",
    "Their rates in space: components differentiated in the frame that turns with $\\boldsymbol{\\omega}$, plus $\\boldsymbol{\\omega} \\times \\mathbf{h}$")
  for _, item in ipairs(list) do vector_line(one, ("(%s)'"):format(item.momentum_text), ("\\dot{%s}"):format(item.momentum_latex), item.rate) end
end

local function partial_velocities(D, list, E)
  local one = step(D, "Partial velocities: derivatives of these vectors by the free velocities")
  for _, item in ipairs(list) do
    for s, w in ipairs(E.dyn) do
      if not absent(item.partial[s]) then
        vector_line(one, ("d%s/d%s"):format(item.text, core.text(w)), ("\\frac{\\partial %s}{\\partial %s}"):format(item.latex, core.latex(w)), item.partial[s])
      end
    end
  end
end

-- Energies declared by hand, along the base velocities: inertia and driving sides
local function by_hand(system, F)
  local rows, left = base.hand_rows(system), {}
  for s in ipairs(F.base) do
    local terms = { rows.bias[s] }
    for j, rate in ipairs(F.rates) do terms[#terms + 1] = rows.M[s][j]*rate end
    left[s] = core.sum(terms)
  end
  return left, rows.active
end

-- Both sides of each equation: { inertia }, { applied } by free velocity
local function sides(system, F, C, list, K)
  local hand_left, hand_right = by_hand(system, F)
  local Q, left, right = base.forces(system, F, C.multipliers), {}, {}
  for l in ipairs(C.dyn) do
    local a, b = {}, {}
    for _, item in ipairs(list) do a[#a + 1] = item.rate:dot(item.partial[l]) end
    for _, item in ipairs(weights(system)) do b[#b + 1] = item.force:dot(by(item.velocity:_map(C.on), C.dyn[l])) end
    for s in ipairs(F.base) do
      a[#a + 1] = K[s][l]*C.with_rates(hand_left[s])
      b[#b + 1] = K[s][l]*C.on(hand_right[s] + Q[s])
    end
    left[l], right[l] = core.sum(a), core.sum(b)
  end
  return left, right
end

local function reactions(D, system, F, E)
  local one = step(D, "Reactions, one multiplier for each constraint: sum lambda df/dw",
    "Reactions, one multiplier for each constraint: $\\sum_{\\beta} \\lambda_{\\beta} \\frac{\\partial f_{\\beta}}{\\partial w_s}$")
  local levels = {}
  for k, c in ipairs(system.constraints) do levels[k] = base.level(system, F, c) end
  for s, w in ipairs(F.base) do
    local terms = {}
    for k, level in ipairs(levels) do terms[k] = E.multipliers[k]*level.velocity.row[s] end
    line(one, "R_" .. core.text(w), ("R_{%s}"):format(core.latex(w)), core.sum(terms))
  end
  one = step(D, "The constraints once more differentiated close the system")
  for _, level in ipairs(levels) do
    local terms = { level.b }
    for s, rate in ipairs(F.rates) do terms[#terms + 1] = level.velocity.row[s]*rate end
    line(one, "0", "0", core.sum(terms))
  end
end

-- The cosines that occur in the equations, and their rates C' = C [omega]x
local function cosines(D, system, E)
  local used, list, one = {}, {}, nil
  for _, row in ipairs(E.rows) do list[#list + 1], list[#list + 2] = row.left, row.right end
  for _, s in ipairs(core.symbols(list)) do used[s] = true end
  for _, R in ipairs(system._rotations) do
    for i, c in ipairs(R.cosine_list) do
      if used[c] then
        one = one or step(D, "Direction cosines change as the body turns, C' = C [omega]x; each is a polynomial of the unit quaternion",
          "Direction cosines change as the body turns, $\\dot{C} = C [\\boldsymbol{\\omega}]_{\\times}$; each is a polynomial of the unit quaternion")
        line(one, core.text(c) .. "'", ("\\dot{%s}"):format(core.latex(c)), R.cosine_rate_list[i])
      end
    end
  end
end

--- Adds the steps to the equations E, in base velocities or in free ones, to the derivation D.
return function(D, system, E)
  local F, from, to = motion.of(system), {}, {}
  for i, row in ipairs(E.kinematic or {}) do from[i], to[i] = row.left, row.right end
  local C = motion.constrained(F, E.dyn, from, to)
  C.dyn, C.multipliers = E.dyn, #E.multipliers > 0 and E.multipliers or nil
  local w, K = {}, {}
  for s, v in ipairs(F.base) do
    w[s] = C.on(v)
    K[s] = core.gradient(w[s], E.dyn)
  end
  local accelerations = motion.directional(C, w)
  function C.with_rates(e) return core.substitute(C.on(e), F.rates, accelerations) end
  local list = carriers(system)
  for _, item in ipairs(list) do
    item.partial, item.rate = {}, item.momentum:dt():_map(C.with_rates)
    for l, u in ipairs(E.dyn) do item.partial[l] = by(item.velocity:_map(C.on), u) end
  end
  energies(D, system, F)
  constraints(D, system)
  solved_velocities(D, E)
  velocities(D, list)
  momenta(D, list)
  partial_velocities(D, list, E)
  local left, right = sides(system, F, C, list, K)
  local one = step(D, "Inertia along each free velocity: sum (m v)' . dv/dw + h' . domega/dw",
    "Inertia along each free velocity: $\\sum \\left( m \\dot{\\mathbf{v}} \\cdot \\frac{\\partial \\mathbf{v}}{\\partial w_s} + "
      .. "\\dot{\\mathbf{h}} \\cdot \\frac{\\partial \\boldsymbol{\\omega}}{\\partial w_s} \\right)$")
  for l, u in ipairs(E.dyn) do line(one, "I_" .. core.text(u), ("I_{%s}"):format(core.latex(u)), left[l]) end
  one = step(D, "Applied forces along each free velocity: weights m g . dv/dw, forces declared")
  for l, u in ipairs(E.dyn) do line(one, "A_" .. core.text(u), ("A_{%s}"):format(core.latex(u)), right[l]) end
  if #E.multipliers > 0 then reactions(D, system, F, E) end
  cosines(D, system, E)
end
