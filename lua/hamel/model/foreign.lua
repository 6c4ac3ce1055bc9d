-- foreign.lua: the equations as C: the text of the function, and the system's compiler run on it (no shell, a private folder, a time limit).
local core = require "hamel.core"
local files = require "hamel.base.files"
local object = require "hamel.base.object"
local protected = require "hamel.base.protected"

local fail = object.fail
local foreign = { compiler = os.getenv "CC" or "cc", seconds = 60 }

--- C text of x' as `void name(const double *in, double *out, double *work)` and the number of its margins.
function foreign.text(model, name, title)
  if model:needs_projection() then
    fail("%s: some constraints are redundant only where the others hold; which of them determine the motion is decided anew at each state, "
      .. "which is not written as C", title)
  end
  local text, margins = model:c(name)
  if not text then fail("%s: the equations are too long to be written as one function, or have no inertia somewhere", title) end
  return text, margins
end

local function remove(folder)
  for _, name in ipairs(core.host.list(folder) or {}) do os.remove(folder .. "/" .. name) end
  os.remove(folder)
end

local function build(folder, model, title)
  local written, text = protected(foreign.text, model, "hamel_rate", title)
  if not written then fail("executor 'cc': %s; take executor = 'native' or 'interpreter'", (text:gsub("^[^\n]-:%d+: ", ""))) end
  files.write("executor 'cc'", folder .. "/model.c", "#include <math.h>\n\n" .. text)
  local status, words, errors = core.host.spawn({ foreign.compiler, "-O2", "-ffp-contract=off", "-fPIC", "-shared", "-o", folder .. "/model.so",
                                                  folder .. "/model.c", "-lm" }, "", foreign.seconds)
  if not status then
    fail("executor 'cc': %s; take executor = 'native' or 'interpreter', or set the variable CC", words)
  elseif status ~= 0 then
    fail("executor 'cc': %s failed: %s", foreign.compiler, (errors:gsub("%s+", " "):sub(1, 300)))
  end
  model:load_code(folder .. "/model.so", "hamel_rate")
end

--- Compiles the equations of the model by the system's C compiler; they are evaluated by that code from then on.
function foreign.compile(model, title)
  local folder, message = core.host.private_folder()
  if not folder then fail("executor 'cc': no private folder: %s", message) end
  local ok, problem = protected(build, folder, model, title)
  remove(folder)
  if not ok then error(problem, 0) end
end

return foreign
