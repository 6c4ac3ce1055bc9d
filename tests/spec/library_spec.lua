-- library_spec.lua: the scripts of the library and the list of their statements belong together. That every statement has a line is for
-- hamel reproduce to say, which runs the scripts (the tests paper_*).
local bundled = require "hamel.book.bundled"

describe("the statements of the library", function()
  it("are listed for every script", function()
    local count = 0
    for _, script in ipairs(bundled.all()) do
      if script.name:find "^library/" then
        local statements = bundled.statements(script.path)
        assert.truthy(statements, script.name)
        for i, statement in ipairs(statements) do
          assert.equal("S" .. i, statement.id, script.name)
          assert.truthy(#statement.text > 10, script.name)
          assert.truthy(statement.status == "published" or statement.status == "derived here", script.name)
        end
        count = count + #statements
      end
    end
    assert.equal(79, count)
  end)
  it("belong to no paper", function() assert.is_nil(bundled.statements(bundled.all()[1].path)) end)
end)
