-- run:animate: a browser draws the page
local hm, check = require "hamel", require "check"
check.needs("command -v chromium || command -v chromium-browser || command -v google-chrome", "a browser (chromium)")

local function browser()
  for _, name in ipairs{ "chromium", "chromium-browser", "google-chrome" } do
    if os.execute("command -v " .. name .. " > /dev/null 2>&1") then return name end
  end
end

describe("run:animate", function()
  it("is drawn by a browser", function()
    local S, x, y, theta = check.sleigh(hm)
    local run, path = S:simulate{ q = { x = 0, y = 0, theta = 0 }, v = { x = 1, theta = 0.3 }, t = 4 }, os.tmpname() .. ".html"
    run:animate(path, { { "plane" }, { "ball", at = { x, y, 0.2 }, radius = 0.2 }, { "bar", from = { x, y, 0 }, to = { x, y, 1 } },
      { "disc", at = { x, y, 0.5 }, axis = { 0, 1, 0 }, spin = theta }, { "blade", at = { x, y }, along = { hm.cos(theta), hm.sin(theta) } },
      { "trace", of = { x, y } } })
    local function look(moment)
      local picture = os.tmpname() .. ".png"
      local base = browser() .. " --headless --no-sandbox --disable-gpu --virtual-time-budget=500 --window-size=700,500 "
      assert(os.execute(base .. "--screenshot=" .. picture .. " 'file://" .. path .. "#t=" .. moment .. "' > /dev/null 2>&1"))
      local pipe = assert(io.popen(base .. "--dump-dom 'file://" .. path .. "#t=" .. moment .. "' 2> /dev/null"))
      local dom = pipe:read "a"
      pipe:close()
      local bytes = check.content(picture)
      os.remove(picture)
      return bytes, dom
    end
    local first, dom = look "1"
    local second = look "3"
    -- the script ran to its end, and the picture is neither empty nor the same at another moment
    assert.truthy(dom:find(">play<", 1, true))
    assert.truthy(#first > 8000 and #second > 8000 and first ~= second)
    os.remove(path)
  end)

  it("draws every shape without an error of the script", function()
    local S, x, y, theta = check.sleigh(hm)
    local run, path = S:simulate{ q = { x = 0, y = 0, theta = 0 }, v = { x = 1, theta = 0.3 }, t = 4 }, os.tmpname() .. ".html"
    local at, ahead = { x, y, 0.2 }, { hm.cos(theta), hm.sin(theta) }
    run:animate(path, { { "plane" }, { "box", at = at, along = ahead },
      { "cylinder", from = at, to = { x, y, 1 } }, { "cone", from = { x, y, 1 }, to = { x, y, 2 } },
      { "ellipsoid", at = { 0, 0, 1 }, along = ahead }, { "wheel", at = at, axis = { 0, 1, 0 }, spin = theta }, { "spring", from = { 0, 0, 0 }, to = at },
      { "arrow", at = at, along = { hm.sin(theta), -hm.cos(theta) }, force = "lambda.blade", label = "reaction" }, { "trace", of = at, label = "path" } },
      { follow = { x, y }, gravity = { 0, 0, -1 }, show = { "energy", "theta'" } })
    local picture = os.tmpname() .. ".png"
    local pipe = assert(io.popen(browser() .. " --headless --no-sandbox --disable-gpu --enable-logging=stderr --virtual-time-budget=500 --window-size=700,500"
      .. " --screenshot=" .. picture .. " 'file://" .. path .. "#t=2' 2>&1"))
    local log = pipe:read "a"
    pipe:close()
    local file = assert(io.open(picture, "rb"))
    local bytes = file:read "a"
    file:close()
    os.remove(picture)
    os.remove(path)
    assert.is_nil(log:match "[^\n]*CONSOLE[^\n]*", log)
    assert.truthy(#bytes > 15000)
  end)

  it("integrates the motion anew when a slider is moved, as a run with that value", function()
    local S = hm.system "two links on a sleigh"
    local x, y, theta, phi = S:coordinates "x y theta phi"
    local m, J, a, k = S:positive "m=1 J=1/2 a=1/4 k=2"
    local u = S:parameters "u=1/5"
    local X, Y = x + a*hm.cos(theta), y + a*hm.sin(theta)
    S:kinetic_energy(m/2*(hm.dt(X)^2 + hm.dt(Y)^2) + J/2*theta.dot^2 + hm.tanh(phi.dot)^2/9 + phi.dot^2/2)
    S:potential_energy(k*hm.abs(phi - 3)*(phi - theta)^2/4 + hm.sqrt(1 + phi^2)/5)
    S:force(theta, hm.sin(2*hm.t)/3)
    -- the start moves with the slider of u
    S:constraint("blade", x.dot*hm.sin(theta) - y.dot*hm.cos(theta) - u*phi.dot)
    local start = { q = { x = 0, y = 0, theta = 0.1, phi = 0.3 }, v = { x = 1, theta = 0.7, phi = 0.4 }, t = 4, rtol = 1e-11, atol = 1e-12 }
    local run, path = S:simulate(start), os.tmpname() .. ".html"
    local shapes = { { "ball", at = { x, y }, radius = 0.1 }, { "trace", of = { x + hm.cos(phi), y + hm.sin(phi), phi.dot } } }
    run:animate(path, shapes, { n = 201, sliders = { a = { 0.1, 0.6 }, [u] = { -1, 1 }, k = { 1, 4 } } })
    local page = check.content(path)
    local function moved(values)
      local script = {}
      for name, value in pairs(values) do
        script[#script + 1] = ("{ const r = [...document.querySelectorAll('#sliders input')].find(i => i.dataset.name === '%s'); "
          .. "r.value = %.17g; r.oninput(); }"):format(name, value)
      end
      script[#script + 1] = "document.body.textContent = 'RESULT ' + [...data.frames[data.frames.length - 1], ...data.shapes[1].track[100], "
        .. "...startOf([1, 0.5, 0.25, 2, 1]), live.accuracy, live.residual].join(' ') + ' END';"
      local file = assert(io.open(path, "w"))
      file:write((page:gsub("</script></body>", function() return table.concat(script, "\n") .. "</script></body>" end)))
      file:close()
      local pipe = assert(io.popen(browser() .. " --headless --no-sandbox --disable-gpu --dump-dom 'file://" .. path .. "' 2> /dev/null"))
      local dom, numbers = pipe:read "a", {}
      pipe:close()
      for word in (dom:match "RESULT (.-) END" or ""):gmatch "%S+" do numbers[#numbers + 1] = tonumber(word) end
      return numbers
    end
    for _, values in ipairs{ { k = 2 }, { a = 0.55, k = 3.5 }, { u = -0.7 } } do
      local n = moved(values)
      assert.truthy(#n > 15, "the page's script ended early")
      start.parameters = values
      -- the velocities of the start that the constraint asks for, by the shortest change of those of the run
      local v = run:at(0).v
      local c, s = math.cos(0.1), math.sin(0.1)
      local new = values.u or 0.2
      local off = (v.x*s - v.y*c - new*v.phi)/(s^2 + c^2 + new^2)
      start.v = { x = v.x - off*s, y = v.y + off*c, theta = v.theta, phi = v.phi + off*new }
      local other = S:simulate(start)
      local last = other:at(4)
      for i, want in ipairs{ last.x, last.y, 0, last.x + math.cos(last.phi), last.y + math.sin(last.phi), last.v.phi, other:at(4, "energy") } do
        check.near(n[i], want, 2e-6)
      end
      local middle = other:at(2)
      check.near(n[8], 2, 1e-12)
      check.near(n[9], middle.x + math.cos(middle.phi), 2e-6)
      assert.truthy(n[#n] < 1e-6 and n[#n - 1] < 1e-6)
    end
    os.remove(path)
  end)
end)
