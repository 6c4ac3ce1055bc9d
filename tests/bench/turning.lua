-- turning.lua: systems with rotations by unit quaternions: declared, derived and printed, from nothing each time. Medians of nine rounds; the first
-- round, which also loads what others find loaded, is shown apart.
local hm = require "hamel"
local core = require "hamel.core"

local clock = core.host.clock

local function top()
  local S = hm.system "heavy top"
  local N = S:frame "N"
  local A, C, m, g, c = S:positive "A=1 C=1/2 m=1 g=9.81 c=1/2"
  local R = S:rotation("R", { rates = "p q r" })
  S:body("top", { at = c*R.z, frame = R, mass = m, inertia = {A, A, C}, about = S.origin })
  S:gravity(-g*N.z)
  return S
end

local function rolling(shape)
  return function()
    local S = hm.system "rolling"
    local N, R = S:frame "N", S:rotation("R", { rates = "p q r" })
    local m, g, A, B, C = S:positive "m=1 g=9.81 A=1/10 B=3/20 C=1/5"
    local body = S:body("body", { at = S:point "x y z", frame = R, mass = m, inertia = {A, B, C}, shape = shape })
    S:rolls("roll", body, N:plane())
    S:gravity(-g*N.z)
    return S
  end
end

local function pendulum()
  local S = hm.system "double pendulum"
  local N, P, R = S:frame "N", S:rotation "P", S:rotation "R"
  local m, l, J, g = S:positive "m=1 l=1 J=1/10 g=9.81"
  S:body("upper", { at = S.origin - l/2*P.z, frame = P, mass = m, inertia = {J, J, J/10} })
  S:body("lower", { at = S.origin - l*P.z - l/2*R.z, frame = R, mass = m, inertia = {J, J, J/10} })
  S:gravity(-g*N.z)
  return S
end

local cases = {
  { "heavy top", top, "hamel", 50 }, { "heavy top, in momenta", top, "canonical" }, { "Chaplygin sphere", rolling{ "sphere", radius = 0.5 }, "hamel" },
  { "rolling disc", rolling{ "disc", radius = 0.5 }, "hamel" }, { "double pendulum in space", pendulum, "lagrange" },
}

local function round(case)
  local begun = clock()
  local S = case[2]()
  local E = S:equations(case[3])
  local derived = clock()
  local size = #tostring(E)
  return 1e3*(derived - begun), 1e3*(clock() - derived), size
end

print(("%-26s %-10s %12s %12s %12s   %s"):format("system", "form", "derive ms", "print ms", "first ms", "characters"))
for _, case in ipairs(cases) do
  local derive, show, first_derive, first_show, size = {}, {}, nil, nil, nil
  for i = 0, 9 do
    local a, b, n = round(case)
    if i == 0 then first_derive, first_show = a, b else derive[i], show[i] = a, b end
    size = n
  end
  table.sort(derive)
  table.sort(show)
  print(("%-26s %-10s %12.2f %12.2f %12.2f   %d%s"):format(case[1], case[3], derive[5], show[5], first_derive + first_show, size,
    case[4] and ("   (target %d ms)"):format(case[4]) or ""))
end
