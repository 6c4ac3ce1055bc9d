-- a thousand digits, which go by blocks: those of other bits and orders, and the sixty that are known.
local certified, core = require "certified", require "hamel.core"

if not core.has_arb then os.exit(77) end

describe("a thousand digits", function()
  local function check_thousand(S, start, t)
    local before = os.clock()
    local many = S:reference(certified.with(start, { t = t, digits = 1000 }))
    print(("%s, t = %s: 1000 digits in %.0f s, radius below 10^-1000"):format(S.name, tostring(t), os.clock() - before))
    local more, few = S:reference(certified.with(start, { t = t, digits = 1080 })), S:reference(certified.with(start, { t = t, digits = 60 }))
    assert.is_true(many.proved and more.bits > many.bits)
    for _, part in ipairs{ "q", "v" } do
      for name, text in pairs(many[part]) do
        assert.is_true(#text > 1000)
        assert(certified.agree(more[part][name], text), name)
        assert(certified.agree(text, few[part][name]), name)
      end
    end
  end
  it("of the sleigh are the same with more bits", function()
    local S, start = certified.sleigh()
    check_thousand(S, start, 1)
  end)
  it("of the double pendulum are the same with more bits", function()
    local S, start = certified.pendulum()
    check_thousand(S, start, "1/4")
  end)
end)
