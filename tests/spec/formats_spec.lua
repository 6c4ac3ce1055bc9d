-- run:save to .json and .mat: read back by readers that know the formats only
local hm, check = require "hamel", require "check"

local function content(path)
  local bytes = check.content(path)
  os.remove(path)
  return bytes
end

-- JSON as a table; null is false
local function read_json(text)
  local at = 1
  local value
  local function skip() at = text:find("%S", at) or #text + 1 end
  local function word(pattern)
    local from, to = text:find("^" .. pattern, at)
    if not from then error("at byte " .. at) end
    at = to + 1
    return text:sub(from, to)
  end
  local function string_value()
    local raw = word '"[^"\\]*"'
    return raw:sub(2, -2)
  end
  local function list(close, entry)
    at = at + 1
    local result = {}
    skip()
    while text:sub(at, at) ~= close do
      entry(result)
      skip()
      if text:sub(at, at) == "," then at = at + 1 skip() end
    end
    at = at + 1
    return result
  end
  function value()
    skip()
    local first = text:sub(at, at)
    if first == "{" then
      return list("}", function(result)
        local key = string_value()
        skip()
        word ":"
        result[key] = value()
      end)
    elseif first == "[" then return list("]", function(result) result[#result + 1] = value() end)
    elseif first == '"' then return string_value()
    elseif first == "n" then return word "null" and false end
    return tonumber(word "[-+%d%.eE]+")
  end
  return value()
end

-- The arrays of a MAT file of level 5 by name: lists of doubles, or lines
local function read_mat(bytes)
  assert.equal("MATLAB 5.0 MAT-file", bytes:sub(1, 19))
  assert.equal(0x0100, (string.unpack("<I2", bytes, 125)))
  assert.equal("IM", bytes:sub(127, 128))
  local at, arrays = 129, {}
  local function element(from)
    local kind, size = string.unpack("<I4I4", bytes, from)
    return kind, bytes:sub(from + 8, from + 7 + size), from + 8 + (size + 7)//8*8
  end
  while at <= #bytes do
    local kind, _, following = element(at)
    assert.equal(14, kind)
    local _, flags, next_one = element(at + 8)
    local _, shape, after_shape = element(next_one)
    local _, name, after_name = element(after_shape)
    local _, data, last = element(after_name)
    assert.equal(following, last)
    local rows, columns = string.unpack("<i4i4", shape)
    local list = {}
    if flags:byte() == 6 then
      for i = 1, rows*columns do list[i] = string.unpack("<d", data, 8*i - 7) end
    else
      for k = 1, rows do
        local line = {}
        for c = 1, columns do line[c] = utf8.char((string.unpack("<I2", data, 2*((c - 1)*rows + k) - 1))) end
        list[k] = table.concat(line):gsub(" +$", "")
      end
    end
    arrays[name], at = list, following
  end
  return arrays
end

local function run_of_sleigh()
  return check.sleigh(hm):simulate{ q = { x = 0, y = 0, theta = 0 }, v = { x = 1, theta = 0.3 }, t = 2 }
end

describe("a saved run", function()
  it("is JSON with the same doubles", function()
    local run, path = run_of_sleigh(), os.tmpname() .. ".json"
    assert.equal(11, run:save(path, { n = 11 }).rows)
    local saved = read_json(content(path))
    local t, x, v, lambda = run:series("x", "x'", "lambda.blade", { n = 11 })
    assert.same(t, saved.columns.t)
    assert.same(v, saved.columns["x'"])
    assert.same(lambda, saved.columns["lambda.blade"])
    assert.same(11, #x)
    assert.equal("Chaplygin sleigh", saved.about.system)
    assert.truthy(saved.about.parameters:find("m = 1", 1, true))
  end)

  it("has null where there is no number", function()
    local json = require "hamel.base.json"
    assert.equal('[1,null,null,"a\\"\\u0001",0.1]', json.text{ 1, 0/0, 1/0, 'a"\1', 0.1 })
  end)

  it("is a MATLAB file with the same doubles", function()
    local run, path = run_of_sleigh(), os.tmpname() .. ".mat"
    assert.equal(#run, run:save(path).rows)
    local saved = read_mat(content(path))
    local t, v, lambda = run:series("x'", "lambda.blade")
    assert.same(t, saved.t)
    assert.same(v, saved.x_dot)
    assert.same(lambda, saved.lambda_blade)
    assert.truthy(table.concat(saved.about, "\n"):find("x_dot: x'", 1, true))
  end)

  it("has names that MATLAB accepts", function()
    local names = require("hamel.base.matlab").names{ "x'", "x_dot", "θ", "friction.slip[2]", ("a"):rep(70), ("a"):rep(70) }
    assert.same({ "x_dot", "x_dot_2", "x", "friction_slip_2", ("a"):rep(63), ("a"):rep(61) .. "_2" }, names)
  end)

  it("is read by SciPy where that is there", function()
    if not os.execute "python3 -c 'import scipy.io' > /dev/null 2>&1" then return end
    local run, path = run_of_sleigh(), os.tmpname() .. ".mat"
    run:save(path, { n = 11 })
    local pipe = assert(io.popen("python3 -c \"import scipy.io as s; d = s.loadmat('" .. path ..
      "'); print(repr(float(d['x_dot'][10][0])), d['t'].shape, d['about'][1])\" 2>&1"))
    local printed = pipe:read "a"
    pipe:close()
    os.remove(path)
    assert.equal(run:at(2).v.x, tonumber(printed:match "^%S+"), printed)
    assert.truthy(printed:find("(11, 1) system: Chaplygin sleigh", 1, true), printed)
  end)
end)

describe("a sweep", function()
  it("is saved to .json and .mat as columns of numbers, failed runs included", function()
    local S = hm.system "fall"
    local x = S:coordinates "x"
    S:parameters "g=1"
    S:kinetic_energy(x.dot^2/2)
    S:force(x, S:symbol "g"/(x - 2))
    local W = S:sweep{ over = { g = { -1, 1 } }, q = { x = 1 }, v = { x = 0 }, t = 3, keep = { "x", "max x" } }
    assert.equal(1, #W:failed())
    local path = os.tmpname()
    assert.truthy(tostring(W:save(path .. ".json")):find "2 rows")
    local read = read_json(content(path .. ".json"))
    assert.equal("fall", read.about.system)
    assert.same({ -1, 1 }, read.columns.g)
    assert.same({ 1, 0 }, read.columns.failed)
    assert.equal(false, read.columns.x[1])
    assert.equal(W[2].x, read.columns.x[2])
    W:save(path .. ".mat")
    local arrays = read_mat(content(path .. ".mat"))
    assert.equal(W[2]["max x"], arrays.max_x[2])
    assert.same({ 1, 0 }, arrays.failed)
    check.raises({ ".csv, .json, .npz (NumPy) or .mat (MATLAB)" }, W.save, W, path .. ".txt")
    os.remove(path)
  end)
end)
