-- certified numbers: motions whose digits were proved by an independent prototype in C++ with other bits and orders; the double pendulum also
-- by mpmath's Taylor solver. The rattleback is in tests/nightly.
local hm, certified, core = require "hamel", require "certified", require "hamel.core"

if not core.has_arb then os.exit(77) end

local function check_digits(S, start, t, digits, wanted)
  local r = S:reference(certified.with(start, { t = t, digits = digits }))
  assert.is_true(r.proved)
  for part, list in pairs(wanted) do
    for name, text in pairs(list) do
      assert(certified.agree(r[part][name], text), ("%s.%s: %s, not %s"):format(part, name, r[part][name], text))
    end
  end
end

describe("proved digits", function()
  it("of the double pendulum at t = 1/2 and 10", function()
    local S, start = certified.pendulum()
    check_digits(S, start, "1/2", 32, {
      q = { a = "0.86739025756841990156447566368934", b = "2.2803880972739860200531070947438" },
      v = { a = "-3.8924622234750224290364215184176", b = "-3.2247182915857184156700047652082" } })
    check_digits(S, start, 10, 60, {
      q = { a = "-0.753128874294911353223357535590158000898367622321230912072232",
            b = "1.62793308205370408408916681091711855776601924640969612723874" },
      v = { a = "-4.08736885134419693363671565635041329101455127997972476858642",
            b = "-8.86970257838753260872250715852632481316225832275426206828924" } })
  end)

  it("of the offset sleigh at t = 20, sixty and two hundred of them", function()
    local S, start = certified.sleigh()
    check_digits(S, start, 20, 60, {
      q = { x = "13.7732407269493580005079467986263723610423818839270115698643",
            y = "15.8800318980200509098008431834828858824898733414542379768124",
            theta = "0.938842574172806757137435871890832886095440194228415373917827" },
      v = { theta = "9.60673072995708232145876132606942492470505561423511824242206e-6" } })
    check_digits(S, start, 20, 200, { v = {
      y = "0.864335927789857901177850981957705110027566300743769151118750658127409075034314215681933630983757647720308608"
        .. "78957201895227140905875040984587820400627484795647958855149694699891205458321730711600143986" } })
  end)

  it("of the rolling disc at t = 5", function()
    local S, start = certified.disc()
    check_digits(S, start, 5, 58, {
      q = { x = "0.487838743117911668626706135826458932348678981151195456161",
            y = "17.0553013117781203484471850476468154239993773396256352334",
            psi = "-3.05469699570668805293372994085043223634224704339826968138",
            theta = "1.10923325805996364026704983842476355942771029237938459898",
            phi = "27.6174769900026685200057637468641802986450458302268388700" } })
  end)

  it("of the closed orbit of the pendulum with the energy -20", function()
    local S, _, a = certified.pendulum()
    local p = S:prove_periodic{ section = a, at = 0, energy = -20, q = { b = 0 }, v = { a = 1.2, b = 2.95 }, period = 2.726 }
    assert.is_true(p.proved)
    for _, row in ipairs{ { p.v.a, "1.2177147544638455189029133" }, { p.v.b, "2.9508786266134041910141827" }, { p.period, "2.7261962880204880719498778" } } do
      assert(certified.agree(row[1]:text(26), row[2]), row[1]:text(26) .. ", not " .. row[2])
    end
  end)

  it("agree to one unit of the last of them", function()
    assert.is_true(certified.agree("-0.12345678901235", "-0.1234567890123"))
    assert.is_true(certified.agree("0.1234567890124", "0.1234567890123"))
    assert.is_true(certified.agree("0.1200000000000", "0.1199999999999"))
    for _, pair in ipairs{ { "0.1234567890125", "0.1234567890123" }, { "-0.5", "0.5" }, { "0.1234e-6", "0.1234e-5" }, { "1.234", "12.34" },
                           { "0.2234567890123", "0.1234567890123" } } do
      assert.is_false(certified.agree(pair[1], pair[2]))
    end
  end)
end)
