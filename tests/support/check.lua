-- check.lua: what the specs share: near, message, seeded random numbers, a few systems.
local check = {}

-- HML_TOL_SCALE=0 shows the real residuals of all numeric checks
local scale = tonumber(os.getenv "HML_TOL_SCALE" or "1")

--- got is want within tolerance, relative above 1.
function check.near(got, want, tolerance, what)
  local off = math.abs(got - want)
  if not (off <= scale*(tolerance or 1e-9)*(1 + math.abs(want))) then
    error(("%s: got %.15g, want %.15g (off by %.3g)"):format(what or "value", got, want, off), 2)
  end
end

--- The message of the error that f raises.
function check.message(f, ...)
  local fine, message = pcall(f, ...)
  if fine then error("no error was raised", 2) end
  return tostring(message)
end

--- f(...) raises one line that contains every one of the words.
function check.raises(words, f, ...)
  local message = check.message(f, ...)
  for _, word in ipairs(words) do
    if not message:find(word, 1, true) then error(("the message lacks '%s': %s"):format(word, message), 2) end
  end
  if message:find("\n", 1, true) then error("more than one line: " .. message, 2) end
end

--- Ends the spec as skipped, with a word, unless the shell command succeeds: for programs that scripts/setup does not install.
function check.needs(command, what)
  if os.execute(command .. " > /dev/null 2>&1") then return end
  print("skipped: " .. what .. " is missing")
  os.exit(77)
end

--- The bytes of a file.
function check.content(path)
  local file = assert(io.open(path, "rb"))
  local bytes = file:read "a"
  file:close()
  return bytes
end

--- Writes a file; returns its path.
function check.write(path, bytes)
  local file = assert(io.open(path, "wb"))
  file:write(bytes)
  file:close()
  return path
end

--- Exit status and output of this interpreter on a script given as text.
function check.script(text)
  local first = 0
  while arg[first - 1] do first = first - 1 end
  local name = check.write(os.tmpname(), text)
  local pipe = assert(io.popen(("'%s' '%s' 2>&1"):format(arg[first], name)))
  local output = pipe:read "a"
  local _, _, status = pipe:close()
  os.remove(name)
  return status, output
end

--- How many systems a property draws: its second argument where there is one, else `usual`, times HML_SCALE where that is set; a quarter of
--- them under the sanitizers, which take several times as long.
function check.draws(usual)
  local asked = tonumber(arg and arg[2])
  if asked then return math.floor(asked) end
  local sanitized = (os.getenv "SANITIZE" or "OFF") ~= "OFF"
  return math.max(1, math.floor(usual*(tonumber(os.getenv "HML_SCALE") or 1)*(sanitized and 0.25 or 1)))
end

--- Generator of its own: a number in (from, to); the seed is part of the failure report of the caller.
function check.generator(seed)
  local state = seed
  return function(from, to)
    -- splitmix64
    state = state + 0x9E3779B97F4A7C15
    local z = state
    z = (z ~ (z >> 30))*0xBF58476D1CE4E5B9
    z = (z ~ (z >> 27))*0x94D049BB133111EB
    z = z ~ (z >> 31)
    return from + (to - from)*((z >> 11)/9007199254740992.0)
  end
end

function check.sleigh(hm)
  local S = hm.system "Chaplygin sleigh"
  local x, y, theta = S:coordinates "x y theta"
  local m, J = S:positive "m=1 J=1/2"
  S:kinetic_energy(m/2*(x.dot^2 + y.dot^2) + J/2*theta.dot^2)
  S:constraint("blade", x.dot*hm.sin(theta) - y.dot*hm.cos(theta))
  return S, x, y, theta
end

-- The sleigh whose mass centre lies a ahead of the blade
function check.offset_sleigh(hm, values)
  local S = hm.system "sleigh"
  local x, y, theta = S:coordinates "x y theta"
  local m, I, a = S:positive(values or "m=2 I=0.5 a=0.3")
  S:kinetic_energy(m/2*(hm.dt(x + a*hm.cos(theta))^2 + hm.dt(y + a*hm.sin(theta))^2) + I*theta.dot^2/2)
  S:constraint("blade", x.dot*hm.sin(theta) - y.dot*hm.cos(theta))
  S:quasi_velocities("u omega", { x.dot*hm.cos(theta) + y.dot*hm.sin(theta), theta.dot })
  return S
end

--- A unit mass on a line; potential: function of x; force: function of x and x', or nil.
function check.oscillator(hm, potential, force)
  local S = hm.system "one"
  local x = S:coordinates "x"
  S:kinetic_energy(x.dot^2/2)
  S:potential_energy(potential(x))
  if force then S:force(x, force(x, x.dot)) end
  return S
end

function check.pendulum(hm)
  local S = hm.system "pendulum in the plane"
  local x, y = S:coordinates "x y"
  local m, g, l = S:positive "m=2 g=9.81 l=1"
  S:kinetic_energy(m/2*(x.dot^2 + y.dot^2))
  S:potential_energy(m*g*y)
  S:constraint("rod", x^2 + y^2 - l^2)
  return S, x, y
end

--- A generator of numbers from 0 to 1 that is the same on every machine, from a seed.
function check.drawn(seed)
  return function()
    seed = (1103515245*seed + 12345) % 2^31
    return seed/2^31
  end
end

return check
