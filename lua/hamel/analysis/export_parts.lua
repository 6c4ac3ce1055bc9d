-- export_parts.lua: the further functions of S:export_c: mass matrix, Jacobian of x', multipliers and energy, each as a C function of (t, x; p).
local core = require "hamel.core"
local object = require "hamel.base.object"
local Observer = require "hamel.model.observe"
local symbols = require "hamel.algebra.symbols"

local fail = object.fail
local parts = {}

-- ---- templates; @P@ is the prefix, @U@ the one of constants

local mass = [[
int @P@_mass(double t, const double *x, const double *p, double *M) {
  double in[@U@_INPUTS];
  @P@_inputs(t, x, p, in);
  @P@_mass_program(in, M, NULL);
  return @P@_not_finite(@RATES@*@RATES@, M);
}
]]

local jacobian = [[
int @P@_jacobian(double t, const double *x, const double *p, double *J) {
  double in[@U@_INPUTS + @CONTROLLED@], out[2*(@U@_STATES + @MARGINS@) + 1];
  @P@_inputs(t, x, p, in);
  for (int i = 0; i < @U@_STATES*@U@_STATES; i++) J[i] = 0;
  for (int j = 0; j < @CONTROLLED@; j++) {
    for (int i = 0; i < @CONTROLLED@; i++) in[@U@_INPUTS + i] = i == j;
    @P@_tangent_program(in, out, NULL);
    for (int i = 0; i < @U@_STATES; i++) J[i*@U@_STATES + j] = out[@U@_STATES + @MARGINS@ + i];
  }
  for (int i = 0; i < @MARGINS@; i++) if (!(out[@U@_STATES + i] > 0)) return 1;
  return @P@_not_finite(@U@_STATES*@U@_STATES, J);
}
]]

local energy = [[
int @P@_energy(double t, const double *x, const double *p, double *energy) {
  double in[@U@_INPUTS];
  @P@_inputs(t, x, p, in);
  @P@_energy_program(in, energy, NULL);
  return @P@_not_finite(1, energy);
}
]]

-- The multipliers of the rows of A: A A^T lambda = A (M x_dyn' - r), by elimination with the largest pivot of the diagonal
local lambda = [=[
static int @P@_solve(int n, double *G, double *h) {
  double largest = 0;
  int order[@ROWS@ + 1];
  for (int i = 0; i < n; i++) {
    order[i] = i;
    if (G[i*n + i] > largest) largest = G[i*n + i];
  }
  for (int k = 0; k < n; k++) {
    int best = k;
    for (int i = k + 1; i < n; i++) if (G[order[i]*n + order[i]] > G[order[best]*n + order[best]]) best = i;
    int pivot = order[best];
    order[best] = order[k];
    order[k] = pivot;
    if (!(G[pivot*n + pivot] > 1e-13*largest)) return 1;
    for (int i = k + 1; i < n; i++) {
      double factor = G[order[i]*n + pivot]/G[pivot*n + pivot];
      for (int j = k + 1; j < n; j++) G[order[i]*n + order[j]] -= factor*G[pivot*n + order[j]];
      h[order[i]] -= factor*h[pivot];
    }
  }
  for (int k = n - 1; k >= 0; k--) {
    for (int j = k + 1; j < n; j++) h[order[k]] -= G[order[k]*n + order[j]]*h[order[j]];
    h[order[k]] /= G[order[k]*n + order[k]];
  }
  return 0;
}

int @P@_lambda(double t, const double *x, const double *p, double *lambda) {
  double in[@U@_INPUTS + @RATES@ + @ROWS@], out[@ROWS@*@ROWS@ + @ROWS@ + 1], f[@U@_STATES];
  if (@P@_f(t, x, p, f)) return 1;
  @P@_inputs(t, x, p, in);
  for (int i = 0; i < @RATES@; i++) in[@U@_INPUTS + i] = f[@KIN@ + i];
  @P@_rows_program(in, out, NULL);
  if (@P@_solve(@ROWS@, out, out + @ROWS@*@ROWS@)) return 1;
  for (int i = 0; i < @ROWS@; i++) in[@U@_INPUTS + @RATES@ + i] = out[@ROWS@*@ROWS@ + i];
  @P@_lambda_program(in, lambda, NULL);
  return @P@_not_finite(@NAMES@, lambda);
}
]=]

-- The multipliers of a form that eliminates them, from x and x_dyn'
local eliminated = [[
int @P@_lambda(double t, const double *x, const double *p, double *lambda) {
  double in[@U@_INPUTS + @RATES@], f[@U@_STATES];
  if (@P@_f(t, x, p, f)) return 1;
  @P@_inputs(t, x, p, in);
  for (int i = 0; i < @RATES@; i++) in[@U@_INPUTS + i] = f[@KIN@ + i];
  @P@_lambda_program(in, lambda, NULL);
  return @P@_not_finite(@NAMES@, lambda);
}
]]

-- ---- programs behind them

local function joined(...)
  local list = {}
  for _, part in ipairs{ ... } do table.move(part, 1, #part, #list + 1, list) end
  return list
end

-- A program of (t, states, parameters, more), translated to the states of the form
local function program(context, outputs, more)
  local list = {}
  for i, e in ipairs(outputs) do list[i] = context.observer:translate(e) end
  local E = context.equations
  return core.program(joined({ symbols.t }, E.kin, E.dyn, context.spec.parameters, more or {}), list)
end

local function dot(a, b)
  local terms = {}
  for i = 1, #a do terms[i] = a[i]*b[i] end
  return core.sum(terms)
end

-- A A^T, then A (M x_dyn' - r)
local function rows_of(E, rates)
  local list, residual = {}, {}
  for i, row in ipairs(E.M) do residual[i] = dot(row, rates) - E.r[i] end
  for _, a in ipairs(E.A) do for _, b in ipairs(E.A) do list[#list + 1] = dot(a, b) end end
  for _, a in ipairs(E.A) do list[#list + 1] = dot(a, residual) end
  return list
end

local function refuse_coupled(E)
  for _, s in ipairs(core.symbols(joined(E.r, table.unpack(E.M)))) do
    if object.contains(E.multipliers, s) then
      fail("export_c: with = {\"lambda\"}: the forces depend on the reactions, which are not solved in C; leave \"lambda\" out")
    end
  end
end

local writers = {}

function writers.mass(context)
  return program(context, joined(table.unpack(context.equations.M))):c(context.prefix .. "_mass_program"), mass,
    "M[i*n + j], n = " .. #context.equations.dyn .. ": the mass matrix of the equations of " .. table.concat(context.equations.dyn_names, ", ")
end

function writers.jacobian(context)
  local text = context.model:tangent_c(context.prefix .. "_tangent_program")
  return text, jacobian, "J[i*n + j] = df[i]/dx[j], n the number of states"
end

function writers.energy(context)
  local E = context.equations
  if not E.energy then fail("export_c: with = {\"energy\"}: the form '%s' keeps no account of the energy", E.form) end
  return program(context, { E.energy }):c(context.prefix .. "_energy_program"), energy, "one number, T + V"
end

function writers.lambda(context)
  local E, observer = context.equations, context.observer
  if #E.names == 0 then fail("export_c: with = {\"lambda\"}: %s has no constraints", context.system.name) end
  if E.mu_of then fail("export_c: with = {\"lambda\"}: the multipliers of the form '%s' are states", E.form) end
  refuse_coupled(E)
  if #context.implied > 0 then
    fail("export_c: with = {\"lambda\"}: the other constraints imply %s, so that the reactions do not determine all multipliers; leave the redundant "
      .. "constraints out of the system, or take form = \"maggi\"", object.quoted(context.implied))
  end
  local rates, list, words = observer:rates(), {}, "lambda[i]: " .. table.concat(E.names, ", ")
  for i = 1, #E.names do list[i] = observer:multiplier(i) end
  if #E.A == 0 then return program(context, list, rates):c(context.prefix .. "_lambda_program"), eliminated, words end
  local text = program(context, rows_of(E, rates), rates):c(context.prefix .. "_rows_program") ..
    "\n" .. program(context, list, joined(rates, E.multipliers)):c(context.prefix .. "_lambda_program")
  return text, lambda, words .. "; 1 also where the constraints depend on each other"
end

local prototypes = { mass = "M", jacobian = "J", energy = "energy", lambda = "lambda" }
local order = { "mass", "jacobian", "energy", "lambda" }

--- The chosen functions: C text of their programs, the templates of the functions, lines on them for the head of the file.
---@param context table prefix, system, equations, model, spec, implied (names of redundant constraints)
function parts.of(context, with)
  for _, name in ipairs(with) do
    if not writers[name] then fail("export_c: with: there is no '%s'%s; known are mass, jacobian, lambda, energy", tostring(name), object.hint(name, order)) end
  end
  context.observer = Observer.new(context.equations)
  local programs, templates, about = {}, {}, {}
  for _, name in ipairs(order) do
    if object.contains(with, name) then
      local text, template, words = writers[name](context)
      programs[#programs + 1], templates[#templates + 1] = text, template
      about[#about + 1] = ("     int %s_%s(double t, const double *x, const double *p, double *%s)   %s"):format(context.prefix, name, prototypes[name], words)
    end
  end
  return programs, templates, about
end

return parts
