-- space_time.lua: the space-time of a linear mapping: metric, connection, torsion, curvature, geodesics, autoparallels, printing.
local connection = require "hamel.geometry.connection"
local core = require "hamel.core"
local object = require "hamel.base.object"
local options = require "hamel.base.options"
local symbols = require "hamel.algebra.symbols"

local Mapping = object.class "Mapping"

--- Is the mapping integrable, that is without torsion? true, false, or nil if it cannot be decided.
function Mapping.get.integrable(m) return rawget(m, "_integrable") end

-- Lines of the coefficients that are not zero
local function coefficient_lines(names, gamma, format, lines)
  for s, block in ipairs(gamma) do
    for mu, row in ipairs(block) do
      for nu, e in ipairs(row) do
        if core.number_value(e) ~= 0 then lines[#lines + 1] = format:format(names[s], names[mu], names[nu], core.text(e)) end
      end
    end
  end
  return lines
end

function Mapping.meta.__tostring(m)
  local lines = { ("linear mapping of %s, %s"):format(m.system.name, m.integrable and "integrable (no torsion)" or m.integrable == false
    and "not integrable" or "integrability not decided") }
  lines[#lines + 1] = "metric"
  lines[#lines + 1] = tostring(m.metric)
  return table.concat(coefficient_lines(m.names, m.connection, "Gamma^%s_(%s %s) = %s", lines), "\n")
end

--- Block structure (17): does the metric couple the free pi with the others? List of the coupling entries that are not proved to vanish.
function Mapping:coupling()
  local list = {}
  for _, mu in ipairs(self.free) do
    for nu = 1, #self.names do
      if not object.contains(self.free, nu) and self.metric[mu][nu]:is_zero() ~= true then list[#list + 1] = self.metric[mu][nu] end
    end
  end
  return list
end

--- Christoffel symbols of the induced metric, {sigma; mu nu} = g^(sigma rho) (d_mu g_(rho nu) + d_nu g_(rho mu) - d_rho g_(mu nu))/2 with
--- d_mu = b^k_mu d/dx^k: [sigma][mu][nu]. They are the connection exactly when the mapping is integrable.
function Mapping:levi_civita()
  if not rawget(self, "_christoffel") then
    self._christoffel = connection.levi_civita(self.metric, self.metric:inverse(), self.b, self._q)
  end
  return self._christoffel
end

local curvature_schema = {
  of = { default = "connection", type = "string", choices = { "connection", "metric" }, doc = "connection (9), or metric: its Christoffel symbols" },
  commuting = { default = false, type = "boolean", doc = "compute as if the derivatives d_mu commuted" },
}

--- Returns the curvature R^sigma_(rho mu nu) as [sigma][rho][mu][nu], of the induced connection (9) or of = "metric".
--- Derivatives along the pi, d_mu = b^k_mu d/dx^k, commute only if the mapping is integrable: [d_mu, d_nu] = -T^s_(mu nu) d_s with the torsion T.
--- With that term
---   R^s_(r mu nu) = d_mu G^s_(r nu) - d_nu G^s_(r mu) + G^s_(l mu) G^l_(r nu) - G^s_(l nu) G^l_(r mu) + T^l_(mu nu) G^s_(r l)
--- the curvature of the induced connection is zero for every mapping: it is the zero connection in another frame, where the torsion, with the
--- commutator, is zero too. commuting = true omits the last term, as if the pi were coordinates, which is how T itself is read. The result is then
--- -T^l_(mu nu) Gamma^s_(r l), zero for integrable mappings.
function Mapping:curvature(given)
  local o = options.check("curvature", curvature_schema, given)
  return connection.curvature(o.of == "metric" and self:levi_civita() or self.connection, self.b, self._q, not o.commuting and self.torsion)
end

-- ---- curves

local Curves = object.class "Curves"

local function curves(m, title, gamma)
  local n, rate, list = #m.names, {}, setmetatable({ _title = ("%s: %s"):format(m.system.name, title), _names = m.names }, Curves.meta)
  for mu = 1, n do rate[mu] = core.symbol(m.names[mu], symbols.DYNAMIC) end
  for s = 1, n do
    local terms = { rate[s].ddot }
    for mu = 1, n do
      for nu = 1, n do terms[#terms + 1] = gamma[s][mu][nu]*rate[mu].dot*rate[nu].dot end
    end
    list[s] = core.sum(terms):simplify()
  end
  return list
end

function Curves.meta.__tostring(list)
  local lines = { list._title }
  for s, e in ipairs(list) do lines[#lines + 1] = ("  %-10s %s = 0"):format(list._names[s] .. ":", core.text(e)) end
  return table.concat(lines, "\n")
end

--- The equations as an align environment.
function Curves:latex()
  local lines = {}
  for s, e in ipairs(self) do lines[s] = core.latex(e) .. " &= 0" end
  return "\\begin{align}\n" .. table.concat(lines, " \\\\\n") .. "\n\\end{align}"
end

--- Autoparallels of the induced connection: a list of the left sides of pi_s'' + Gamma^s_(mu nu) pi_mu' pi_nu' = 0, which prints as
--- equations. Images of straight motions, with the reactions that the mapping leaves out (Wang 2019 (14)); to run: form = "mapping".
function Mapping:autoparallels() return curves(self, "autoparallels of the induced connection", self.connection) end

--- Geodesics: the same with the Christoffel symbols of the induced metric, which contain no torsion; to run: form = "geodesic".
function Mapping:geodesics() return curves(self, "geodesics of the induced metric", self:levi_civita()) end

options.declare("curvature", curvature_schema)

return Mapping
