-- forged.lua: certificates that someone edited and gave the hash of the edited equations, as whoever edits them can.
local certificate_text = require "hamel.analysis.certificate_text"

local equations = { kin = true, dyn = true, parameter = true }
for _, list in ipairs(certificate_text.LISTS) do equations[list] = true end

return function(text)
  local lines = {}
  for line in text:gmatch "[^\n]+" do if equations[line:match "^%a+"] then lines[#lines + 1] = line end end
  return (text:gsub("\nhash %x+", "\nhash " .. certificate_text.hash(lines), 1))
end
