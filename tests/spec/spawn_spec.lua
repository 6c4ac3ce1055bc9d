-- spawn_spec.lua: programs beside this one: what they say, how they end, several at once, what runs is ended when a call breaks.
local check = require "check"
local host = require "hamel.core".host

local PATIENCE = 120                   -- seconds, on a busy machine

local function shell(text) return { "sh", "-c", text } end

describe("programs side by side", function()
  it("are all run, and each is told with its number and what it said", function()
    local jobs, seen = {}, {}
    for i = 1, 7 do jobs[i] = shell(("sleep 0.0%d; echo job %d; echo wrong >&2; exit %d"):format(8 - i, i, i % 3)) end
    assert.is_true(host.spawn_all(jobs, PATIENCE, 3, function(i, status, output, errors)
      assert.is_nil(seen[i])
      seen[i] = { status, output, errors }
    end))
    for i = 1, 7 do assert.same({ i % 3, ("job %d\n"):format(i), "wrong\n" }, seen[i]) end
  end)
  it("run at once: two that wait for each other end", function()
    local folder = assert(host.private_folder())
    local wait = "touch %s/%s; while [ ! -e %s/%s ]; do sleep 0.01; done"
    local ended = 0
    host.spawn_all({ shell(wait:format(folder, "a", folder, "b")), shell(wait:format(folder, "b", folder, "a")) }, PATIENCE, 2, function(_, status)
      assert.equal(0, status)
      ended = ended + 1
    end)
    host.spawn({ "rm", "-r", folder }, "", PATIENCE)
    assert.equal(2, ended)
  end)
  it("carry long outputs", function()
    host.spawn_all({ shell "yes word | head -c 3000000", shell "yes word | head -c 1000000 >&2" }, PATIENCE, 2, function(i, status, output, errors)
      assert.equal(0, status)
      assert.equal(i == 1 and 3000000 or 0, #output)
      assert.equal(i == 1 and 0 or 1000000, #errors)
    end)
  end)
  it("say why they could not be run or did not end", function()
    local reasons = {}
    local function tell(i, status, what) reasons[i] = status or what end
    host.spawn_all({ { "no-such-program-anywhere" }, shell "kill -9 $$" }, PATIENCE, 1, tell)
    assert.truthy(reasons[1]:find "no%-such%-program%-anywhere: ")
    assert.equal(128 + 9, reasons[2])
    host.spawn_all({ shell "sleep 600" }, 0.5, 1, tell)
    assert.truthy(reasons[1]:find "did not end in time")
  end)
  it("are killed when the call breaks", function()
    local folder = assert(host.private_folder())
    local wait = "while [ ! -e %s/go ]; do sleep 0.01; done; touch %s/late"
    check.raises({ "broken" }, function()
      host.spawn_all({ shell "true", shell(wait:format(folder, folder)) }, PATIENCE, 2, function() error "broken" end)
    end)
    check.write(folder .. "/go", "")
    host.spawn({ "sleep", "1" }, "", PATIENCE)
    assert.same({ "go" }, host.list(folder))
    host.spawn({ "rm", "-r", folder }, "", PATIENCE)
  end)
  it("want words", function()
    check.raises({ "1 to 60 words" }, function() host.spawn_all({ {} }, 1, 1, print) end)
    check.raises({ "table expected" }, function() host.spawn_all({ "ls" }, 1, 1, print) end)
    assert.is_true(host.spawn_all({}, 1, 1, print))
  end)
end)
