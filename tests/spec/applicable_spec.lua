-- S:forms(): which forms apply, with which dependent velocities, and why the others do not
local hm, check = require "hamel", require "check"
local registry = require "hamel.forms"

describe("the overview of forms", function()
  it("lists every form of the registry, as S:equations takes it", function()
    local S = check.sleigh(hm)
    local list, count = S:forms(), 0
    for name in pairs(registry) do
      count = count + 1
      local fine = pcall(S.equations, S, name)
      assert.are.equal(fine, list[name].applies, name)
    end
    assert.are.equal(count, #list)
    assert.is_true(list.lindelof.another_motion)
    assert.is_false(list.maggi.another_motion)
    assert.truthy(list.mapping.reason:find("needs mapping = S:linear_mapping", 1, true))
    assert.truthy(tostring(list):find("mapping            no: ", 1, true))
    assert.truthy(tostring(list):find("vakonomic          yes (another motion", 1, true))
  end)

  it("finds dependent velocities of a Chaplygin system, and says why none do", function()
    local S = hm.system "one way only"
    local u, w, z = S:coordinates "u w z"
    S:kinetic_energy((u.dot^2 + w.dot^2 + z.dot^2)/2)
    S:constraint("c", w.dot + 2*z.dot - u.dot*hm.sin(w))
    local row = S:forms().chaplygin
    assert.is_true(row.applies and row.dependent == nil and row.reason == nil)
    S:potential_energy(z^2 + w^2 + u^2)
    row = S:forms().chaplygin
    assert.is_false(row.applies)
    assert.truthy(row.reason:find("no Chaplygin system", 1, true))
    assert.is_nil(row.reason:find(".lua:", 1, true))
    local B = hm.system "turntable"
    local x, y, a1, a2 = B:coordinates "x y a1 a2"
    local a = B:positive "a=1/10"
    B:kinetic_energy((x.dot^2 + y.dot^2)/2 + (a1.dot^2 + a2.dot^2)/5)
    B:force(x, -x)
    B:force(y, -y)
    B:constraint("x", x.dot - a*a2.dot + y)
    B:constraint("y", y.dot + a*a1.dot - x)
    row = B:forms().chaplygin
    assert.are.same({ "a1", "a2" }, row.dependent)
    assert.is_true(#B:equations("chaplygin", { dependent = row.dependent }) == 2)
    assert.truthy(B:forms().vakonomic.reason:find("forces without potential", 1, true))
    assert.truthy(tostring(B:forms()):find('chaplygin          yes, with dependent = {"a1", "a2"}', 1, true))
  end)

  it("needs coordinates", function() check.raises({ "has no coordinates yet" }, hm.system("empty").forms, hm.system "empty") end)
end)
