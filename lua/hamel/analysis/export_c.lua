-- export_c.lua: S:export_c: the equations of motion as a C file that stands alone, with a main for trying it out.
local compile = require "hamel.model.compile"
local core = require "hamel.core"
local files = require "hamel.base.files"
local foreign = require "hamel.model.foreign"
local object = require "hamel.base.object"
local options = require "hamel.base.options"
local System = require "hamel.system"

local fail = object.fail

local schema = {
  form = { default = "lagrange", type = "string", doc = "formalism" },
  dependent = { type = "table", list = true, doc = "coordinates whose velocities are eliminated" },
  mapping = { type = "table", doc = "S:linear_mapping{...}, for the form 'mapping'" },
  parameters = { type = "table", doc = "values by name in place of the declared ones" },
}

local template = [[
/* @TITLE@: equations of motion, form '@FORM@'. Written by hamel @VERSION@.
@DESCRIPTION@
   x' = f(t, x; p):
     int hamel_f(double t, const double *x, const double *p, double *f)
   gives 0, or 1 where the equations do not determine the accelerations (a pivot vanishes, something is not finite).
   p may be NULL: the values in hamel_parameter_value. No state is kept; threads may call it at once.

   Build:     cc -O2 -ffp-contract=off -c @FILE@       (contraction of a*b + c would change the last bits)
   Try it:    cc -O2 -ffp-contract=off -DHAMEL_MAIN @FILE@ -lm -o try && ./try t x1 x2 ...
              prints f, one number a line, with 17 digits */
#include <math.h>
#include <stddef.h>

enum { HAMEL_STATES = @STATES@, HAMEL_PARAMETERS = @PARAMETERS@ };

const char *const hamel_state_name[] = {@STATE_NAMES@};
const char *const hamel_parameter_name[] = {@PARAMETER_NAMES@};
const double hamel_parameter_value[] = {@PARAMETER_VALUES@};

static @CODE@
int hamel_f(double t, const double *x, const double *p, double *f) {
  double in[1 + @CONTROLLED@ + HAMEL_PARAMETERS], out[HAMEL_STATES + @MARGINS@ + 1];
  in[0] = t;
  for (int i = 0; i < @CONTROLLED@; i++) in[1 + i] = x[i];
  for (int i = 0; i < HAMEL_PARAMETERS; i++) in[1 + @CONTROLLED@ + i] = p ? p[i] : hamel_parameter_value[i];
  hamel_rate(in, out, NULL);
  int failed = 0;
  for (int i = 0; i < HAMEL_STATES; i++) {
    f[i] = out[i];
    failed |= !isfinite(out[i]);
  }
  for (int i = 0; i < @MARGINS@; i++) failed |= !(out[HAMEL_STATES + i] > 0);
  return failed;
}

#ifdef HAMEL_MAIN
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
  double x[HAMEL_STATES], f[HAMEL_STATES];
  if (argc != 2 + HAMEL_STATES) {
    fprintf(stderr, "usage: %s t", argv[0]);
    for (int i = 0; i < HAMEL_STATES; i++) fprintf(stderr, " \"%s\"", hamel_state_name[i]);
    fprintf(stderr, "\n");
    return 2;
  }
  for (int i = 0; i < HAMEL_STATES; i++) x[i] = atof(argv[2 + i]);
  int failed = hamel_f(atof(argv[1]), x, NULL, f);
  for (int i = 0; i < HAMEL_STATES; i++) printf("%.17g\n", f[i]);
  return failed;
}
#endif
]]

local function quoted(list)
  local words = {}
  for i, name in ipairs(list) do words[i] = '"' .. name:gsub('[\\"]', "\\%0") .. '"' end
  return #words > 0 and table.concat(words, ", ") or "0"
end

local function in_comment(text) return (text:gsub("%*/", "* /"):gsub("[\r\n]+", " ")) end

local function names_of(symbols)
  local names = {}
  for i, symbol in ipairs(symbols) do names[i] = core.text(symbol) end
  return names
end

--- Writes the equations of motion as a C file that needs nothing but a C compiler: S:export_c("model.c", { form = "chaplygin" }).
--- The file documents itself; compiled with -DHAMEL_MAIN it prints x' at a state given on the command line. Parameters stay parameters.
--- Raises where forces are Lua functions or contacts are declared: these are not formulas. Returns the text.
function System:export_c(path, given)
  local o = options.check("export_c", schema, given or {})
  if type(path) ~= "string" or not path:find "%.c$" then fail("export_c takes the name of a file that ends in .c") end
  local external = self:external_forces()[1]
  if external then fail("export_c: the force on '%s' is a Lua function, which C cannot call", core.text(external.coordinate)) end
  if #self.gaps + #self.frictions > 0 then fail("export_c: one-sided constraints and friction are not smooth equations; %s has some", self.name) end
  local E = self:equations(o.form, { dependent = o.dependent, mapping = o.mapping })
  local model, spec = compile.model(E, o.parameters)
  local code, margins = foreign.text(model, "hamel_rate", "export_c")
  local states = names_of(E.kin)
  table.move(names_of(E.dyn), 1, #E.dyn, #states + 1, states)
  local controlled = #states
  if model:has_work() then states[#states + 1] = "work" end
  local description, parameters, values = {}, names_of(spec.parameters), {}
  for i, name in ipairs(states) do description[#description + 1] = ("   x[%d] = %s"):format(i - 1, in_comment(name)) end
  for i, name in ipairs(parameters) do
    values[i] = ("%.17g"):format(spec.parameter_values[i])
    description[#description + 1] = ("   p[%d] = %s, %s unless given"):format(i - 1, in_comment(name), values[i])
  end
  -- functions in front of the program are static too
  code = code:gsub("^(static.-)\nvoid hamel_rate", "%1\nstatic void hamel_rate"):gsub("^static ", "")
  local fields = {
    TITLE = in_comment(self.name), FORM = o.form, VERSION = core.version, DESCRIPTION = table.concat(description, "\n"),
    FILE = in_comment(path:match "[^/]*$"), STATES = #states, PARAMETERS = #parameters, STATE_NAMES = quoted(states),
    PARAMETER_NAMES = quoted(parameters), PARAMETER_VALUES = #values > 0 and table.concat(values, ", ") or "0", CODE = code,
    CONTROLLED = controlled, MARGINS = margins,
  }
  local text = template:gsub("@(%u[%u_]*)@", fields)
  files.write("export_c", path, text)
  return text
end

options.declare("export_c", schema)

return System
