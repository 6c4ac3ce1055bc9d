-- what NumPy itself reads from our .npz files
local hm, check = require "hamel", require "check"
check.needs("python3 -c 'import numpy' || /usr/bin/python3 -c 'import numpy'", "python3 with numpy (python3-numpy)")
local python = os.execute "python3 -c 'import numpy' > /dev/null 2>&1" and "python3" or "/usr/bin/python3"

describe("an .npz file", function()
  it("is read by NumPy with the same numbers", function()
    local path = os.tmpname() .. ".npz"
    local run = check.sleigh(hm):simulate{ q = { x = 0, y = 0, theta = 0 }, v = { x = 1, theta = 0.3 }, t = 2 }
    run:save(path, { n = 11 })
    local pipe = assert(io.popen(python .. " -c \"import numpy; d = numpy.load('" .. path .. "'); print(repr(float(d['x'][10])), d['t'].shape)\" 2>&1"))
    local printed = pipe:read "a"
    pipe:close()
    os.remove(path)
    local x, count = printed:match "^(%S+) %((%d+),%)"
    assert.are.same({ run:at(2).x, "11" }, { tonumber(x), count }, printed)
  end)
end)
