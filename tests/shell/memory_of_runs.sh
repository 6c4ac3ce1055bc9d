# memory_of_runs.sh: a run whose memory ends returns the steps so far, whatever the method; there is no last run before the first.
set -u
[ "${SANITIZE-}" = ON ] && { echo "skipped: sanitizers need much memory"; exit 77; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cat >"$folder/long.lua" <<'LUA'
local hm = require "hamel"
local none, message = pcall(hm.last_run)
assert(not none and message:find("no run was begun yet", 1, true), message)
local S = hm.system "oscillator"
local x = S:coordinates "x"
S:kinetic_energy(x.dot^2/2)
S:potential_energy(x^2/2)
local run = S:simulate{ q = {x = 1}, v = {x = 0}, t = 1e9, method = arg[1], step = tonumber(arg[2]), events = arg[3] and { { name = "far", when = x - 3 } } }
assert(run.status == "MEMORY" and run.reason:find "memory" and run.outcome.steps > 1000 and hm.last_run() == run, run.reason)
assert(math.abs(run:at(1).x - math.cos(1)) < 1e-4 and run.outcome.t > 1000)
print "kept"
LUA
failed=0
for given in dop853 "dop853 0 event" radau5 taylor "gauss4 0.01" "dla 0.01"; do
  told=$(ulimit -v 150000; "$HAMEL" "$folder/long.lua" $given 2>&1)
  [ "$told" = kept ] || { echo "FAILED: $given: $told"; failed=1; }
done
exit $failed
