-- certificate_text.lua: certificates as text: the lines of the equations, and the words that certificates of all kinds share.
local core = require "hamel.core"
local exact = require "hamel.analysis.exact"
local forms = require "hamel.forms"
local object = require "hamel.base.object"
local protected = require "hamel.base.protected"
local symbols = require "hamel.algebra.symbols"

local fail = object.fail
local text = { FIRST = "hamel certificate 1" }

--- The lists of expressions that make the equations: k, M a = r + A^T lambda, A a + b = 0; M its lower triangle, A row by row.
text.LISTS = { "k", "M", "A", "r", "b" }

-- ---- writing

function text.put(lines, ...) lines[#lines + 1] = (...):format(select(2, ...)) end

function text.one_line(s) return (tostring(s):gsub("%s+", " ")) end

-- States without what algebra takes for granted of quaternions: that their length is 1 is one of the conditions
function text.put_symbols(lines, word, list)
  for _, s in ipairs(list) do
    local name, order, flags = core.name(s)
    text.put(lines, "%s %s %d %d", word, name, order, flags & symbols.DYNAMIC)
  end
end

function text.put_parameters(lines, list)
  for _, item in ipairs(list) do
    local name, order, flags = core.name(item[1])
    local value = text.one_line(core.text(item[2]))
    if item[3] then value = ("%s to %s"):format(value, text.one_line(core.text(item[3]))) end
    text.put(lines, "parameter %s %d %d = %s", name, order, flags, value)
  end
end

--- Refuses parameters whose values are no texts.
function text.demand_texts(problem)
  for _, item in ipairs(problem.parameters) do
    if core.is_ball(item[2]) then fail("save: the parameter %s is a ball; give it as {low, high}, which a certificate can hold", core.text(item[1])) end
  end
end

--- The lines of the equations, the same for the same equations: of the states, of the parameters, of the rest.
function text.equations(problem)
  local states, parameters, rest = {}, {}, {}
  text.put_symbols(states, "kin", problem.kin)
  text.put_symbols(states, "dyn", problem.dyn)
  text.put_parameters(parameters, problem.parameters)
  for _, name in ipairs(text.LISTS) do
    for _, e in ipairs(problem[name]) do text.put(rest, "%s %s", name, text.one_line(core.text(e))) end
  end
  return states, parameters, rest
end

--- A line of a condition: `word name | f = target`; `word name | f` where it states no value.
function text.put_condition(lines, word, condition)
  local name = text.one_line(condition.name):gsub("[|=]", " ")
  local value = condition.target and " = " .. text.one_line(core.text(condition.target)) or ""
  text.put(lines, "%s %s | %s%s", word, name, text.one_line(core.text(condition.f)), value)
end

-- A short number that is not below x, but below the bound that a proof demands of it
local function upper(x, bound)
  for digits = 3, 17 do
    for _, value in ipairs{ x, x*(1 + 10.0^(1 - digits)) } do
      local word = ("%%.%dg"):format(digits):format(value)
      if tonumber(word) >= x and tonumber(word) < bound then return word end
    end
  end
  return ("%.17g"):format(x)
end

--- Decimals of the centre of a proof with so many bits: they tell it from its neighbours far below the radius.
function text.decimals(bits) return math.ceil(0.302*bits) + 10 end

--- The lines of a proof by Krawczyk's test: { bits, centre = texts, radius = text, image =, contraction = }. order: of the series, where there is one
function text.put_proof(lines, proof, order)
  text.put(lines, "bits %d", proof.bits)
  if order then text.put(lines, "order %d", order) end
  for _, number in ipairs(proof.centre) do text.put(lines, "centre %s", number) end
  text.put(lines, "radius %s", proof.radius)
  text.put(lines, "image %s", upper(proof.image, tonumber(proof.radius) > 0 and tonumber(proof.radius) or math.huge))
  text.put(lines, "contraction %s", upper(proof.contraction, 1))
end

--- A short number of these lines, to tell equations apart (FNV-1a, 64 bits).
function text.hash(lines)
  local h = 0xcbf29ce484222325
  for c in (table.concat(lines, "\n")):gmatch "." do h = (h ~ c:byte())*0x100000001b3 end
  return ("%016x"):format(h)
end

--- The lines of a whole certificate: head, the equations in their order, then what `more` holds.
function text.whole(problem, kind, equations, more)
  local lines = { text.FIRST }
  if kind then text.put(lines, "kind %s", kind) end
  text.put(lines, "system %s", text.one_line(problem.name))
  text.put(lines, "form %s", problem.form)
  text.put(lines, "hash %s", text.hash(equations))
  table.move(equations, 1, #equations, #lines + 1, lines)
  table.move(more, 1, #more, #lines + 1, lines)
  return table.concat(lines, "\n") .. "\n"
end

-- ---- reading

--- A reader: its problem and proof, filled by the words of a certificate.
local Reader = {}
Reader.__index = Reader

-- Words of the equations, which the hash belongs to
local hashed = { kin = true, dyn = true, parameter = true }
for _, list in ipairs(text.LISTS) do hashed[list] = true end

-- Words of lines that may come several times; each other one comes once
local several = { given = true, advance = true, mirror = true, flip = true, shift = true, condition = true, integral = true, constraint = true, keep = true,
  centre = true }

local SHOWN = 80                       -- bytes of a word in messages

-- A word of the certificate as messages show it
local function short(word)
  if #word <= SHOWN then return word end
  -- no part of a character
  local last = utf8.len(word) and utf8.offset(word, 0, SHOWN + 1) - 1 or SHOWN
  return ("%s... (%d characters)"):format(word:sub(1, last), utf8.len(word) or #word)
end

function Reader:fail(format, ...)
  local list = table.pack(...)
  for i = 1, list.n do if type(list[i]) == "string" then list[i] = short(list[i]) end end
  fail("certificate: " .. self.where .. ": " .. format, table.unpack(list, 1, list.n))
end

function Reader:whole(s) return s:find "^%-?%d+$" and math.tointeger(tonumber(s)) or self:fail("'%s' is not a whole number", s) end

-- A symbol from its name, the number of its primes and its flags. States have no assumptions of their own, and time is no symbol of a certificate
function Reader:declare(rest, allowed)
  local name, order, flags = rest:match "^(%S+) (%d+) (%d+)$"
  if not name then self:fail("no symbol") end
  flags = self:whole(flags)
  if flags & ~allowed ~= 0 then self:fail("%s has flags that it must not have: %d", name, flags) end
  local s = core.symbol(name, flags)
  for _ = 1, self:whole(order) do s = s.dot end
  for _, other in ipairs(self.known) do
    if core.text(other) == core.text(s) then self:fail("%s is declared twice", core.text(s)) end
  end
  self.known[#self.known + 1] = s
  return s
end

function Reader:parsed(source)
  local fine, e = protected(core.parse, source, self.known)
  return fine and e or self:fail("'%s' is no expression", source)
end

function Reader:number(source)
  local e = self:parsed(source)
  if #core.symbols{ e } > 0 then self:fail("'%s' is no number", source) end
  return e
end

--- Reads whether a state or a point is stable: true, false, or nil for undecided, as texts.
function text.stable(reader, rest)
  if rest ~= "true" and rest ~= "false" and rest ~= "nil" then reader:fail("'%s' is not true, false or nil", rest) end
  reader.proof.stable = rest
end

-- The parameter of a line, whose value may be a box
function Reader:parameter(rest)
  local head, value = rest:match "^(%S+ %d+ %d+) = (.+)$"
  if not head then self:fail("no parameter") end
  local low, high = value:match "^(.-) to (.+)$"
  local item = { [2] = self:number(low or value), [3] = high and self:number(high) or nil }
  local s = self:declare(head, symbols.POSITIVE | symbols.EXTERNAL)
  item[1] = s
  -- algebra takes the root of the square of a positive symbol for the symbol
  if core.known_positive(s) and exact.ball(item[2], self.where, 64):positive() ~= true then self:fail("%s is declared positive", core.text(s)) end
  if high and exact.ball(item[2], self.where, 64).lower > exact.ball(item[3], self.where, 64).upper then
    self:fail("the box of %s goes from the larger to the smaller value", core.text(s))
  end
  table.insert(self.problem.parameters, item)
end

-- A condition; where `valueless`, it need not state a value
function Reader:condition(rest, valueless)
  local name, f, target = rest:match "^(.-) | (.-) = (.+)$"
  if not name and valueless then name, f = rest:match "^(.-) | ([^=]+)$" end
  if not name then self:fail("no condition") end
  return { name = name, f = self:parsed(f), target = target and self:number(target) }
end

local words = {}

local function state(reader, rest, word) table.insert(reader.problem[word], reader:declare(rest, symbols.DYNAMIC)) end
words.kin, words.dyn = state, state

for _, list in ipairs(text.LISTS) do words[list] = function(reader, rest) table.insert(reader.problem[list], reader:parsed(rest)) end end

function words.parameter(reader, rest) reader:parameter(rest) end
function words.system(reader, rest) reader.problem.name = rest end
function words.form(reader, rest) reader.problem.form = rest end
function words.kind(reader, rest) reader.problem.kind = rest end
function words.hash(reader, rest) reader.hash = rest end

-- A number that is not negative
function Reader:size(rest, what)
  local x = tonumber(rest)
  if not (x and x >= 0 and x < math.huge) then self:fail("the %s '%s' is not a positive number", what, rest) end
  return x + 0.0
end

function words.image(reader, rest) reader.proof.image = reader:size(rest, "image") end
function words.contraction(reader, rest) reader.proof.contraction = reader:size(rest, "contraction") end
function words.centre(reader, rest) table.insert(reader.proof.centre, rest) end
function words.bits(reader, rest) reader.proof.bits = reader:whole(rest) end
words.order = function(reader, rest) reader.proof.order = reader:whole(rest) end

function words.radius(reader, rest) reader.proof.radius = reader:size(rest, "radius") end

--- The kind of a certificate: "closed orbit" where none is written.
function text.kind(source) return source:match "\nkind ([^\r\n]*)" or "closed orbit" end

local MOST_BITS, MOST_ORDER = 40064, 4000

--- Demands as many numbers of the centre as there are unknowns. what: the unknowns in words
function text.demand_centre(proof, count, what)
  if #proof.centre ~= count then fail("certificate: the centre has %d numbers; %s take %d", #proof.centre, what, count) end
end

--- Demands that the form is one of those of motions, and that the states can be its states: rates of coordinates, or its own. Bodies have rates of
--- rotations in all forms, three for the four entries of a quaternion; time may be a state besides.
function text.demand_form(problem)
  local form = forms[problem.form]
  if not form then fail("certificate: there is no form '%s'%s", short(problem.form), object.known(problem.form, object.keys(forms))) end
  local rates, own = 0, 0
  for _, s in ipairs(problem.dyn) do
    local _, order = core.name(s)
    if order > 0 then rates = rates + 1 else own = own + 1 end
  end
  local more = #problem.kin - #problem.dyn
  local turns = own == 3*more or own == 3*(more - 1)
  if form.own_states and rates > 0 and own == 0 or not form.own_states and own > 0 and rates == 0 and not turns then
    fail("certificate: the equations are in %s, which the form '%s' has not", form.own_states and "velocities of coordinates" or "states of another form",
      problem.form)
  end
end

-- Does the text claim a proof, and one that can be repeated?
local function demand_claim(reader)
  local proof, problem = reader.proof, reader.problem
  local bits, order = proof.bits, proof.order
  if not (bits and proof.radius and proof.image and proof.contraction and reader.hash and reader.once.system and reader.once.form) then
    fail("certificate: lines are missing")
  end
  if reader.hash ~= text.hash(reader.equations) then
    fail("certificate: the hash '%s' does not belong to the equations, which were changed after the proof", short(reader.hash))
  end
  if bits < 24 or bits > MOST_BITS then fail("certificate: %d bits; 24 to %d are possible", bits, MOST_BITS) end
  if order and (order < 0 or order > MOST_ORDER) then fail("certificate: the order %d is not between 0 and %d", order, MOST_ORDER) end
  -- a radius without a double is written as 0, and chosen anew
  local inside = proof.image < proof.radius or proof.image < 1e-300 and proof.radius == 0
  if not (inside and proof.contraction < 1) then
    fail("certificate: it claims no proof: the image %g must be smaller than the radius %g, the contraction %g smaller than 1", proof.image, proof.radius,
      proof.contraction)
  end
  local known = {}
  for _, item in ipairs(problem.parameters) do known[core.text(item[1])] = true end
  for _, name in ipairs(problem.given or {}) do
    if not known[name] then fail("certificate: '%s' is given, but is no parameter", short(name)) end
  end
end

--- Reads a certificate by the shared words and by those of its kind: word -> f(reader, rest of the line, word). problem: the empty one.
---@return table proof { centre = texts, bits =, radius =, image =, contraction =, ... }
function text.read(source, problem, more)
  local reader = setmetatable({ problem = problem, proof = { centre = {} }, known = {}, where = "line 1", once = {}, equations = {} }, Reader)
  problem.parameters, problem.name, problem.form = {}, "", ""
  for _, word in ipairs{ "kin", "dyn", table.unpack(text.LISTS) } do problem[word] = {} end
  local number = 0
  for line in source:gmatch "[^\r\n]+" do
    number = number + 1
    reader.where = "line " .. number
    -- they could write over what a terminal shows
    if line:find "%c" or line:find "\xC2[\x80-\x9F]" then reader:fail("there is a control character") end
    local word, rest = line:match "^(%a+) (.*)$"
    local read = more[word] or words[word]
    if number == 1 then
      if line ~= text.FIRST then fail("certificate: the first line is not '%s'", text.FIRST) end
    elseif read then
      if not several[word] and not hashed[word] then
        if reader.once[word] then reader:fail("the line '%s' stands twice", word) end
        reader.once[word] = true
      end
      if hashed[word] then table.insert(reader.equations, line) end
      read(reader, rest, word)
    else
      reader:fail("not understood: '%s'", line)
    end
  end
  demand_claim(reader)
  return reader.proof
end

-- The centre is written with so many decimals for the bits; its image moves by what they leave out
local function left_out(proof)
  local most = 0.0
  for _, number in ipairs(proof.centre) do most = math.max(most, math.abs(tonumber(number) or 0.0)) end
  return most*10.0^(-text.decimals(proof.bits) + 1)
end

--- Why a proof that was repeated, { image, contraction, ... }, does not imply the numbers that the certificate claims; nil: it does.
function text.exaggerated(proof, found)
  -- with more bits the steps are others, and so are the bounds of the derivatives, which have few digits
  local room = 4
  for _, what in ipairs{ "image", "contraction" } do
    local rounding = what == "image" and left_out(proof) or 0.0
    local claimed = what == "contraction" or proof.radius > 0
    if claimed and not (found[what] <= room*proof[what] + rounding) then
      return ("the certificate claims the %s %.3g, the repeated proof gives %.3g"):format(what, proof[what], found[what])
    end
  end
end

return text
