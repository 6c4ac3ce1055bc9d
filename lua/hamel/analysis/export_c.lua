-- export_c.lua: S:export_c: the equations of motion as a self-contained C file, with a main function for a trial run.
local compile = require "hamel.model.compile"
local contact = require "hamel.system.contact"
local core = require "hamel.core"
local files = require "hamel.base.files"
local foreign = require "hamel.model.foreign"
local object = require "hamel.base.object"
local options = require "hamel.base.options"
local parts = require "hamel.analysis.export_parts"
local protected = require "hamel.base.protected"
local redundant = require "hamel.model.redundant"
local System = require "hamel.system"
local tangent = require "hamel.analysis.tangent"

local fail = object.fail

local schema = {
  form = { default = "lagrange", type = "string", doc = "formalism" },
  dependent = { type = "table", list = true, doc = "coordinates whose velocities are eliminated" },
  mapping = { type = "table", doc = "S:linear_mapping{...}, for the form 'mapping'" },
  parameters = { type = "table", doc = "values by name in place of the declared ones" },
  prefix = { default = "hamel", type = "string", doc = "prefix of the names in the file; files with different prefixes can be linked into one program" },
  with = { default = {}, type = "table", list = true, doc = "functions beside x': 'mass', 'jacobian', 'lambda', 'energy'" },
}

local template = [[
/* @TITLE@: equations of motion, form '@FORM@'. Written by hamel @VERSION@.
@DESCRIPTION@
   x' = f(t, x; p):
     int @P@_f(double t, const double *x, const double *p, double *f)
   gives 0, or 1 where the equations do not determine the accelerations (a pivot vanishes, something is not finite).
@ABOUT@   p may be NULL: the values in @P@_parameter_value. No state is kept; threads may call it at once.

   Build:     cc -O2 -ffp-contract=off -c @FILE@       (contraction of a*b + c would change the last bits)
   Try it:    cc -O2 -ffp-contract=off -D@U@_MAIN @FILE@ -lm -o try && ./try t x1 x2 ...
              prints f, one number a line, with 17 digits */
#include <math.h>
#include <stddef.h>

enum { @U@_STATES = @STATES@, @U@_PARAMETERS = @PARAMETERS@, @U@_INPUTS = 1 + @CONTROLLED@ + @U@_PARAMETERS };

const char *const @P@_state_name[] = {@STATE_NAMES@};
const char *const @P@_parameter_name[] = {@PARAMETER_NAMES@};
const double @P@_parameter_value[] = {@PARAMETER_VALUES@};

@CODE@
static void @P@_inputs(double t, const double *x, const double *p, double *in) {
  in[0] = t;
  for (int i = 0; i < @CONTROLLED@; i++) in[1 + i] = x[i];
  for (int i = 0; i < @U@_PARAMETERS; i++) in[1 + @CONTROLLED@ + i] = p ? p[i] : @P@_parameter_value[i];
}

static int @P@_not_finite(int n, const double *values) {
  int failed = 0;
  for (int i = 0; i < n; i++) failed |= !isfinite(values[i]);
  return failed;
}

int @P@_f(double t, const double *x, const double *p, double *f) {
  double in[@U@_INPUTS], out[@U@_STATES + @MARGINS@ + 1];
  @P@_inputs(t, x, p, in);
  @P@_rate(in, out, NULL);
  for (int i = 0; i < @U@_STATES; i++) f[i] = out[i];
  int failed = @P@_not_finite(@U@_STATES, out);
  for (int i = 0; i < @MARGINS@; i++) failed |= !(out[@U@_STATES + i] > 0);
  return failed;
}

@PARTS@#ifdef @U@_MAIN
#include <stdio.h>
#include <stdlib.h>

/* The finite number that the whole of an argument is; 0 where there is none */
static int @P@_number_of(const char *name, const char *text, double *value) {
  char *end;
  *value = strtod(text, &end);
  if (end != text && *end == '\0' && isfinite(*value)) return 1;
  fprintf(stderr, "%s = '%s' is not a finite number\n", name, text);
  return 0;
}

int main(int argc, char **argv) {
  double t = 0, x[@U@_STATES], f[@U@_STATES];
  int fine = argc == 2 + @U@_STATES;
  if (!fine) fprintf(stderr, "%d numbers are required, %d are given\n", 1 + @U@_STATES, argc > 0 ? argc - 1 : 0);
  if (fine) fine = @P@_number_of("t", argv[1], &t);
  for (int i = 0; fine && i < @U@_STATES; i++) fine = @P@_number_of(@P@_state_name[i], argv[2 + i], &x[i]);
  if (!fine) {
    fprintf(stderr, "usage: %s t", argc > 0 ? argv[0] : "try");
    for (int i = 0; i < @U@_STATES; i++) fprintf(stderr, " \"%s\"", @P@_state_name[i]);
    fprintf(stderr, "\n");
    return 2;
  }
  int failed = @P@_f(t, x, NULL, f);
  for (int i = 0; i < @U@_STATES; i++) printf("%.17g\n", f[i]);
  if (failed) fprintf(stderr, "the rates are not valid: the equations do not determine them at this state, or a parameter has no value\n");
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

-- The texts of several programs, all of their functions static, each helper once
local function static(programs)
  local seen, out, again = {}, {}, false
  for line in (table.concat(programs, "\n") .. "\n"):gmatch "([^\n]*)\n" do
    local opens = line == "#ifndef HML_CIRCLE"                           -- sine and cosine, to the line #endif
    again = again or opens and seen[line]
    local helper = opens or line:find "^static double f_"
    if not (again or helper and seen[line]) then out[#out + 1] = line:gsub("^void ", "static void ") end
    again = again and line ~= "#endif"
    seen[line] = seen[line] or helper and true or nil
  end
  return table.concat(out, "\n")
end

-- The first call of measured data in an expression; nil: none
local function data_in(e, seen)
  if seen[e] then return nil end
  seen[e] = true
  if core.kind(e) == "call" and core.name(e):find "^tabled" then return e end
  for _, part in ipairs(core.operands(e) or {}) do
    local found = data_in(part, seen)
    if found then return found end
  end
end

local function refuse_data(E)
  local seen = {}
  for _, e in ipairs(tangent.expressions(E, {})) do
    local found = data_in(e, seen)
    if found then
      fail("export_c: the equations contain measured data, %s, which are not written as C; give a formula in their place, or "
        .. "a parameter, whose value your program gives at each call", core.text(found))
    end
  end
end

-- What stands in the file for a parameter without a value: nothing that is computed from it is finite
local NO_VALUE = "NAN"

-- The given values, and 1 for parameters that have none, whose names are returned as a set
local function with_values(self, given)
  local values, none = {}, {}
  for name, value in pairs(given and self:by_name(given, "parameters") or {}) do values[name] = value end
  for _, name in ipairs(self.parameter_names) do
    if self._values[name] == nil and values[name] == nil then values[name], none[name] = 1.0, true end
  end
  return values, none
end

--- Writes the equations of motion as a C file that needs nothing but a C compiler: S:export_c("model.c", { form = "chaplygin" }).
--- The file documents itself; compiled with -DHAMEL_MAIN (the prefix in capitals) it prints x' at a state given on the command
--- line. Parameters stay parameters; those without a value must be given at each call. Redundant constraints are left out.
--- prefix = "disc" names all that the file defines disc_f, disc_state_name, ..., so that several models link into one program; with = {"mass",
--- "jacobian", "lambda", "energy"} adds functions of (t, x; p) for them.
--- Raises where forces are Lua functions or contacts are declared: these are not formulas. Returns { file, text, ... },
--- which prints as one sentence.
function System:export_c(path, given)
  local o = options.check("export_c", schema, given or {})
  if type(path) ~= "string" or not path:find "%.c$" then fail("export_c takes the name of a file that ends in .c") end
  local external = self:external_forces()[1]
  if external then fail("export_c: the force on '%s' is a Lua function, which C cannot call", core.text(external.coordinate)) end
  if contact.any(self) then
    fail("export_c: one-sided constraints and friction are not smooth equations; %s has %s", self.name, contact.described(self))
  end
  if not o.prefix:find "^[%a_][%w_]*$" then fail("export_c: prefix = '%s' is no name in C: letters, digits and _", o.prefix) end
  local E = self:equations(o.form, { dependent = o.dependent, mapping = o.mapping })
  refuse_data(E)
  local override, unknown = with_values(self, o.parameters)
  local implied = (#E.A > 0 or E.mu_of) and redundant.of(self) or {}
  if E.mu_of and #implied > 0 then
    fail("export_c: the form '%s' needs independent constraints, and the others imply %s; leave the redundant constraints out", o.form, redundant.text(implied))
  end
  local model, spec = compile.model(E, override, nil, nil, #implied > 0 and implied or nil)
  if #implied > 0 and model:needs_projection() then
    local advice = protected(self.equations, self, "maggi") and "take form = \"maggi\", which leaves them out" or "formulate the system without them"
    fail("export_c: %s %s redundant only where the other constraints hold: all of them are combined anew at each state, which is not written as C; %s",
      redundant.text(implied), #implied == 1 and "is" or "are", #implied == 1 and advice:gsub("them", "it") or advice)
  end
  local code, margins = foreign.text(model, o.prefix .. "_rate", "export_c")
  local states = names_of(E.kin)
  table.move(names_of(E.dyn), 1, #E.dyn, #states + 1, states)
  local controlled = #states
  if model:has_work() then states[#states + 1] = "work" end
  local description, parameters, values = {}, names_of(spec.parameters), {}
  for i, name in ipairs(states) do description[#description + 1] = ("   x[%d] = %s"):format(i - 1, in_comment(name)) end
  for i, name in ipairs(parameters) do
    values[i] = unknown[name] and NO_VALUE or ("%.17g"):format(spec.parameter_values[i])
    local remark = unknown[name] and "which must be given" or values[i] .. " unless given"
    description[#description + 1] = ("   p[%d] = %s, %s"):format(i - 1, in_comment(name), remark)
  end
  local left_out = #implied > 0 and implied or E.redundant or {}
  if #left_out > 0 then
    description[#description + 1] = "   Left out, since the other constraints imply it: " .. in_comment(redundant.text(left_out))
    if #implied == 0 then
      description[#description + 1] = "   Where these others depend on each other, @P@_f gives 1, and near such a place errors of x grow"
    end
  end
  local context = { prefix = o.prefix, system = self, equations = E, model = model, spec = spec, implied = implied }
  local programs, templates, about = parts.of(context, o.with)
  local fields = {
    TITLE = in_comment(self.name), FORM = o.form, VERSION = core.version, DESCRIPTION = table.concat(description, "\n"):gsub("@P@", o.prefix),
    FILE = in_comment(path:match "[^/]*$"), STATES = #states, PARAMETERS = #parameters, STATE_NAMES = quoted(states),
    PARAMETER_NAMES = quoted(parameters), PARAMETER_VALUES = #values > 0 and table.concat(values, ", ") or "0",
    CODE = static{ code, table.unpack(programs) }, CONTROLLED = controlled, MARGINS = margins, KIN = #E.kin, RATES = #E.dyn, ROWS = #E.A, NAMES = #E.names,
    P = o.prefix, U = o.prefix:upper(), ABOUT = #about > 0 and table.concat(about, "\n") .. "\n" or "",
  }
  local further = #templates > 0 and table.concat(templates, "\n") .. "\n" or ""
  local text = template:gsub("@PARTS@", function() return further end):gsub("@(%u[%u_]*)@", fields)
  files.write("export_c", path, text)
  local names = #states <= 6 and table.concat(states, ", ") or ("%d states"):format(#states)
  return files.written(path, ("%s_f for x = (%s), form '%s'; its head says how to build it"):format(o.prefix, names, o.form), { text = text, bytes = #text })
end

options.declare("export_c", schema)

return System
