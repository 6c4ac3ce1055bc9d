#!/bin/sh
# a sweep under mpirun: each process works, all get the table, the first one alone prints and saves. For builds with -DHAMEL_MPI=ON
set -eu
command -v mpirun > /dev/null || { echo "skipped: mpirun is missing"; exit 77; }
run() { OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 mpirun --oversubscribe -n "$@"; }
run 1 "$HAMEL" -e 'os.exit(require("hamel.core").mpi and 0 or 5)' > /dev/null 2>&1 || { echo "skipped: built without -DHAMEL_MPI=ON"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
fail() { echo "FAILED: $*"; exit 1; }
cat > sweep.lua <<'LUA'
local hm = require "hamel"
local S = hm.system "oscillator"
local x = S:coordinates "x"
local k = S:positive "k=1"
S:kinetic_energy(x.dot^2/2)
S:potential_energy(k*x^2/2)
local sweep = S:sweep{ over = { {"k", hm.range(1, 2, 7)}, {"x", hm.range(0.1, 1, 11)} }, v = {x = 0}, t = 3, keep = {"x"}, progress = false }
print(#sweep, sweep[77].index)
sweep:save(arg[1])
LUA
"$HAMEL" sweep.lua one.csv > told1
run 3 "$HAMEL" sweep.lua three.csv > told3
cmp told1 told3 || fail "three processes told: $(cat told3)"
cmp one.csv three.csv || fail "three processes gave another table"
if run 2 "$HAMEL" sweep.lua x.csv --shard 1/2 > told 2>&1; then fail "shard was taken under mpirun"; fi
grep -q "under mpirun" told || fail "$(cat told)"

# a chart: clusters are those of all processes
cat > chart.lua <<'LUA'
local hm = require "hamel"
local S = hm.system "two wells"
local z = S:coordinates "z"
S:kinetic_energy(z.dot^2/2)
S:potential_energy(z^4/4 - z^2/2)
S:force(z, -z.dot/5)
local C = S:chart{ over = { {"z", hm.range(-1.95, 1.95, 7)}, {"z'", hm.range(-1.9, 1.9, 5)} }, of = "basin", t = 60, progress = false }
for _, row in ipairs(C) do print(row.index, row.label) end
LUA
"$HAMEL" chart.lua > told1
run 3 "$HAMEL" chart.lua > told3
cmp told1 told3 || fail "three processes gave another chart: $(cat told3)"
