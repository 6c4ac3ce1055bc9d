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
end)
