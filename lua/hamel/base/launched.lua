-- launched.lua: is this one of several processes of a launcher, as of mpirun or srun, that all do the same work? A program that is built without MPI shares no
-- work among them: each would do all of it, and write the same files.
local core = require "hamel.core"
local object = require "hamel.base.object"

local launched = {}

-- Variables in which launchers tell a process how many there are; the last one where they do not tell that: its number
local SIZES, NUMBER = { "OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS" }, "PMIX_RANK"
-- The variable by which a user says that each process has work of its own
local ALONE = "HAMEL_ALONE"

local function found()
  if core.mpi or (os.getenv(ALONE) or "") ~= "" then return false end
  for _, name in ipairs(SIZES) do if (tonumber(os.getenv(name)) or 1) > 1 then return name end end
  return (tonumber(os.getenv(NUMBER)) or 0) > 0 and NUMBER
end

local known

--- The variable that tells that there are several processes, and its value; nil: there is one, they share their work, or each has its own.
function launched.several()
  if known == nil then known = found() end
  if not known then return nil end
  return known, os.getenv(known)
end

--- From now on this process has work of its own: a part of a sweep.
function launched.has_part() known = false end

-- Does the command line give a part?
local function is_part_given()
  local words = rawget(_G, "arg") or {}
  return words.shard ~= nil or object.contains(words, "--shard")
end

--- Raises for a call that each of several processes would make alike. what: the call.
function launched.demand_alone(what)
  local name, value = launched.several()
  if not name or is_part_given() then return end
  object.fail("%s: several processes were started (%s = %s), and this program does not share work among them (it is built without MPI, or no launcher of MPI "
    .. "started it): each would do the same and write the same files. Start it once; where each process has work of its own, as by its number, say so by "
    .. "%s=1 in the environment", what, name, value, ALONE)
end

return launched
