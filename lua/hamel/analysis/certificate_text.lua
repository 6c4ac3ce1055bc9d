-- certificate_text.lua: certificates as text: the lines of the equations, and the words that certificates of all kinds share.
local core = require "hamel.core"
local exact = require "hamel.analysis.exact"
local forms = require "hamel.forms"
local object = require "hamel.base.object"
local protected = require "hamel.base.protected"
local symbols = require "hamel.algebra.symbols"

local fail = object.fail
local text = { FIRST = "hamel certificate 2", OLD = "hamel certificate 1" }

--- The lists of expressions that make the equations: k, M a = r + A^T lambda, A a + b = 0; M its lower triangle, A row by row.
text.LISTS = { "k", "M", "A", "r", "b" }

--- What every proof says of the expressions that it is about.
text.SIMPLIFIED = "expressions are taken in their simplified form: where a factor was cancelled, the formula before may have no value"

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

--- The name of a condition as certificates write it, without the characters that end it there.
function text.name_of(condition) return text.one_line((condition.name:gsub("[|=]", " "))):match "^ ?(.-) ?$" end

--- A line of a condition: `word name | f = target`; `word name | f` where it states no value.
function text.put_condition(lines, word, condition)
  local name = text.name_of(condition)
  local value = condition.target and " = " .. text.one_line(core.text(condition.target)) or ""
  text.put(lines, "%s %s | %s%s", word, name, text.one_line(core.text(condition.f)), value)
end

-- ---- numbers that are bounds

-- Other versions of the libraries below round in other places: bounds are printed with a little room, where it is left
local ROOM = 1.25
local SMALLEST = 1e-290                -- from here on doubles have all their digits

-- A short number that is at least x, and below the bound
local function short_bound(x, bound)
  for digits = 3, 17 do
    for _, value in ipairs{ x, x*(1 + 10.0^(1 - digits)) } do
      local word = ("%%.%dg"):format(digits):format(value)
      if tonumber(word) >= x and tonumber(word) < bound then return word end
    end
  end
  return ("%.17g"):format(x)
end

--- A number that is at least x, and below `limit`, as a text: with some room where there is.
function text.bound(x, limit)
  return ROOM*x < limit and short_bound(ROOM*x, limit) or short_bound(x, limit)
end

--- The same for balls, which may be smaller than doubles are; limit: nil, or a text.
function text.ball_bound(x, limit)
  local most = limit and tonumber(limit) or math.huge
  if x.upper > SMALLEST then return text.bound(x.upper, most) end
  local log = x:log_size()
  if log == -math.huge then return "0" end
  for _, room in ipairs{ ROOM, 1 + 1e-6 } do
    local size = log + math.log(room, 10)
    local exponent = math.floor(size)
    local word = ("%.7fe%d"):format(10.0^(size - exponent) + 1e-6, exponent)
    if not limit or text.at_most(core.ball(word, 64), limit) then return word end
  end
  return limit
end

--- The radius of a box as a text: any one near it would do.
function text.radius(x) return x.upper > SMALLEST and ("%.17g"):format(x.upper) or text.ball_bound(x) end

--- Is the ball x, which is not negative, proved to be at most the number of a text?
function text.at_most(x, claimed) return core.ball_sum(core.ball(claimed, 128), x, -1).lower >= 0 end

--- Decimals of the centre of a proof with so many bits: they tell it from its neighbours far below the radius.
function text.decimals(bits) return math.ceil(0.302*bits) + 10 end

--- The lines of a proof by Krawczyk's test: { bits, centre = texts, radii = texts, images = texts, contraction = text }. order: of the series, where there
--- is one
function text.put_proof(lines, proof, order)
  text.put(lines, "bits %d", proof.bits)
  if order then text.put(lines, "order %d", order) end
  for _, word in ipairs{ "centre", "radii", "images" } do
    for _, number in ipairs(proof[word]) do text.put(lines, "%s %s", word == "radii" and "radius" or word == "images" and "image" or word, number) end
  end
  text.put(lines, "contraction %s", proof.contraction)
end

--- Is a parameter { symbol, value [, the other end of a box] } known within bounds alone?
function text.is_box(item) return item[3] ~= nil or core.is_ball(item[2]) end

--- The parameters known within bounds, "w in {1, 2}"; nil: there are none.
function text.boxes(problem)
  local words = {}
  for _, item in ipairs(problem.parameters) do
    local ends = item[3] and ("{%s, %s}"):format(core.text(item[2]), core.text(item[3])) or tostring(item[2])
    if text.is_box(item) then words[#words + 1] = ("%s in %s"):format(core.text(item[1]), ends) end
  end
  return #words > 0 and table.concat(words, ", ") or nil
end

--- " for every w in {1, 2}": for every value of which parameters a statement is proved; "" for one value of each.
function text.for_every(problem)
  local boxes = text.boxes(problem)
  return boxes and " for every " .. boxes or ""
end

--- A short number of these lines, by which changes are noticed that were not meant (FNV-1a, 64 bits).
function text.hash(lines)
  local h = 0xcbf29ce484222325
  for c in (table.concat(lines, "\n")):gmatch "." do h = (h ~ c:byte())*0x100000001b3 end
  return ("%016x"):format(h)
end

--- The lines of a whole certificate: head, the equations in their order, then what `more` holds. The hash is that of all other lines.
function text.whole(problem, kind, equations, more)
  local lines = { text.FIRST }
  if kind then text.put(lines, "kind %s", kind) end
  text.put(lines, "system %s", text.one_line(problem.name))
  text.put(lines, "form %s", problem.form)
  local head = #lines
  for _, list in ipairs{ equations, more } do table.move(list, 1, #list, #lines + 1, lines) end
  table.insert(lines, head + 1, ("hash %s"):format(text.hash(lines)))
  return table.concat(lines, "\n") .. "\n"
end

-- ---- reading

--- A reader: its problem and proof, filled by the words of a certificate.
local Reader = {}
Reader.__index = Reader

-- Words of lines that may come several times; each other one comes once
local several = { given = true, advance = true, mirror = true, flip = true, shift = true, condition = true, integral = true, constraint = true, keep = true,
  centre = true, radius = true, image = true, kin = true, dyn = true, parameter = true }
for _, list in ipairs(text.LISTS) do several[list] = true end

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

-- The words, numbers and signs of a formula in any order, without brackets and +
local function tokens(source)
  local list = {}
  for word in source:gmatch "[%w_.\x80-\xff']+" do list[#list + 1] = word end
  for sign in source:gmatch "[^%w_.\x80-\xff'%s()+]" do list[#list + 1] = sign end
  table.sort(list)
  return table.concat(list, " ")
end

local function is_numeral(source)
  return source:find "^%-?[%d.]+$" or source:find "^%-?[%d.]+[eE][+-]?%d+$" or source:find "^%-?%d+/%d+$"
end

-- An expression. Reading simplifies: a formula such as sqrt(x)*sqrt(x), of which the proof would be about another one with more values, is refused
function Reader:parsed(source)
  local fine, e = protected(core.parse, source, self.known)
  if not fine then self:fail("'%s' is no expression", source) end
  local simple = text.one_line(core.text(e))
  if not is_numeral(source) and tokens(simple) ~= tokens(source) then
    self:fail("'%s' is not in its simplified form, '%s', which may have values where the first has none; write this form", source, simple)
  end
  return e
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

-- A decimal number that is not negative, with an exponent of at most five digits, as a text
function Reader:size(rest, what)
  local digits, exponent = rest:match "^(%d+%.?%d*)(.*)$"
  local fine = digits and #digits < 40 and (exponent == "" or exponent:find "^e[+-]?%d%d?%d?%d?%d?$")
  if not fine then self:fail("the %s '%s' is not a positive number", what, rest) end
  return rest
end

function words.image(reader, rest) table.insert(reader.proof.images, reader:size(rest, "image")) end
function words.contraction(reader, rest) reader.proof.contraction = reader:size(rest, "contraction") end
function words.centre(reader, rest) table.insert(reader.proof.centre, rest) end
function words.bits(reader, rest) reader.proof.bits = reader:whole(rest) end
words.order = function(reader, rest) reader.proof.order = reader:whole(rest) end
function words.radius(reader, rest) table.insert(reader.proof.radii, reader:size(rest, "radius")) end

--- The kind of a certificate: "closed orbit" where none is written.
function text.kind(source) return source:match "\nkind ([^\r\n]*)" or "closed orbit" end

local MOST_BITS, MOST_ORDER = 40064, 4000

--- Demands as many numbers of the centre as there are unknowns, and as many radii and images as `boxes`. what: the unknowns in words
function text.demand_centre(proof, count, what, boxes)
  if #proof.centre ~= count then fail("certificate: the centre has %d numbers; %s take %d", #proof.centre, what, count) end
  for _, word in ipairs{ "radii", "images" } do
    if #proof[word] ~= boxes then fail("certificate: there are %d %s; the proof has %d", #proof[word], word, boxes) end
  end
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

-- Lines that every certificate has
local common = { "system", "form", "hash", "bits", "centre", "radius", "image", "contraction" }

local function demand_lines(reader, needed)
  local missing = {}
  for _, list in ipairs{ common, needed } do
    for _, word in ipairs(list) do if not reader.seen[word] then missing[#missing + 1] = ("'%s'"):format(word) end end
  end
  if #missing > 0 then fail("certificate: lines are missing: there is no line %s", table.concat(missing, ", ")) end
end

--- Demands as many expressions of each kind as the states and the constraints take.
function text.demand_equations(problem)
  local n, d, m = #problem.kin, #problem.dyn, #problem.b
  if n + d == 0 then fail("certificate: lines are missing: there is no line 'kin' or 'dyn', a state") end
  for _, part in ipairs{ { "k", n }, { "M", d*(d + 1)//2 }, { "A", m*d }, { "r", d } } do
    local word, wanted = part[1], part[2]
    local count = #problem[word]
    if count ~= wanted then
      fail("certificate: lines are %s: '%s' stands %d times, which must be %d times with %d of 'kin', %d of 'dyn' and %d of 'b'",
        count < wanted and "missing" or "too many", word, count, wanted, n, d, m)
    end
  end
end

-- Does the text claim a proof, and one that can be repeated?
local function demand_claim(reader, needed)
  local proof, problem = reader.proof, reader.problem
  local bits, order = proof.bits, proof.order
  demand_lines(reader, needed)
  if reader.hash ~= text.hash(reader.lines) then
    fail("certificate: the hash '%s' does not belong to the other lines, which were changed after the proof", short(reader.hash))
  end
  if bits < 24 or bits > MOST_BITS then fail("certificate: %d bits; 24 to %d are possible", bits, MOST_BITS) end
  if order and (order < 0 or order > MOST_ORDER) then fail("certificate: the order %d is not between 0 and %d", order, MOST_ORDER) end
  for i, radius in ipairs(proof.radii) do
    -- a radius without a double is written as 0, and chosen anew
    local image, wide = proof.images[i], core.ball(radius, 64)
    if image and wide:positive() and core.ball_sum(wide, core.ball(image, 64), -1):positive() ~= true then
      fail("certificate: it claims no proof: the image %s must be smaller than the radius %s", short(image), short(radius))
    end
  end
  if not (tonumber(proof.contraction) < 1) then
    fail("certificate: it claims no proof: the contraction %s must be smaller than 1", short(proof.contraction))
  end
  local known = {}
  for _, item in ipairs(problem.parameters) do known[core.text(item[1])] = true end
  for _, name in ipairs(problem.given or {}) do
    if not known[name] then fail("certificate: '%s' is given, but is no parameter", short(name)) end
  end
end

--- Reads a certificate by the shared words and by those of its kind: word -> f(reader, rest of the line, word). problem: the empty one; needed: words that it
--- must have besides those of every kind.
---@return table proof { bits =, centre, radii, images = lists of texts, contraction = text, ... }
function text.read(source, problem, more, needed)
  local reader = setmetatable({ problem = problem, proof = { centre = {}, radii = {}, images = {} }, known = {}, where = "line 1", once = {}, seen = {},
    lines = {} }, Reader)
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
    if word ~= "hash" then table.insert(reader.lines, line) end
    if number == 1 then
      if line == text.OLD then fail("certificate: it is of an older kind, whose numbers are no bounds; prove the statement anew, and save it") end
      if line ~= text.FIRST then fail("certificate: the first line is not '%s'", text.FIRST) end
    elseif read then
      if not several[word] then
        if reader.once[word] then reader:fail("the line '%s' stands twice", word) end
        reader.once[word] = true
      end
      reader.seen[word] = true
      read(reader, rest, word)
    else
      reader:fail("not understood: '%s'", line)
    end
  end
  if number == 0 then fail("certificate: it is empty") end
  demand_claim(reader, needed)
  return reader.proof
end

-- ---- what a repeated proof shows

--- Bits by which a proof is repeated with more of them.
text.MORE_BITS = 64

--- Balls of the centre.
function text.centre(proof, bits)
  local y = {}
  for i, number in ipairs(proof.centre) do y[i] = exact.ball(number, ("certificate: centre %d"):format(i), bits) end
  return y
end

--- Why a proof that was repeated, { images = balls, contraction = number }, does not imply the bounds that the certificate states; nil: it does.
function text.exaggerated(proof, found)
  for i, image in ipairs(found.images) do
    if not text.at_most(image, proof.images[i]) then
      return ("the certificate claims the image %s, the repeated proof gives %.3g"):format(proof.images[i], image.upper)
    end
  end
  if not (found.contraction <= tonumber(proof.contraction)) then
    return ("the certificate claims the contraction %s, the repeated proof gives %.3g"):format(proof.contraction, found.contraction)
  end
end

--- The bounds that a repeated proof shows, as texts in `proof`.
function text.state(proof, found)
  proof.images = {}
  for i, image in ipairs(found.images) do proof.images[i] = text.ball_bound(image, tonumber(proof.radii[i]) ~= 0 and proof.radii[i] or nil) end
  proof.contraction = text.bound(found.contraction, 1)
end

return text
