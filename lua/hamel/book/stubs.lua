-- stubs.lua: hamel luacats -o hamel.pyi: the types of the Python package for editors and mypy, made of the same pages and options as luacats.lua.
local core = require "hamel.core"
local luacats = require "hamel.book.luacats"
local object = require "hamel.base.object"
local options = require "hamel.base.options"

local stubs = {}

local HEAD = [=[
# Hamel %s: types of the Python package. Made by `hamel luacats -o hamel.pyi`.
from collections.abc import Callable, Iterator, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any

Number = int | float | Fraction | Decimal
__version__: str

class HamelError(Exception): ...

class Verdict(tuple[Any, ...]):
    def __bool__(self) -> bool: ...

class Object:
    def __getattr__(self, name: str) -> Any: ...
    def __getitem__(self, key: Any) -> Any: ...
    def __iter__(self) -> Iterator[Any]: ...
    def __contains__(self, key: object) -> bool: ...
    def __len__(self) -> int: ...
    def __call__(self, *arguments: Any, **options: Any) -> Any: ...
    def __float__(self) -> float: ...
    def __int__(self) -> int: ...
    def keys(self) -> list[str]: ...
    def items(self) -> list[tuple[str, Any]]: ...

def lua(text: str) -> Any: ...
def to_sympy(e: Any) -> Any: ...
def from_sympy(e: Any, system: System) -> Any: ...
def load_ipython_extension(shell: Any) -> None: ...
def __getattr__(name: str) -> Any: ...
]=]

-- What Python adds to the classes, and what it writes in another way
local own = {
  Expression = {
    "def __neg__(self) -> Expression: ...", "def __pos__(self) -> Expression: ...", "def __abs__(self) -> Expression: ...", "def __hash__(self) -> int: ...",
    "dot: Expression", "ddot: Expression",
  },
  System = {
    "def __init__(self, name: str) -> None: ...",
    "def positive(self, *text: str, unit: str | None = ..., **values: Number | str | None) -> Any: ...",
    "def sweep(self, *given: Mapping[str, Any], **options: Any) -> Sweep: ...",
    "def parameters(self, *text: str, unit: str | None = ..., **values: Number | str | None) -> Any: ...",
  },
  Trajectory = {
    "states: Any", "t: Any", "status: str", "reason: str | None",
    "def series(self, *what: Any, n: int = ..., times: Sequence[float] = ...) -> Any: ...",
    "def dataframe(self, *what: Any, n: int = ..., times: Sequence[float] = ...) -> Any: ...",
    "def dataset(self, *what: Any, n: int = ..., times: Sequence[float] = ...) -> Any: ...",
  },
  Sweep = { "def dataframe(self) -> Any: ...", "def dataset(self) -> Any: ..." },
  Matrix = { "def __matmul__(self, other: Matrix) -> Matrix: ..." },
}
for _, name in ipairs{ "add", "sub", "mul", "truediv", "pow" } do
  table.insert(own.Expression, ("def __%s__(self, other: Any) -> Expression: ..."):format(name))
  table.insert(own.Expression, ("def __r%s__(self, other: Any) -> Expression: ..."):format(name))
end

-- Python's own words and the names of its built-in types, which annotations in the same class would take for the method
local words = {}
for word in ("and as assert async await break class continue def del elif else except finally for from global if import in is lambda nonlocal not or pass "
  .. "raise return try while with yield None True False"):gmatch "%S+" do words[word] = true end

local types = { number = "float", boolean = "bool", string = "str", ["function"] = "Callable[..., Any]" }

local function type_of(row)
  local first, second = types[row.type or ""], row.or_type and types[row.or_type]
  if not first or row.or_type and not second then return "Any" end
  if first == "float" then first = "Number | str | Expression" end        -- with units, exact numbers
  return second and first .. " | " .. second or first
end

local function option_list(schema)
  local keys, list = object.keys(schema), {}
  table.sort(keys)
  for _, key in ipairs(keys) do
    if key:match "^[%a_][%w_]*$" and not words[key] then list[#list + 1] = ("%s: %s = ..."):format(key, type_of(schema[key])) end
  end
  return list
end

local function returned(entry)
  local class = luacats.returns[entry.name]
  if not class or class:find " " then return "Any" end
  if class == "number[]" then return "list[float]" end
  return (class:gsub("^hamel%.", ""))
end

-- A method takes its options as a dictionary or by name. Options are declared by the method's name: one that two classes have may take others
local function signature(item, first, is_shared)
  local schema = not is_shared and options.of(item.name)
  local arguments = luacats.arguments_of(item.entry.signature)
  local list = { first }
  if schema and arguments[1] == "given" then
    list[#list + 1] = "given: Mapping[str, Any] = ..."
    list[#list + 1] = "/"
    local named = option_list(schema)
    if #named > 0 then list[#list + 1] = "*" end
    for _, one in ipairs(named) do list[#list + 1] = one end
  else
    list[#list + 1] = "*arguments: Any"
    list[#list + 1] = "**options: Any"
  end
  return ("def %s(%s) -> %s: ..."):format(item.name, table.concat(list, ", "), returned(item.entry))
end

local function class_lines(lines, class, items, shared)
  local name = class:match "[%w_]+$"
  -- every method of a system is listed, so that others are mistakes
  lines[#lines + 1] = name == "System" and "\nclass System:" or ("\nclass %s(Object):"):format(name)
  local written = {}
  for _, line in ipairs(own[name] or {}) do
    lines[#lines + 1] = "    " .. line
    written[line:match "^def ([%w_]+)" or line:match "^([%w_]+)"] = true
  end
  for _, item in ipairs(items) do
    if not written[item.name] and not words[item.name] then
      lines[#lines + 1] = "    " .. (item.is_call and signature(item, "self", shared[item.name] > 1) or item.name .. ": Any")
      written[item.name] = true
    end
  end
  if lines[#lines]:find "^\nclass" then lines[#lines + 1] = "    ..." end
end

local function library_lines(lines, items)
  local written = { system = true, lua = true, t = true, pi = true }
  for _, item in ipairs(items) do
    if item.is_call and not written[item.name] and not words[item.name] then
      written[item.name] = true
      lines[#lines + 1] = (signature(item, ""):gsub("%(, ", "("))
    end
  end
  for _, name in ipairs(object.keys(core.functions)) do
    if not written[name] then lines[#lines + 1] = ("def %s(*arguments: Any) -> Any: ..."):format(name) end
    written[name] = true
  end
  lines[#lines + 1] = "t: Expression\npi: Expression"
end

--- The stubs as text.
function stubs.text()
  local lines, by_class, order = { HEAD:format(core.version) }, luacats.collect()
  local shared = {}
  for _, class in ipairs(order) do
    for _, item in ipairs(by_class[class]) do shared[item.name] = (shared[item.name] or 0) + 1 end
  end
  for _, class in ipairs(order) do
    if class ~= "hamel.Library" then class_lines(lines, class, by_class[class], shared) end
  end
  lines[#lines + 1] = ""
  library_lines(lines, by_class["hamel.Library"])
  return table.concat(lines, "\n") .. "\n"
end

return stubs
