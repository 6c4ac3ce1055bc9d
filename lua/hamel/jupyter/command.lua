-- command.lua: hamel jupyter: installs and removes the description by which Jupyter finds the kernel, and runs the kernel.
local core = require "hamel.core"
local files = require "hamel.base.files"
local json = require "hamel.base.json"
local object = require "hamel.base.object"
local protected = require "hamel.base.protected"

local command = {}

local USAGE = "usage: hamel jupyter install [--prefix P] [--name N] [--force]\n       hamel jupyter uninstall [--prefix P] [--name N]\n"
  .. "       hamel jupyter kernel FILE       as Jupyter calls it"

local function set(value) return value and value ~= "" and value or nil end

-- Where Jupyter looks for kernels of this user, or below a prefix such as that of an environment
local function kernels_folder(prefix)
  if prefix then return prefix .. "/share/jupyter/kernels" end
  local data = set(os.getenv "JUPYTER_DATA_DIR")
  if data then return data .. "/kernels" end
  local home = set(os.getenv "HOME") or object.fail("jupyter: HOME is not set; give --prefix")
  return (set(os.getenv "XDG_DATA_HOME") or home .. "/.local/share") .. "/jupyter/kernels"
end

local takes_value = { ["--prefix"] = "prefix", ["--name"] = "name" }

local function options_of(arguments)
  local o, i = { name = "hamel" }, 2
  while i <= #arguments do
    local word = arguments[i]
    local key = takes_value[word]
    if key then
      i = i + 1
      o[key] = set(arguments[i]) or object.wrong_usage("jupyter: a value is missing after %s", word)
    elseif word == "--force" and arguments[1] == "install" then
      o.force = true
    else
      object.wrong_usage("jupyter: unknown option '%s'\n%s", word, USAGE)
    end
    i = i + 1
  end
  if not o.name:find "^[%w._-]+$" or o.name:find "^%.+$" then
    object.wrong_usage("jupyter: the name of a kernel has letters, digits, '.', '_' and '-' only, not '%s'", o.name)
  end
  return o
end

-- Whose kernel is described there? nil where there is none, "hamel", or the first word of its command
local function owner_of(path)
  local text = files.read(path, 1 << 20)
  if not text then return nil end
  local fine, spec = protected(json.read, text)
  local argv = fine and type(spec) == "table" and type(spec.argv) == "table" and spec.argv or {}
  if argv[2] == "jupyter" and argv[3] == "kernel" then return "hamel" end
  return tostring(argv[1] or "an unknown program")
end

local function spec(program)
  return json.object{
    { "argv", json.text{ program, "jupyter", "kernel", "{connection_file}" } }, { "display_name", json.text "Hamel" }, { "language", json.text "lua" },
    { "interrupt_mode", json.text "message" }, { "metadata", json.text{ debugger = false, supported_encryption = "curve" } },
  } .. "\n"
end

local verbs = {}

function verbs.install(arguments, wire)
  local o = options_of(arguments)
  local folder = kernels_folder(o.prefix) .. "/" .. o.name
  local owner = owner_of(folder .. "/kernel.json")
  if owner and owner ~= "hamel" and not o.force then
    object.fail("jupyter: the kernel '%s' in %s belongs to %s; choose another --name, or replace it by --force", o.name, folder, owner)
  end
  files.folder("jupyter", folder)
  files.write("jupyter", folder .. "/kernel.json", spec(wire.program()))
  print(("kernel '%s' installed in %s"):format(o.name, folder))
  return true
end

function verbs.uninstall(arguments)
  local o = options_of(arguments)
  local folder = kernels_folder(o.prefix) .. "/" .. o.name
  local owner = owner_of(folder .. "/kernel.json")
  if not owner then object.fail("jupyter: there is no kernel '%s' in %s", o.name, folder) end
  if owner ~= "hamel" then object.fail("jupyter: the kernel '%s' in %s belongs to %s; it stays", o.name, folder, owner) end
  local fine, problem = os.remove(folder .. "/kernel.json")
  if not fine then object.fail("jupyter: %s", problem) end
  os.remove(folder)                              -- unless other files are in it
  print(("kernel '%s' removed from %s"):format(o.name, folder))
  return true
end

function verbs.kernel(arguments, wire)
  if #arguments ~= 2 then object.wrong_usage(USAGE) end
  return require "hamel.jupyter.kernel"(arguments[2], wire)
end

--- hamel jupyter install | uninstall | kernel FILE: puts the kernel where Jupyter finds it (JupyterLab, nbconvert), or removes it; `kernel` is what Jupyter
--- itself calls. True when it succeeded.
function command.command(arguments)
  local wire = debug.getregistry()["hamel.wire"]
  if not wire then
    object.fail("jupyter: hamel %s was built without its Jupyter kernel; install libzmq3-dev and libsodium-dev and build again: "
      .. "cmake --preset release -DHAMEL_JUPYTER=ON && cmake --build --preset release", core.version)
  end
  local verb = verbs[arguments[1] or ""]
  if not verb then object.wrong_usage(USAGE) end
  return verb(arguments, wire)
end

return command
