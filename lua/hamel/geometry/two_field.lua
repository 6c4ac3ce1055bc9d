-- two_field.lua: functionals with q and the velocities nu as independent fields (Liang 1999 (78), (79)) and their Euler-Lagrange
-- equations: another way to the equations of both models, which takes nothing from the forms.
local core = require "hamel.core"
local kinematics = require "hamel.equations.kinematics"
local naming = require "hamel.algebra.naming"
local object = require "hamel.base.object"
local symbols = require "hamel.algebra.symbols"
local System = require "hamel.system"

-- nu_s for each velocity; names that are free
local function fields(system)
  local suffixes, nu = {}, {}
  for s, name in ipairs(system.coordinate_names) do suffixes[s] = "_" .. name end
  for s, name in ipairs(naming.free(system, { "nu" }, suffixes)) do nu[s] = core.symbol(name, symbols.DYNAMIC) end
  return nu
end

-- d/dt dF/dx' - dF/dx for each x
local function euler_lagrange(F, list)
  local out = {}
  for i, x in ipairs(list) do out[i] = core.dt(core.diff(F, x.dot)) - core.diff(F, x) end
  return out
end

--- Returns the functional with two fields for a model, "vakonomic" or "chetaev": G = L + sum dL/dnu_s (q_s' - nu_s), with L and f in (q, nu, t); for
--- the vakonomic model L + sum mu_k f_k replaces L.
--- Result: integrand = G, nu, mu (symbols), q = the variations along q_s (d/dt dG/dq' - dG/dq), by_nu, by_mu = those along nu and mu.
--- by_nu is -W (q' - nu) with W = d2(L + mu f)/dnu dnu: it gives q' = nu where W has an inverse. by_mu is -f - df/dnu (q' - nu).
--- In the Chetaev model the variations satisfy sum df_k/dnu_s delta q_s = 0, so q contains - sum lambda_k df_k/dnu_s; multipliers: lambda.
function System:two_field(model)
  if model ~= "vakonomic" and model ~= "chetaev" then
    object.fail("two_field: the model is \"vakonomic\" or \"chetaev\", not %s", tostring(model))
  end
  local q, v, nu, L = self:coordinate_list(), self:velocity_list(), fields(self), self:lagrangian()
  local result, multipliers, f = { nu = nu, mu = {}, by_mu = {}, lambda = {} }, {}, {}
  local inner = core.substitute(L, v, nu)
  local letters = naming.free(self, model == "vakonomic" and { "mu", "eta" } or { "lambda", "Lambda" }, naming.numbers(#self.constraints, true))
  for k, c in ipairs(self.constraints) do
    f[k] = core.substitute(kinematics.levels(c, q, v).velocity.f, v, nu)
    multipliers[k] = core.symbol(letters[k], symbols.DYNAMIC)
    if model == "vakonomic" then inner = inner + multipliers[k]*f[k] end
  end
  local terms = { inner }
  for s = 1, #q do terms[#terms + 1] = core.diff(inner, nu[s])*(v[s] - nu[s]) end
  local G = core.sum(terms)
  result.integrand, result.q, result.by_nu = G, euler_lagrange(G, q), euler_lagrange(G, nu)
  result[model == "vakonomic" and "mu" or "lambda"] = multipliers
  if model == "vakonomic" then
    result.by_mu = euler_lagrange(G, multipliers)
  else
    for s = 1, #q do for k = 1, #f do result.q[s] = result.q[s] - multipliers[k]*core.diff(f[k], nu[s]) end end
  end
  return result
end

return true
