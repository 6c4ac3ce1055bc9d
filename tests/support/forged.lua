-- forged.lua: certificates that someone edited and gave the hash of what is in them now, as whoever edits them can.
local certificate_text = require "hamel.analysis.certificate_text"

return function(text)
  local lines = {}
  for line in text:gmatch "[^\r\n]+" do if not line:find "^hash " then lines[#lines + 1] = line end end
  return (text:gsub("\nhash %x+", "\nhash " .. certificate_text.hash(lines), 1))
end
