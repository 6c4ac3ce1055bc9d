-- json: texts of values, values of texts, and texts that are none
local check = require "check"
local json = require "hamel.base.json"

describe("JSON", function()
  it("reads back what it writes", function()
    for _, value in ipairs{ 0, -7, 0.1, 1e300, "a\"\\\n\1b", "αβ 𝄞", true, false } do assert.are.equal(value, json.read(json.text(value))) end
    local nested = { list = { 1, { 2, 3 }, "x" }, name = "y", deep = { { a = { b = {} } } } }
    assert.are.same(nested, json.read(json.text(nested)))
    assert.are.equal("integer", math.type(json.read "12"))
    assert.are.equal("float", math.type(json.read "12.0"))
  end)

  it("writes members in the order of their names, and tells empty lists from empty objects", function()
    assert.are.equal('{"a":1,"b":[],"c":{}}', json.text{ c = json.empty, b = {}, a = 1 })
    assert.are.equal("[null,null]", json.text{ 0/0, 1/0 })
  end)

  it("is UTF-8 whatever the bytes", function()
    assert.are.equal('"a\u{FFFD}b\u{FFFD}\u{FFFD}"', json.text "a\xffb\xed\xa0" .. "")
    assert(utf8.len(json.text(string.char(0xE2, 0x82) .. "x" .. string.char(0xC0, 0x80))))
  end)

  it("reads escapes, pairs of them for one character, and blanks", function()
    assert.are.equal("A/\b\f\n\r\t\"\\é𝄞", json.read ' "\\u0041\\/\\b\\f\\n\\r\\t\\"\\\\\\u00e9\\ud834\\uDD1E" ')
    assert.are.equal("\u{FFFD}x", json.read '"\\ud834x"')
    assert.are.same({ a = { 1, 2 }, b = true }, json.read '\n{ "a" : [ 1 ,2 ] ,\t"b":true, "c": null }')
    assert.is_nil(json.read "null")
  end)

  it("refuses what is no JSON, with the place", function()
    for text, place in pairs{ [""] = 1, ["{"] = 2, ["[1,]"] = 4, ["[1 2]"] = 4, ['{"a" 1}'] = 5, ['"a'] = 2, ['"\\x"'] = 2, ["nul"] = 1, ["1 2"] = 3,
                              ["-"] = 1, ["1.2.3"] = 1, ["{a: 1}"] = 2, ["True"] = 1 } do
      check.raises({ "JSON", "byte " .. place }, json.read, text)
    end
    check.raises({ "too deep" }, json.read, ("["):rep(100000))
  end)
end)
