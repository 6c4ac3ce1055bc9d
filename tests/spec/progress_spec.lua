-- the line of progress, below a cell of a notebook
local check = require "check"

describe("the line of progress", function()
  it("is missing in a pipe, and in a notebook it is covered and erased by blanks", function()
    local script = [[
      local core, progress = require "hamel.core", require "hamel.base.progress"
      local now = 0
      core.host.clock = function() return now end
      local function work(until_, step)
        local line <close> = progress.line("sweep", 100, true)
        local begun = now
        while now < begun + until_ do
          now = now + step
          line:update(math.floor(100*(now - begun)/until_), now > begun + 2 and 0 or 3)
        end
      end
      work(3, 0.125)
      io.stderr:write "|"
      progress.in_notebook()
      work(0.8, 0.125)
      work(3, 0.125)
    ]]
    local _, output = check.script(script)
    local lines = {}
    for line in output:match "^|(.*)$":gmatch "\r([^\r]*)" do lines[#lines + 1] = line end
    assert.are.equal("sweep: 33 of 100, 3 failed, 2 s to go ", lines[1])
    -- from 1 s to 3 s, 4 a second, and the line that erases
    assert.are.equal(9 + 2, #lines)
    local last = #lines
    assert.are.equal("", lines[last])
    assert.are.equal((" "):rep(#lines[last - 2]), lines[last - 1])
    for _, line in ipairs(lines) do assert.is_true(line == "" or #line >= 20) end
  end)
end)
