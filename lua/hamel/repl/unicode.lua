-- unicode.lua: formulas as a terminal with Unicode shows them: Greek letters, raised exponents, dots between factors. What is typed stays ASCII.
local core = require "hamel.core"
local dress = require "hamel.algebra.dress"

local unicode = {}

--- The text with Greek letters, raised exponents and signs. Columns stay where they are: what a piece of a line loses in width, the gap
--- behind it gains.
function unicode.dress(text)
  local lines = {}
  for line in (text .. "\n"):gmatch "(.-)\n" do
    local out, at = {}, 1
    while at <= #line do
      local from, to = line:find("  +", at)
      local piece = line:sub(at, (from or #line + 1) - 1)
      local new = dress.formula(piece)
      out[#out + 1] = new
      if not from then break end
      out[#out + 1] = line:sub(from, to) .. (" "):rep((utf8.len(piece) or #piece) - (utf8.len(new) or #new))
      at = to + 1
    end
    lines[#lines + 1] = table.concat(out)
  end
  return table.concat(lines, "\n")
end

--- Does the terminal show Unicode? By its locale (LC_ALL, LC_CTYPE, LANG, the first that is set); HAMEL_ASCII says no.
function unicode.wanted()
  local refused = os.getenv "HAMEL_ASCII"
  if (refused and refused ~= "") or not core.host.is_terminal "stdout" then return false end
  for _, name in ipairs{ "LC_ALL", "LC_CTYPE", "LANG" } do
    local locale = os.getenv(name)
    if locale and locale ~= "" then return locale:lower():find("utf%-?8") ~= nil and os.getenv "TERM" ~= "linux" end
  end
  return false
end

return unicode
