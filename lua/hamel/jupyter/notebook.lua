-- notebook.lua: notebooks as files (nbformat 4), as lists of cells, and as scripts whose lines "-- %%" part the cells.
local cells = require "hamel.jupyter.cells"
local json = require "hamel.base.json"
local object = require "hamel.base.object"
local protected = require "hamel.base.protected"

local notebook = {}

local kinds = { code = true, markdown = true }

-- Text of a cell: a string, or a list of its lines
local function text_of(source, where)
  if type(source) == "string" then return source end
  if type(source) ~= "table" then object.fail("report: %s: a cell has no text", where) end
  for _, line in ipairs(source) do
    if type(line) ~= "string" then object.fail("report: %s: a line of a cell is no text", where) end
  end
  return table.concat(source)
end

--- The cells { kind = "code" or "markdown", text = } of the text of a file .ipynb; other kinds of cells are left out.
---@param where string the name of the file, for messages
function notebook.read(text, where)
  local fine, book = protected(json.read, text)
  if not fine then object.fail("report: %s is no notebook: %s", where, book) end
  if type(book) ~= "table" or type(book.cells) ~= "table" then object.fail("report: %s is no notebook of format 4: it has no list of cells", where) end
  local spec = type(book.metadata) == "table" and book.metadata.kernelspec
  local language = type(spec) == "table" and spec.language
  if type(language) == "string" and language:lower() ~= "lua" then
    object.fail("report: the cells of %s are in %s; hamel runs cells in Lua", where, language)
  end
  local list = {}
  for _, cell in ipairs(book.cells) do
    if type(cell) ~= "table" then object.fail("report: %s: a cell is no object", where) end
    if kinds[cell.cell_type] then list[#list + 1] = { kind = cell.cell_type, text = text_of(cell.source, where) } end
  end
  return list
end

-- ---- a notebook as a file

-- The lines of a text, each with its end
local function lines_of(text)
  local lines = {}
  for line in text:gmatch "[^\n]*\n?" do if line ~= "" then lines[#lines + 1] = line end end
  return lines
end

local function cell_text(cell, k)
  local id = ("cell-%d"):format(k)
  local fields = { { "cell_type", json.text(cell.kind) } }
  if cell.kind == "code" then fields[2] = { "execution_count", "null" } end
  table.move({ { "id", json.text(id) }, { "metadata", "{}" } }, 1, 2, #fields + 1, fields)
  if cell.kind == "code" then fields[#fields + 1] = { "outputs", "[]" } end
  fields[#fields + 1] = { "source", json.text(lines_of(cell.text)) }
  return json.object(fields)
end

--- The text of a file .ipynb, for the kernel Hamel, without outputs.
function notebook.text(list)
  local out = {}
  for i, cell in ipairs(list) do out[i] = cell_text(cell, i) end
  return json.object{
    { "cells", "[\n" .. table.concat(out, ",\n") .. "\n]" },
    { "metadata", json.text{ kernelspec = { display_name = "Hamel", language = "lua", name = "hamel" },
                             language_info = { file_extension = ".lua", mimetype = "text/x-lua", name = "lua" } } },
    { "nbformat", "4" }, { "nbformat_minor", "5" },
  } .. "\n"
end

-- ---- a notebook as a script

local HEAD = table.concat({
  "-- the library as cells see it",
  "local hm = require \"hamel\"",
  "hm.use()",
  "local help, apropos, examples, show = hm.help, hm.apropos, hm.examples, hm.show",
  "local function display(...)",
  "  for i = 1, select(\"#\", ...) do print((select(i, ...))) end",
  "end",
  "local ans",
}, "\n")

-- What a cell shows is printed
local SHOWN = "if ans ~= nil then print(ans) end"

local function is_one(expression) return load("return (" .. expression .. "\n)", "=cell", "t") ~= nil end

local function prints(expression) return expression:find "^%s*print%s*[%(\"'%[]" or expression:find "^%s*io%.write%f[%W]" end

local function code_of(text)
  local before, last, hidden = cells.parts(text)
  if not last or prints(last) and not hidden then return text end
  if before ~= "" and not before:find "\n$" then before = before .. "\n" end
  if not is_one(last) then return before .. (hidden and "ans = " or "print(") .. last .. (hidden and "" or "\n)") end
  return ("%sans = %s%s"):format(before, last, hidden and "" or "\n" .. SHOWN)
end

local function commented(text)
  local out = {}
  for line in (text .. "\n"):gmatch "(.-)\n" do
    -- a line of a text is no mark of a cell
    out[#out + 1] = line == "" and "--" or (line:find "^%%%%" and "--  " or "-- ") .. line
  end
  return table.concat(out, "\n")
end

--- The cells as a script, which prints what they show.
---@param where string the name of the notebook, for messages
function notebook.script(list, where)
  local out = { "-- %%", HEAD }
  for _, cell in ipairs(list) do
    if cell.kind == "markdown" then
      out[#out + 1] = "\n-- %% [markdown]\n" .. commented(cell.text)
    else
      out[#out + 1] = "\n-- %%\n" .. code_of(cell.text)
    end
  end
  local script = table.concat(out, "\n") .. "\n"
  local fine, problem = load(script, "=script", "t")
  if not fine then object.fail("report: the cells of %s do not make one script: %s", where, problem) end
  return script
end

-- ---- a script as a notebook

-- Without blank lines around it
local function trimmed(lines) return (table.concat(lines, "\n"):gsub("^%s*\n", ""):gsub("%s+$", "")) end

-- What is printed at the end of a cell is its value
local function shown(text)
  local before, value = ("\n" .. text):match "^(.-\n)ans = (.-)\nif ans ~= nil then print%(ans%) end$"
  if not before then
    before, value = ("\n" .. text):match "^(.-\n)print(%b())$"
    value = value and value:sub(2, -2)
    if value and value:find "^%s*[%(\"'%[]" then return text end
  end
  if not value or not is_one(value) or not load(before, "=cell", "t") then return text end
  return before:sub(2) .. value
end

local function code_cell(lines, line, where)
  local text = trimmed(lines)
  if text == "" or text == HEAD then return nil end
  if cells.state(text) ~= "complete" then
    local _, problem = load(text, "=cell", "t")
    object.fail("report: %s: the cell from line %d on is no block of Lua by itself (%s); put the line '-- %%%%' between statements", where, line, problem)
  end
  return { kind = "code", text = shown(text) }
end

local function markdown_cell(lines)
  for i, line in ipairs(lines) do lines[i] = line:gsub("^%-%- ?", "") end
  local text = trimmed(lines)
  return text ~= "" and { kind = "markdown", text = text } or nil
end

--- The cells of a script: a line "-- %%" begins a cell of code, "-- %% [markdown]" one of text, in comments.
function notebook.of_script(script, where)
  local list = {}
  local kind, lines, first, number = "code", {}, 1, 0
  local function finish()
    list[#list + 1] = kind == "code" and code_cell(lines, first, where) or kind == "markdown" and markdown_cell(lines) or nil
  end
  for line in (script:gsub("^#[^\n]*", ""):gsub("\r\n", "\n") .. "\n"):gmatch "(.-)\n" do
    number = number + 1
    local title = line:match "^%-%- %%%%%s*(.*)$"
    local leaves_text = kind == "markdown" and not line:find "^%-%-" and line:find "%S"
    if title or leaves_text then
      finish()
      kind, lines, first = title and title:find "%[markdown%]" and "markdown" or "code", {}, number
      title = title and title:gsub("%[%w+%]", ""):match "^%s*(.-)%s*$"
      if title and title ~= "" then lines[1] = (kind == "markdown" and "## " or "-- ") .. title end
    end
    if not line:find "^%-%- %%%%" then lines[#lines + 1] = line end
  end
  finish()
  return list
end

return notebook
