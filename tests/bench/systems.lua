-- systems.lua: the systems the benchmarks share, with starts and lengths: { name, system, q, v, t }.
local hm = require "hamel"
local sin, cos = hm.sin, hm.cos

local systems = {}

local function chain(n, t)
  local S = hm.system("chain" .. n)
  local names = {}
  for i = 1, n do names[i] = "q" .. i end
  local q = { S:coordinates(table.concat(names, " ")) }
  local vx, vy, y, T, V = hm.number(0), hm.number(0), hm.number(0), hm.number(0), hm.number(0)
  for i = 1, n do
    vx, vy, y = vx + cos(q[i])*q[i].dot, vy + sin(q[i])*q[i].dot, y - cos(q[i])
    T, V = T + (vx^2 + vy^2)/2, V + hm.number "9.81"*y
  end
  S:kinetic_energy(T)
  S:potential_energy(V)
  local start, rest = {}, {}
  for i = 1, n do start[names[i]], rest[names[i]] = 1 + 0.1*i, 0 end
  return { name = "chain" .. n, system = S, q = start, v = rest, t = t }
end

local function sleigh()
  local S = hm.system "sleigh"
  local x, y, theta = S:coordinates "x y theta"
  S:kinetic_energy((x.dot^2 + y.dot^2)/2 + theta.dot^2/4)
  S:constraint("blade", x.dot*sin(theta) - y.dot*cos(theta))
  return { name = "sleigh", system = S, q = { x = 0, y = 0, theta = 0 }, v = { x = 1, theta = 0.3 }, t = 20 }
end

local function disc()
  local S = hm.system "disc"
  local x, y, phi, theta, psi = S:coordinates "x y phi theta psi"
  local cx, cy, cz = hm.dt(x - sin(theta)*sin(phi)/2), hm.dt(y + sin(theta)*cos(phi)/2), hm.dt(cos(theta)/2)
  S:kinetic_energy((cx^2 + cy^2 + cz^2)/2 + (theta.dot^2 + (phi.dot*cos(theta))^2)/32 + (psi.dot + phi.dot*sin(theta))^2/16)
  S:potential_energy(hm.number "9.81"*cos(theta)/2)
  S:constraint("roll x", x.dot + psi.dot*cos(phi)/2)
  S:constraint("roll y", y.dot + psi.dot*sin(phi)/2)
  return { name = "disc", system = S, q = { x = 0, y = 0, phi = 0.2, theta = 0.1, psi = 0 }, v = { phi = 0.3, theta = 0.1, psi = 6 }, t = 5 }
end

--- Sleigh, disc, chains of 2, 5 and 10 links.
function systems.all() return { sleigh(), disc(), chain(2, 10), chain(5, 5), chain(10, 3) } end

--- The lengths of the chain at will.
systems.chain, systems.sleigh, systems.disc = chain, sleigh, disc

return systems
