-- base64.lua: bytes as text (RFC 4648), for pictures inside pages and messages.
local digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"

--- The bytes in base 64.
return function(bytes)
  local out = {}
  for i = 1, #bytes, 3 do
    local a, b, c = bytes:byte(i, i + 2)
    local word, four = a << 16 | (b or 0) << 8 | (c or 0), {}
    for k = 0, 3 do
      local d = word >> (18 - 6*k) & 63
      four[k + 1] = (k == 2 and not b or k == 3 and not c) and "=" or digits:sub(d + 1, d + 1)
    end
    out[#out + 1] = table.concat(four)
  end
  return table.concat(out)
end
