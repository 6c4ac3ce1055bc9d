-- files: written whole or not at all, by one way whoever writes; read with bounds
local hm, check = require "hamel", require "check"
local core = require "hamel.core"

local folder = assert(core.host.private_folder())
local function at(name) return folder .. "/" .. name end

local content = check.content

local function put(name, bytes)
  return check.write(at(name), bytes)
end

-- Names in the folder, hidden ones too
local function names_in(path)
  local pipe = assert(io.popen("ls -A '" .. path .. "'"))
  local names = pipe:read "a"
  pipe:close()
  return names
end

local S = check.sleigh(hm)
local run = S:simulate{ q = { x = 0, y = 0, theta = 0 }, v = { x = 1, theta = 0.3 }, t = 2 }
local W = S:sweep{ over = { { "v.theta", { 0.1, 0.2 } } }, q = { x = 0, y = 0, theta = 0 }, v = { x = 1 }, t = 1 }
local x, y = S:symbol "x", S:symbol "y"
local part = put("part.lua", "local hm = require 'hamel'\n")

-- Everything that writes a file of a name: ending, function
local writers = {
  { ".csv", function(path) run:save(path) end },
  { ".npz", function(path) run:save(path) end },
  { ".json", function(path) run:save(path) end },
  { ".mat", function(path) run:save(path) end },
  { ".hamel", function(path) run:save(path) end },
  { ".csv", function(path) W:save(path) end },
  { ".npz", function(path) W:save(path) end },
  { ".c", function(path) S:export_c(path) end },
  { ".tex", function(path) S:equations():latex(path) end },
  { ".html", function(path) run:animate(path, { { "ball", at = { x, y } } }) end },
  { ".html", function(path) require "hamel.book.manual".write(path) end },
  { ".lua", function(path) require "hamel.book.luacats".command{ "-o", path } end },
  { ".html", function(path)
    local keep = print
    print = function() end                                             -- luacheck: ignore
    local fine, problem = pcall(require "hamel.show.report".write, part, path)
    print = keep                                                       -- luacheck: ignore
    if not fine then error(problem, 0) end
  end },
}
if core.host.spawn({ "gnuplot", "--version" }, "", 10) then
  for _, ending in ipairs{ ".svg", ".png", ".pdf" } do
    writers[#writers + 1] = { ending, function(path) run:plot("x", "y", path) end }
  end
  writers[#writers + 1] = { ".gp", function(path) run:plot("x", { script = path }) end }
end

-- The message of a writer that must fail, with its words
local function refused(writer, path, words)
  local fine, message = pcall(writer[2], path)
  assert.is_false(fine, path)
  for _, word in ipairs{ "cannot write", path, words } do assert.truthy(tostring(message):find(word, 1, true), tostring(message)) end
end

describe("every file that is written", function()
  it("replaces the one that was there as a whole, with its mode, through links, and leaves nothing beside", function()
    for i, writer in ipairs(writers) do
      local path = at(i .. writer[1])
      writer[2](path)
      local first = content(path)
      assert.truthy(#first > 20, path)
      os.execute("chmod 640 '" .. path .. "' && ln -s '" .. path .. "' '" .. at("link" .. i .. writer[1]) .. "'")
      put(i .. writer[1], "old")
      writer[2](at("link" .. i .. writer[1]))
      assert.truthy(#content(path) > 20)
      local pipe = assert(io.popen("stat -c %a '" .. path .. "'"))
      assert.are.equal("640", pipe:read "l")
      pipe:close()
    end
    assert.is_nil(names_in(folder):find(".hamel-", 1, true))
  end)

  it("is refused with its name and the reason where it cannot be written", function()
    local long = at(("n"):rep(300))
    for _, writer in ipairs(writers) do
      refused(writer, at("none/a" .. writer[1]), "No such file")
      refused(writer, long .. writer[1], "File name too long")
      os.execute("mkdir -p '" .. at("folder" .. writer[1]) .. "'")
      refused(writer, at("folder" .. writer[1]), "Is a directory")
      refused(writer, part .. "/a" .. writer[1], "Not a directory")
    end
    -- where even root may not write
    if core.host.read("/proc/version", 1000) then
      for _, writer in ipairs(writers) do
        local fine, message = pcall(writer[2], "/proc/a" .. writer[1])
        assert.is_false(fine)
        assert.truthy(tostring(message):find("cannot write /proc/a", 1, true), tostring(message))
      end
    end
  end)

  it("of the longest name that a folder takes is written", function()
    local path = at(("n"):rep(251) .. ".csv")
    run:save(path)
    assert.truthy(#content(path) > 20)
  end)

  it("goes straight to a device", function()
    os.execute("ln -s /dev/null '" .. at "null.csv" .. "'")
    run:save(at "null.csv")
    assert.are.equal("", content "/dev/null")
    if io.open("/dev/full", "r") then
      os.execute("ln -s /dev/full '" .. at "full.csv" .. "'")
      check.raises({ "cannot write", "No space left" }, run.save, run, at "full.csv")
    end
  end)

  -- a file system of 16 kB; needs root
  it("stays as it was on a full disk", function()
    local disk = at "disk"
    os.execute("mkdir '" .. disk .. "'")
    if not os.execute("mount -t tmpfs -o size=16k tmpfs '" .. disk .. "' 2> /dev/null") then return pending "mounting a small disk needs root" end
    local fine, problem = pcall(function()
      local fill = assert(io.open(disk .. "/fill", "wb"))
      fill:write(("x"):rep(8192))
      fill:close()
      local more = S:simulate{ q = { x = 0, y = 0, theta = 0 }, v = { x = 1, theta = 0.3 }, t = 500 }
      for _, ending in ipairs{ ".csv", ".npz", ".hamel" } do
        writers[#writers + 1] = { ending, function(path) more:save(path) end }
      end
      local refusals = 0
      for _, writer in ipairs(writers) do
        local path = disk .. "/a" .. writer[1]
        os.execute("printf good > '" .. path .. "'")
        local written, message = pcall(writer[2], path)
        if not written then
          refusals = refusals + 1
          assert.truthy(tostring(message):find("No space left", 1, true), tostring(message))
          assert.are.equal("good", content(path))
        end
        os.remove(path)
        assert.are.equal("fill\n", names_in(disk))
      end
      assert.truthy(refusals >= 7, refusals)
    end)
    os.execute("umount '" .. disk .. "'")
    assert(fine, problem)
  end)
end)

describe("every file that is read", function()
  local readers = { hm.read, hm.load, function(path) require "hamel.analysis.shards".collect{ path } end }
  it("is a regular file of bounded size", function()
    os.execute("mkfifo '" .. at "fifo" .. "' && truncate -s 3T '" .. at "huge" .. "' && ln -s /dev/zero '" .. at "zero" .. "'")
    for _, reader in ipairs(readers) do
      check.raises({ "no regular file" }, reader, at "fifo")
      check.raises({ "no regular file" }, reader, at "zero")
      check.raises({ "megabytes, more than" }, reader, at "huge")
      check.raises({ reader == readers[3] and "is a folder; name the files in it" or "Is a directory" }, reader, folder)
      -- parts that are not there yet are named, and others are joined
      local absent = reader == readers[3] and select(2, require "hamel.analysis.shards".collect{ at "nothing" }).absent
      if absent then assert.are.same({ at "nothing" }, absent) else check.raises({ "No such file" }, reader, at "nothing") end
    end
  end)

  it("that is removed leaves an empty folder", function()
    assert(os.execute("rm -r '" .. folder .. "'"))
  end)
end)

describe("a line of a part of a sweep", function()
  it("reads back every text", function()
    local shards = require "hamel.analysis.shards"
    for _, text in ipairs{ "a\nb", "\t", '"', "C:\\new\\table", "\\u0041", "\\\\u0041", "\1", "é", "\\" } do
      assert.equal(text, shards.decode(shards.encode(text)))
    end
    assert.equal("/A\n\\n", shards.decode '"\\/\\u0041\\n\\\\n"')
  end)
end)
