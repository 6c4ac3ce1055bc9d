-- run_schema.lua: the options of S:simulate, which studies of runs share.
local core = require "hamel.core"
local methods = require "hamel.run.methods"
local preparation = require "hamel.run.preparation"

local of_state = preparation.schema

-- kept: written into files, which are continued with the same value only
return {
  q = of_state.q, v = of_state.v, form = of_state.form, parameters = of_state.parameters,
  dependent = of_state.dependent, mu = of_state.mu, mapping = of_state.mapping,
  reactions = of_state.reactions,
  t = { type = "number", or_type = "table", list = true, doc = "end time, or {start, end}" },
  rtol = { kept = true, default = 1e-9, from = 0, finite = true, type = "number",
    doc = "relative tolerance of each step; see run:accuracy for what the errors add up to" },
  atol = { kept = true, default = preparation.ATOL, from = 0, finite = true, type = "number", doc = "absolute tolerance of each step" },
  method = { kept = true, default = "dop853", type = "string", doc = "stepper" },
  step = { kept = true, default = 0, from = 0, type = "number", doc = "size of the steps of the methods " .. methods.fixed_names() },
  max_step = { kept = true, default = 0, from = 0, type = "number", doc = "largest step; 0: not limited" },
  first_step = { kept = true, default = 0, from = 0, type = "number", doc = "first step tried; 0: chosen" },
  max_steps = { default = 10000000, from = 0, to = 1e15, type = "number", doc = "number of steps at which the run stops; 0: not limited" },
  project = { kept = true, default = true, type = "boolean", doc = "project onto the constraints after each step" },
  events = { type = "table", doc = "list of { name =, when = expression or function, direction = 'rising' or 'falling', terminal = true }" },
  several = { default = "take", type = "string", choices = { "take", "refuse" },
    doc = "where contacts and friction leave several motions possible: 'take' the one that sticks most, "
    .. "with a note; 'refuse' stops the run there" },
  record = { default = "steps", type = "string", choices = core.rows.keepings,
    doc = "which points are stored: 'steps' (all), 'impacts' (start, end, events, impacts), 'ends'" },
  dense = { kept = true, default = true, type = "boolean", doc = "store the dense output, for values between the steps" },
  progress = { default = true, type = "boolean", doc = "a line on the terminal while it lasts longer than a second" },
  checkpoint = { type = "string", doc = "a file (.hamel) in which the run is saved from time to time; the same call continues it, bit for bit" },
  every = { kept = true, above = 0, type = "number", doc = "time between places where a run may be continued; a twentieth of it when not given" },
  keep = { type = "table", doc = "numbers of the whole run for run.kept: { 'max theta', 'mean energy', 'first event', top = hm.highest(y) }, as by run:keep" },
  executor = { default = "fastest", type = "string", choices = { "fastest", "native", "cc", "interpreter" },
    doc = "of the equations: 'fastest', 'native', 'cc', 'interpreter'; the same bits" },
  elimination = { kept = true, default = "cheapest", type = "string", choices = { "cheapest", "dense", "graph", "refined" },
    doc = "of the accelerations: 'dense' from the entries of the mass matrix; 'graph' from the energies, operations in proportion to the number of "
    .. "bodies; 'refined' dense, then corrected in quadruple precision at every state, for masses that differ by many orders of magnitude; "
    .. "'cheapest' of dense and graph, or refined where both lose digits at the start" },
}
