-- document.lua: every fenced Lua block of a document runs; a text block behind it is what it must print.
local document = arg[1]
local file = assert(io.open(document))
local text = file:read "a"
file:close()

local line_number, blocks, block = 0, {}, nil
for line in (text .. "\n"):gmatch("(.-)\n") do
  line_number = line_number + 1
  local fence, kind = line:match("^(```)(%w*)%s*$")
  if fence and not block then
    block = { kind = kind, line = line_number, lines = {} }
  elseif fence then
    blocks[#blocks + 1] = block
    block = nil
  elseif block then
    block.lines[#block.lines + 1] = line
  end
end

-- locals survive from block to block, as at the prompt
local environment = setmetatable({}, { __index = _G })
function environment.__keep()
  local i = 1
  while true do
    local name, value = debug.getlocal(2, i)
    if not name then return end
    if name:sub(1, 1) ~= "(" then rawset(environment, name, value) end
    i = i + 1
  end
end

local count, write = 0, print
for i, b in ipairs(blocks) do
  if b.kind == "lua" then
    local printed = {}
    rawset(_G, "print", function(...)
      local parts = table.pack(...)
      for k = 1, parts.n do parts[k] = tostring(parts[k]) end
      printed[#printed + 1] = table.concat(parts, "\t")
    end)
    local source = ("\n"):rep(b.line) .. table.concat(b.lines, "\n") .. "\n__keep()"
    assert(load(source, "@" .. document, "t", environment))()
    local expected = blocks[i + 1]
    if expected and expected.kind == "text" then
      local got, want = table.concat(printed, "\n"), table.concat(expected.lines, "\n")
      if got ~= want then error(("%s:%d: printed\n%s\ninstead of\n%s"):format(document, b.line, got, want), 0) end
    end
    count = count + 1
  end
end
assert(count > 0, "no Lua block was found in " .. document)
write(count .. " blocks ran")
