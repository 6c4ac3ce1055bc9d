-- bicycle.lua: a Lagrangian of the size of the benchmark bicycle: 8 coordinates, four bodies with products of inertia, a tilted steer
-- axis. All Euler-Lagrange equations in normal form: time, memory, sizes; then with constraints of rolling, two forms derived and compiled.
local hm = require "hamel"
local core = require "hamel.core"
local sin, cos, clock = hm.sin, hm.cos, core.host.clock

local t0 = clock()
local S = hm.system "bicycle size"
local x, y, yaw, lean, pitch, steer, rear, front = S:coordinates "x y yaw lean pitch steer rear front"
local g, lam, w, c, rR, rF = S:positive "g=9.81 lam=0.3 w=1.02 c=0.08 rR=0.3 rF=0.35"
local function masses(name) return S:positive(("m%s=1 Ixx%s=1 Iyy%s=2 Izz%s=3 Ixz%s=0.1"):format(name, name, name, name, name)) end

local function product(A, B)
  local C = {}
  for i = 1, 3 do
    C[i] = {}
    for j = 1, 3 do C[i][j] = A[i][1]*B[1][j] + A[i][2]*B[2][j] + A[i][3]*B[3][j] end
  end
  return C
end
local function apply(A, u)
  local r = {}
  for i = 1, 3 do r[i] = A[i][1]*u[1] + A[i][2]*u[2] + A[i][3]*u[3] end
  return r
end
local function about_x(a) return { { 1, 0, 0 }, { 0, cos(a), -sin(a) }, { 0, sin(a), cos(a) } } end
local function about_y(a) return { { cos(a), 0, sin(a) }, { 0, 1, 0 }, { -sin(a), 0, cos(a) } } end
local function about_z(a) return { { cos(a), -sin(a), 0 }, { sin(a), cos(a), 0 }, { 0, 0, 1 } } end
local function transpose(A)
  local C = {}
  for i = 1, 3 do C[i] = { A[1][i], A[2][i], A[3][i] } end
  return C
end
local function plus(a, b) return { a[1] + b[1], a[2] + b[2], a[3] + b[3] } end

-- frame, and fork turned about the tilted steer axis; angular velocities in body axes
local frame = product(product(about_z(yaw), about_x(lean)), about_y(pitch))
local tilt = about_y(lam)
local fork = product(frame, product(product(tilt, about_z(steer)), transpose(tilt)))
local function body_rate(outer, inner) return plus(apply(transpose(outer), inner[1]), inner[2]) end
local w_lean = body_rate(about_x(lean), { { 0, 0, yaw.dot }, { lean.dot, 0, 0 } })
local w_frame = body_rate(about_y(pitch), { w_lean, { 0, pitch.dot, 0 } })
local steer_axis = apply(tilt, { 0, 0, steer.dot })
local local_turn = product(product(tilt, about_z(steer)), transpose(tilt))
local w_fork = plus(apply(transpose(local_turn), w_frame), steer_axis)

local T, V = hm.number(0), hm.number(0)
local function add_body(name, position, rate)
  local m, Ixx, Iyy, Izz, Ixz = masses(name)
  local v2 = hm.number(0)
  for i = 1, 3 do v2 = v2 + hm.dt(position[i])^2 end
  T = T + m/2*v2 + (Ixx*rate[1]^2 + Iyy*rate[2]^2 + Izz*rate[3]^2 - 2*Ixz*rate[1]*rate[3])/2
  V = V - m*g*position[3]
end
local hub = { x, y, -rR*cos(lean) }
local xB, zB, xH, zH = S:positive "xB=0.3 zB=0.9 xH=0.9 zH=0.7"
local function at(base, R, u) return plus(base, apply(R, u)) end
local head = at(hub, frame, { w, 0, -c })
add_body("R", hub, { w_frame[1], w_frame[2] + rear.dot, w_frame[3] })
add_body("B", at(hub, frame, { xB, 0, -zB }), w_frame)
add_body("H", at(head, fork, { xH, 0, -zH }), w_fork)
add_body("F", at(head, fork, { c, 0, rF }), { w_fork[1], w_fork[2] + front.dot, w_fork[3] })
S:kinetic_energy(T)
S:potential_energy(V)
local t1 = clock()
local e = S:equations()
local t2 = clock()
print(("Lagrangian: %.0f ms, %d tree nodes; equations derived in %.1f ms"):format(1e3*(t1 - t0), core.tree_size(S:lagrangian()), 1e3*(t2 - t1)))
local total = 0
for i, name in ipairs(S.coordinate_names) do
  local t = clock()
  local normal, reason = e[i]:simplify{ form = "normal", seconds = 60, terms = 1000000 }
  local spent = clock() - t
  total = total + spent
  print(("  %-6s %7d -> %7d nodes  %7.1f ms  %s"):format(name, core.tree_size(e[i]), core.tree_size(normal), 1e3*spent, reason or ""))
end
local memory = 0
local status = io.open "/proc/self/status"
if status then
  memory = tonumber(status:read "a":match "VmHWM:%s*(%d+)")/1024
  status:close()
end
print(("all normal forms: %.2f s, %.0f MB at most"):format(total, memory))

-- constraints of rolling: derivation and compilation in the multiplier form and in Maggi's
S:constraint("roll x", x.dot - rR*rear.dot*cos(yaw))
S:constraint("roll y", y.dot - rR*rear.dot*sin(yaw))
S:constraint("front", front.dot*rF - rear.dot*rR*cos(steer))
local function timed(form)
  local start = clock()
  S:equations(form)
  local derived = clock()
  S:accelerations{ form = form, q = { x = 0, y = 0, yaw = 0.1, lean = 0.05, pitch = 0.02, steer = 0.1, rear = 0, front = 0 },
                   v = { yaw = 0.1, lean = 0.1, pitch = 0, steer = 0.2, rear = -9 } }
  print(("%-9s derived in %.3f s, compiled and solved at one state in %.3f s"):format(form, derived - start, clock() - derived))
end
timed "lagrange"
timed "maggi"
