-- the interrupt of a host such as stock Lua: an error "interrupted!", raised once, at the next call, return or line behind a signal. Wherever that
-- falls, the call ends with it
local hm = require "hamel"
local core = require "hamel.core"

-- What stock Lua does after n instructions of f: the hook is taken away as it raises. Did it raise within f; what pcall(f) returned
local function interrupted_after(n, f)
  local raised, fine, message = false, true, nil
  local function raise()
    debug.sethook()
    raised = true
    error "interrupted!"
  end
  pcall(function()
    debug.sethook(function() debug.sethook(raise, "crl", 1) end, "", n)
    local ended, text = pcall(f)
    local within = raised
    debug.sethook()
    raised, fine, message = within, ended, text
  end)
  debug.sethook()
  return raised and message ~= nil, fine, tostring(message)
end

local function pendulum()
  local S = hm.system "pendulum"
  local phi = S:coordinates "phi"
  local m, l, g = S:positive "m=1 l=1 g=9.81"
  S:kinetic_energy(m/2*l^2*phi.dot^2)
  S:potential_energy(-m*g*l*hm.cos(phi))
  return S
end

local function disc()
  local S = hm.system "skate"
  local x, y, theta = S:coordinates "x y theta"
  S:kinetic_energy((x.dot^2 + y.dot^2 + theta.dot^2)/2)
  S:constraint("blade", y.dot*hm.cos(theta) - x.dot*hm.sin(theta))
  return S
end

local S, D = pendulum(), disc()
local calls = {
  ["a declaration"] = pendulum,
  ["a sweep"] = function() return S:sweep{ over = { { "phi", hm.range(0.1, 1, 20) } }, v = { phi = 0 }, t = 1, keep = { "max phi" }, progress = false } end,
  ["a sweep by each"] = function()
    return S:sweep{ n = 10, each = function(i) return { q = { phi = i/10 } } end, v = { phi = 0 }, t = 1, progress = false }
  end,
  ["a run"] = function() return S:simulate{ q = { phi = 1 }, v = { phi = 0 }, t = 1, progress = false } end,
  ["a form derived"] = function() return tostring(disc():equations("chaplygin", { dependent = { "y" } })) end,
  ["a start completed"] = function() return D:simulate{ q = { x = 0, y = 0, theta = 0.3 }, v = { x = 1, theta = 0.1 }, t = 1, progress = false } end,
  ["a rest searched"] = function() return S:equilibrium{ q = { phi = 0.1 } } end,
  ["integrals searched"] = function() return D:conserved{} end,
  ["a linearization"] = function() return tostring(S:linearize{ q = { phi = 0 } }) end,
}

describe("a host's interrupt is never lost", function()
  local seed = tonumber(os.getenv "HML_SEED") or os.time()
  math.randomseed(seed)
  for name, f in pairs(calls) do
    it("in " .. name, function()
      f()                                          -- what is loaded later is loaded now
      local most, tries, missed = 200, 0, 0
      while tries < 60 do
        local n = math.random(most)
        local reached, fine, message = interrupted_after(n, f)
        if reached then
          tries = tries + 1
          assert.truthy(not fine and message:find("interrupted!", 1, true), ("seed %d, after %d instructions: %s"):format(seed, n, message))
          -- what was raised is over: neither a hook nor the flag outlives it
          assert.falsy(debug.gethook(), ("seed %d, after %d instructions: a hook is left"):format(seed, n))
          assert.falsy(core.host.interrupted(), ("seed %d, after %d instructions: the flag is left"):format(seed, n))
          most = math.min(2*most, 2000000)
        else
          missed = missed + 1
          most = most // 2 + 50
          if missed > 60 then break end
        end
      end
      assert.truthy(tries >= 20, tries .. " interrupts reached the call")
    end)
  end
end)
