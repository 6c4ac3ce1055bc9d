-- The programs of the page on ten bodies: short, they run to the end, and every run has a picture of its bodies.
local help = require "hamel.book.help"
local motion, options = require "hamel.show.motion", require "hamel.base.options"

describe("the page on ten bodies", function()
  local file = assert(io.open(help.examples_folder() .. "howto/ten_bodies.md"))
  local text = file:read "a"
  file:close()
  local titles = 0
  for title, program in text:gmatch "\n## ([^\n]+)\n\n```lua\n(.-)```" do
    titles = titles + 1
    it(title .. " takes at most 15 lines, runs and is drawn", function()
      assert.is_true(select(2, program:gsub("\n", "")) <= 15)
      local run, S = assert(load(program .. "return run, S", title))()
      assert.are.equal("OK", run.status)
      assert.is_true(run.energy_drift < 1e-7)
      local data = motion.read(run, nil, options.check("animate", motion.schema, {}), 3)
      -- each body by its shape
      assert.is_true(#data.shapes >= #S._bodies)
    end)
  end
  it("has ten", function() assert.are.equal(10, titles) end)
end)
