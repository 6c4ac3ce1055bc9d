#!/bin/bash
# hamel submit: a fitting array and the merge for Slurm, which a script named sbatch stands in for: it runs the jobs at once
set -eu
export ASAN_OPTIONS=detect_leaks=0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
fail() { echo "FAILED: $*"; exit 1; }

cat > chart.lua <<'LUA'
local hm = require "hamel"
local S = hm.system "two wells"
local z = S:coordinates "z"
S:kinetic_energy(z.dot^2/2)
S:potential_energy(z^4/4 - z^2/2)
S:force(z, -z.dot/5)
local C = S:chart{ over = { {"z", hm.range(-1.95, 1.95, 20)}, {"z'", hm.range(-1.9, 1.9, 10)} }, of = "basin", t = tonumber(arg[1] or 60) }
C:save "whole.csv"
LUA
mkdir bin
cat > bin/sbatch <<'SBATCH'
#!/bin/bash
# runs an array, or a job after it; a number for each
set -eu
echo "$*" >> calls
job=$(cat jobs 2> /dev/null || echo 100)
echo $((job + 1)) > jobs
file=${!#}
read -r first last <<< "$(sed -n 's/^#SBATCH --array=\([0-9]*\)-\([0-9]*\)$/\1 \2/p' "$file")"
if [ -n "$first" ]; then
  for task in $(seq "$first" "$last"); do
    SLURM_ARRAY_TASK_ID=$task SLURM_ARRAY_TASK_COUNT=$last SLURM_ARRAY_TASK_MIN=$first bash "$file" > "task$task.log" 2>&1
  done
else
  bash "$file" > merge.log 2>&1
fi
echo $((job + 1))
SBATCH
chmod +x bin/sbatch
export HAMEL PATH="$work/bin:$PATH"

# without --tasks: one task is enough here
"$HAMEL" submit chart.lua --hours 1 --dry > told || fail "$(cat told)"
cp told dry
grep -q "^200 points, .* s of one core each: 1 task of 1 h with 4 cores" told || fail "--dry: $(cat told)"
[ ! -e calls ] && [ ! -e whole.csv ] || fail "--dry submitted, or the script went on"
grep -q '^#SBATCH --array=1-1$' chart.slurm && grep -q '^#SBATCH --time=1:00:00$' chart.slurm && grep -q '^#SBATCH --cpus-per-task=4$' chart.slurm || fail "$(cat chart.slurm)"

"$HAMEL" submit chart.lua --hours 0.5 --tasks 3 --cores 2 70 > told || fail "$(cat told)"
grep -q "^submitted: 101 (chart.slurm), then 102 (chart-merge.slurm), which writes chart.csv" told || fail "$(cat told)"
grep -q -- "--dependency=afterany:101 chart-merge.slurm" calls || fail "$(cat calls)"
grep -q "200 runs, 0 missing, 0 failed" merge.log || fail "$(cat merge.log task*.log)"
"$HAMEL" chart.lua 70 > /dev/null
column() { local place; place=$(grep -v '^#' "$1" | head -1 | tr ',' '\n' | grep -nx label | cut -d: -f1); grep -v '^#' "$1" | tail -n +2 | cut -d, -f1,"$place"; }
column whole.csv > a
column chart.csv > b
cmp a b || fail "the tasks give another chart"

# without HAMEL, and without hamel on the PATH, the jobs run the program that wrote them
rm -f chart.csv chart-*.jsonl
(program=$HAMEL; unset HAMEL; "$program" submit chart.lua --hours 0.5 --tasks 2 60 > told) || fail "$(cat told)"
grep -q "the tasks run /.*, or the program that the variable HAMEL names" told || fail "$(cat told)"
grep -q "200 runs, 0 missing, 0 failed" merge.log && [ -e chart.csv ] || fail "$(cat merge.log task*.log)"
grep -q '^hamel=${HAMEL:-/' chart.slurm && grep -q '^hamel=${HAMEL:-/' chart-merge.slurm || fail "$(cat chart.slurm)"

# further sweeps of the script have files and tables of their own
cat chart.lua > two.lua
cat >> two.lua <<'LUA'
S:sweep{ over = { {"z", hm.range(0.1, 1, 7)} }, v = {z = 0}, t = 3 }:save "second.csv"
print "both"
LUA
"$HAMEL" submit two.lua --hours 0.5 --tasks 2 60 > told || fail "$(cat told)"
grep -q "at 2 places; the time is that of the first one alone" told || fail "$(cat told)"
grep -q "^both$" task1.log && grep -q "^both$" task2.log || fail "a task did not make the second sweep: $(cat task*.log)"
grep -q "two.csv: 200 runs, 0 missing, 0 failed" merge.log && grep -q "two.2.csv: 7 runs, 0 missing, 0 failed" merge.log || fail "$(cat merge.log)"
"$HAMEL" two.lua 60 > /dev/null
for pair in whole:two second:two.2; do
  cmp "${pair%:*}.csv" "${pair#*:}.csv" || fail "the tasks give another table than $pair"
done

# a task that is lost: the other rows replace the older table, the log says what to do, and the array makes these rows alone
rm two-2.jsonl two-2.2.jsonl
cp whole.csv first_table
cp second.csv second_table
if bash two-merge.slurm > told; then fail "a merge without the second part succeeded"; fi
grep -q "two.csv: 100 runs, 100 missing" told && grep -q "two-2.jsonl is not there" told && grep -q "missing: 2 to 200 by 2" told || fail "$(cat told)"
grep -q "two.2.csv: 4 runs, 3 missing" told && grep -q "sbatch two.slurm makes these again" told || fail "$(cat told)"
grep -q "^# incomplete: 100 of 200 runs" two.csv || fail "$(head two.csv)"
# one task alone is the same part of the same number of parts
SLURM_ARRAY_TASK_ID=2 SLURM_ARRAY_TASK_COUNT=1 SLURM_ARRAY_TASK_MIN=2 bash two.slurm > told || fail "$(cat told)"
bash two-merge.slurm > told || fail "$(cat told)"
cmp first_table two.csv && cmp second_table two.2.csv || fail "the part that was made again gives another table"

# misspelt options submit nothing; words behind -- are the script's
for words in "--dryy two.lua --hours 1" "two.lua --hours 1 --dryy" "two.lua --hour 1"; do
  rm -f calls two.slurm
  status=0
  "$HAMEL" submit $words 2> told || status=$?
  [ $status = 2 ] && [ ! -e calls ] && [ ! -e two.slurm ] && grep -q "unknown option.*did you mean '--[a-z]*'" told || fail "$words: $status $(cat told)"
done
if "$HAMEL" submit --verbose two.lua --hours 1 2> told; then fail "an unknown option was taken"; fi
grep -q "unknown option '--verbose'; usage" told || fail "$(cat told)"
"$HAMEL" submit --hours 1 --dry two.lua 60 --seed 3 -- --dryy --hours > told || fail "$(cat told)"
grep -q 'two.lua 60 --seed 3 --dryy --hours --shard' two.slurm || fail "$(cat two.slurm)"

# a sbatch that answers with its words all the same
sed 's/^echo $((job + 1))$/echo "Submitted batch job $((job + 1))"/' bin/sbatch > bin/wordy && mv bin/sbatch bin/brief && mv bin/wordy bin/sbatch && chmod +x bin/sbatch
rm -f jobs calls
"$HAMEL" submit chart.lua --hours 0.5 --tasks 2 60 > told || fail "$(cat told)"
grep -q "^submitted: 101 (chart.slurm), then 102" told && grep -q -- "--dependency=afterany:101 chart-merge.slurm" calls || fail "$(cat told calls)"
mv bin/brief bin/sbatch

# the array grows with the work: hours for twenty points of those that were timed, so that a busier machine now changes nothing
each=$(sed -n 's/^200 points, \([^ ]*\) s of one core each.*/\1/p' dry)
"$HAMEL" submit chart.lua --hours "$(awk "BEGIN { print 20*$each/3600 }")" --cores 1 --dry > told || fail "$(cat told)"
tasks=$(sed -n 's/^#SBATCH --array=1-\([0-9]*\)$/\1/p' chart.slurm)
[ "$tasks" -gt 1 ] && [ "$tasks" -le 200 ] || fail "$tasks tasks"
if "$HAMEL" submit chart.lua --hours 1e-9 --dry 2> told; then fail "hours shorter than a point were taken"; fi
grep -q "longer than --hours" told || fail "$(cat told)"
if "$HAMEL" submit chart.lua 2> told; then fail "no hours"; fi
grep -q "hours is missing.*usage" told || fail "$(cat told)"
echo 'print(1)' > none.lua
if "$HAMEL" submit none.lua --hours 1 2> told; then fail "a script without a sweep"; fi
grep -q "makes no sweep and no chart" told || fail "$(cat told)"
printf '#!/bin/bash\necho "invalid partition" >&2\nexit 1\n' > bin/sbatch
if "$HAMEL" submit chart.lua --hours 1 2> told; then fail "a refusal of sbatch was not noticed"; fi
grep -q "invalid partition" told || fail "$(cat told)"
