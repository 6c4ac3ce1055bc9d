-- annotations for editors
require "hamel"
local luacats = require "hamel.book.luacats"

describe("annotations", function()
  local text = luacats.text()

  it("are Lua that defines nothing but tables and functions", function()
    local library = assert(load(text, "=annotations", "t", {}))()
    assert.are.equal("table", type(library))
    for name in pairs(require "hamel") do
      if name ~= "t" and name ~= "pi" and name ~= "version" then assert.truthy(rawget(library, name), "hm." .. name .. " is not annotated") end
    end
  end)

  it("know classes, options and results", function()
    for _, line in ipairs{ "---@meta hamel", "---@class hamel.System", "---@class hamel.options.simulate", "---@field rtol? number relative tolerance per step",
                           "---@param given? hamel.options.simulate", "---@return hamel.Trajectory", "function System:simulate(given) end",
                           "---@operator mul(hamel.Expression|number): hamel.Expression" } do
      assert.truthy(text:find(line, 1, true), line)
    end
  end)

  it("become types of the Python package where the file is called .pyi", function()
    local path = os.tmpname() .. ".pyi"
    assert.is_true(luacats.command{ "-o", path })
    local types = require "check".content(path)
    os.remove(path)
    for _, line in ipairs{ "class System:", "class Trajectory(Object):",
                           "    def simulate(self, given: Mapping[str, Any] = ..., /, *, atol: Number | str | Expression = ...",
                           ") -> Trajectory: ...", "    def __rmul__(self, other: Any) -> Expression: ...", "def sin(*arguments: Any" } do
      assert.truthy(types:find(line, 1, true), line)
    end
    assert.is_nil(types:find("lambda:", 1, true))
  end)
end)
