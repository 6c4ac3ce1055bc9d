-- readers: what odd files of tables and runs give, and what their refusals say; tests/fuzz feeds the same readers with anything
local hm, check = require "hamel", require "check"
local core = require "hamel.core"

local folder = assert(core.host.private_folder())

local function put(name, bytes)
  local path = folder .. "/" .. name
  return check.write(path, bytes)
end

local function crc32(bytes)
  local crc = 0xffffffff
  for i = 1, #bytes do
    crc = crc ~ bytes:byte(i)
    for _ = 1, 8 do crc = (crc >> 1) ~ (crc & 1)*0xedb88320 end
  end
  return crc ~ 0xffffffff
end

-- A zip archive of stored files: { {name, bytes, claimed size}, ... } (PKWARE APPNOTE 4.3)
local function zip(entries)
  local files, directory, at = {}, {}, 0
  for i, entry in ipairs(entries) do
    local name, bytes, size = entry[1], entry[2], entry[3] or #entry[2]
    local common = string.pack("<I2I2I2I2I2I4I4I4I2I2", 20, 0, entry[3] and 8 or 0, 0, 33, crc32(bytes), #bytes, size, #name, 0)
    files[i] = "PK\3\4" .. common .. name .. bytes
    directory[i] = "PK\1\2" .. string.pack("<I2", 20) .. common .. string.pack("<I2I2I2I4I4", 0, 0, 0, 0, at) .. name
    at = at + #files[i]
  end
  local list = table.concat(directory)
  return table.concat(files) .. list .. "PK\5\6" .. string.pack("<I2I2I2I2I4I4I2", 0, 0, #entries, #entries, #list, at, 0)
end

local function npy(descr, order, shape, body)
  local header = ("{'descr': '%s', 'fortran_order': %s, 'shape': %s, }\n"):format(descr, order, shape)
  return "\x93NUMPY\1\0" .. string.pack("<I2", #header) .. header .. body
end

local function array(...) return hm.read(put("a.npz", zip{ { "a.npy", npy(...) } })).a end

describe("an .npz file", function()
  it("gives numbers of every type, by rows and by columns", function()
    local bytes = string.pack("<dddd", 1, 2, 3, 4)
    assert.are.same({ 1, 2, 3, 4 }, array("<f8", "False", "(4,)", bytes))
    assert.are.same({ { 1, 2 }, { 3, 4 } }, array("<f8", "False", "(2, 2)", bytes))
    assert.are.same({ { 1, 3 }, { 2, 4 } }, array("<f8", "True", "(2, 2)", bytes))
    assert.are.same({ { 1, 3 }, { 2, 4 } }, array("<f8", "True", "(2,2)", bytes))
    assert.are.same({ 1 }, array("<f8", "False", "()", bytes))
    assert.are.same({ 1, 2, 3, 4 }, array("<f8", "False", "(2, 1, 2)", bytes))
    assert.are.same({ -2, 3 }, array("<i2", "False", "(2,)", string.pack("<hh", -2, 3)))
    assert.are.same({ 254, 3 }, array("|u1", "False", "(2,)", "\254\3"))
    assert.are.same({ 1, 0 }, array("|b1", "False", "(2,)", "\1\0"))
    assert.are.same({ 1.5 }, array("<f4", "False", "(1,)", string.pack("<f", 1.5)))
  end)

  it("without numbers is an empty list, whatever its shape says", function()
    for _, shape in ipairs{ "(0,)", "(1000000000000, 0)", "(0, 300000000)", "(3, 0)", "(0, 0)" } do
      assert.are.same({}, array("<f8", "False", shape, ""))
    end
  end)

  it("is refused with the array and the reason", function()
    local double = string.pack("<d", 1)
    for _, case in ipairs{
      { "is cut", "<f8", "False", "(3,)", double }, { "is too large", "<f8", "False", "(99999999999,)", double },
      { "is too large", "<f8", "False", "(4294967296, 4294967296)", double }, { "shape", "<f8", "False", "(-1,)", double },
      { "shape", "<f8", "False", "(x)", double }, { "is too large", "<f8", "False", "(1,1,1,1,1,1,1,1,1)", double },
      { "order of bytes", ">f8", "False", "(1,)", double }, { "numbers of 1 to 8 bytes", "<f2", "False", "(1,)", double },
      { "numbers of 1 to 8 bytes", "<U4", "False", "(1,)", double }, { "numbers of 1 to 8 bytes", "|O", "False", "(1,)", double },
    } do
      check.raises({ "hm.read", "a.npz", "'a.npy'", case[1] }, array, table.unpack(case, 2))
    end
    -- headers that end where the next character would be read
    for _, header in ipairs{ "'fortran_order': False, 'shape': (1,), 'descr': '", "'descr': '<", "'descr': '<f", "'descr': '<f8", "'shape': (", "" } do
      local text = (" "):rep(511 - #header) .. header
      check.raises({ "'a.npy'" }, hm.read, put("b.npz", zip{ { "a.npy", "\x93NUMPY\1\0" .. string.pack("<I2", #text) .. text } }))
    end
    check.raises({ "claims more bytes" }, hm.read, put("b.npz", zip{ { "a.npy", npy("<f8", "False", "(50000000,)", double), 400000128 } }))
    check.raises({ "holds no arrays" }, hm.read, put("b.npz", zip{ { "a.txt", "text" } }))
    check.raises({ "hm.read" }, hm.read, put("b.npz", ""))
    check.raises({ "hm.read", "b.npz" }, hm.read, put("b.npz", "no archive"))
  end)

  it("keeps an array that is called names, and arrays of one name", function()
    local one = npy("<f8", "False", "(1,)", string.pack("<d", 1))
    local d = hm.read(put("b.npz", zip{ { "names.npy", one }, { "x.npy", one } }))
    assert.are.same({ "column names", "x" }, d.names)
    assert.are.same({ 1 }, d["column names"])
  end)
end)

describe("a CSV file", function()
  it("keeps columns that are called names, and columns of one name", function()
    local d = hm.read(put("a.csv", "names,x,x,names\n1,2,3,4\n5,6,7,8\n"))
    assert.are.same({ "column names", "x", "x (2)", "column names (2)" }, d.names)
    assert.are.same({ { 1, 5 }, { 2, 6 }, { 3, 7 }, { 4, 8 } }, { d["column names"], d.x, d["x (2)"], d["column names (2)"] })
  end)
end)

describe("a .hamel file with a valid checksum", function()
  local S = check.sleigh(hm)
  local path = folder .. "/run.hamel"
  S:simulate{ q = { x = 0, y = 0, theta = 0 }, v = { x = 1, theta = 0.3 }, t = 1 }:save(path)
  local good = check.content(path)

  local function changed(from, to)
    local head, block = good:match "^(.-\n\n)%d+ %x+\n(.*)$"
    local new, count = head:gsub(from, to)
    assert(count > 0, from)
    return put("changed.hamel", new .. ("%d %s\n"):format(#block, core.checksum(new .. block)) .. block)
  end

  it("is read when nothing is wrong with it", function()
    assert.are.equal("Chaplygin sleigh", hm.load(changed("x", "x")).system)
    assert.are.equal("OK", hm.load(changed("x", "x"), S).status)
  end)

  it("is refused with what is wrong in its header", function()
    for _, case in ipairs{
      { "\nform: [^\n]*", "", "'form' is missing" }, { "\nsystem: [^\n]*", "", "'system' is missing" }, { "\nspan: [^\n]*", "\nspan: 1", "'span'" },
      { "\nspan: [^\n]*", "", "'span'" }, { "\nequations: [^\n]*", "", "'equations'" }, { "\nstatus: [^\n]*", "", "'status'" },
      { "\ncoordinates: 3", "\ncoordinates: 1e9", "'coordinates'" }, { "\ncoordinates: 3", "\ncoordinates: -1", "'coordinates'" },
      { "\nstate: x\n", "\nstrange group: x\n", "'strange group: x'" }, { "\nstate: x\n", "\nnothing\n", "'nothing'" },
      { "\nparameter: m [^\n]*", "\nparameter: m", "'parameter m'" }, { "\nparameter: m [^\n]*", "\nparameter: m x", "'parameter m x'" },
      { "\noutcome t: [^\n]*", "\noutcome t: x", "'outcome t'" }, { "\noutcome t: [^\n]*", "", "'outcome t'" },
      { "\noption rtol: [^\n]*", "\noption rtol: x", "'option rtol'" }, { "\noption method: [^\n]*", "", "'option method'" },
      { "\nstate: x\n", "\nstate: x\nstate: a\nstate: b\nstate: c\nstate: d\nstate: e\nstate: f\nstate: g\n", "states" },
    } do
      check.raises({ "changed.hamel", "is damaged", case[3] }, hm.load, changed(case[1], case[2]))
      check.raises({ "changed.hamel", "is damaged", case[3] }, hm.load, changed(case[1], case[2]), S)
    end
  end)
end)

describe("the folder of this spec", function()
  it("is removed", function() assert(os.execute("rm -r '" .. folder .. "'")) end)
end)
