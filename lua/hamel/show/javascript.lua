-- javascript.lua: programs as functions in JavaScript, from their text in C.
local object = require "hamel.base.object"

local javascript = {}

-- The names that differ between C and JavaScript; formulas are written alike
local functions = { fabs = "Math.abs", hml_sin = "Math.sin", hml_cos = "Math.cos", hml_circle_of = "circle_of" }
local circle = "function circle_of(x) { return { sine: Math.sin(x), cosine: Math.cos(x) }; }"
for word in ("sin cos tan asin acos atan atan2 sinh cosh tanh asinh acosh atanh exp log sqrt pow"):gmatch "%S+" do functions[word] = "Math." .. word end

local function formula(text)
  return (text:gsub("%f[%w_]([%a_][%w_]*)(%()", function(name, bracket)
    if functions[name] then return functions[name] .. bracket end
    if name:find "^f_" then return name .. bracket end
    object.fail("animation: sliders: the function '%s' has no counterpart in JavaScript", name)
  end):gsub("%f[%w_]in%[", "inp["))
end

-- One line of C, or nil where nothing is left of it
local function line_of(line)
  local name, arguments, body = line:match "^static double (f_[%w_]+)%(([^)]*)%) { return (.*); }$"
  if name then return ("function %s(%s) { return %s; }"):format(name, arguments:gsub("double ", ""), formula(body)) end
  local part = line:match "^static void ([%w_]+)%(const double %*in, double %*w%) {$"
  if part then return ("function %s(inp, w) {"):format(part) end
  local whole = line:match "^void ([%w_]+)%(const double %*in, double %*out, double %*work%) {$"
  if whole then return ("function %s(inp, out) {"):format(whole) end
  local count = line:match "^  double w%[(%d+)%];$"
  if count then return ("  const w = new Float64Array(%s);"):format(count) end
  local call, rest = line:match "^  ([%w_]+_%d+)%(in, (w%);)$"
  if call then return ("  %s(inp, %s"):format(call, rest) end
  if line:find "^  %(void%)" or line == "" then return nil end
  local pair, angle = line:match "^  const hml_circle (c%d+) = (.*)$"
  if pair then return ("  const %s = %s"):format(pair, formula(angle)) end
  local result, value = line:match "^  double (t%d+) = (.*)$"
  if result then return ("  const %s = %s"):format(result, formula(value)) end
  local place, stored = line:match "^  (%l+%[%d+%]) = (.*)$"
  if place then return ("  %s = %s"):format(place, formula(stored)) end
  if line == "}" then return line end
  object.fail("animation: sliders: the line '%s' of a program has no counterpart in JavaScript", line)
end

--- The functions of the C text of programs (hml_program_c), each helper once: name(inp, out) fills the list out from the list inp.
function javascript.of(texts)
  local out, seen, written = {}, {}, nil
  for _, text in ipairs(texts) do
    local rest, found = text:gsub("#ifndef HML_CIRCLE\n.-\n#endif\n\n", "")
    if found > 0 and not written then
      written = true
      out[#out + 1] = circle
    end
    for line in rest:gmatch "[^\n]+" do
      local translated = line_of(line)
      local helper = line:find "^static double f_"
      if translated and not (helper and seen[line]) then out[#out + 1] = translated end
      seen[line] = helper and true or nil
    end
  end
  return table.concat(out, "\n")
end

return javascript
