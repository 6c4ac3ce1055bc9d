#!/bin/bash
# parts of a sweep: shards, lines cut by a kill, going on, hamel merge, GNU parallel, Slurm's variables
set -eu
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
local sweep = S:sweep{ over = { {"k", hm.range(1, 2, 10)}, {"x", hm.range(0.1, 1, 20)} }, v = {x = 0}, t = 3, keep = {"x"}, progress = false }
print(#sweep)
if not arg.shard then sweep:save "whole.csv" end
LUA
"$HAMEL" sweep.lua > /dev/null
for i in 1 2 3; do "$HAMEL" sweep.lua --shard $i/3 --out part$i.jsonl > count$i; done
[ "$(cat count1 count2 count3 | tr '\n' ' ')" = "67 67 66 " ] || fail "sizes of the parts: $(cat count1 count2 count3)"
"$HAMEL" merge part1.jsonl part2.jsonl part3.jsonl -o all.csv > told
grep -q "200 runs, 0 missing, 0 failed" told || fail "merge told: $(cat told)"
# the same table as in one go
cmp whole.csv all.csv || fail "the parts give another table than the whole"

# several sweeps of a script have files of their own; one that is made again has the file that it had
cat > several.lua <<'LUA'
local hm = require "hamel"
local S = hm.system "oscillator"
local x = S:coordinates "x"
local k = S:positive "k=1"
S:kinetic_energy(x.dot^2/2)
S:potential_energy(k*x^2/2)
local function made(t) return S:sweep{ over = { {"x", hm.range(0.1, 1, 20)} }, v = {x = 0}, times = { 1, t }, keep = { "x" }, progress = false } end
for i, t in ipairs{ 2, 3, 2 } do
  local sweep = made(t)
  if not arg.shard then sweep:save(i .. ".csv") end
end
LUA
"$HAMEL" several.lua
for i in 1 2; do "$HAMEL" several.lua --shard $i/2 --out s$i.jsonl > told$i || fail "part $i of several sweeps"; done
grep -q "^sweep 2 of the script: its rows go to s1.2.jsonl$" told1 || fail "$(cat told1)"
[ ! -e s1.3.jsonl ] && [ "$(grep -c index s1.jsonl)" = 10 ] && [ "$(grep -c index s1.2.jsonl)" = 10 ] || fail "files of several sweeps: $(ls)"
"$HAMEL" merge s1.jsonl s2.jsonl -o first.csv > told || fail "$(cat told)"
"$HAMEL" merge s1.2.jsonl s2.2.jsonl -o second.csv > told || fail "$(cat told)"
cmp 1.csv first.csv || fail "the first of several sweeps, with times, is another table"
cmp 2.csv second.csv || fail "the second of several sweeps, with times, is another table"
if "$HAMEL" merge s1.jsonl s1.2.jsonl -o x.csv 2> told; then fail "two sweeps were joined"; fi
cp s1.jsonl before.jsonl
"$HAMEL" several.lua --shard 1/2 --out s1.jsonl > /dev/null || fail "going on with several sweeps"
cmp s1.jsonl before.jsonl || fail "finished sweeps were made again"

# a part that is missing is told, with the exit status
if "$HAMEL" merge part1.jsonl part3.jsonl -o some.csv > told; then fail "merge of two parts out of three succeeded"; fi
grep -q "67 missing" told && grep -q "^  missing: 2 to 200 by 3;" told || fail "merge told: $(cat told)"
# so is one whose file is not there, or has no line yet: the others replace an older table, which tells that it is incomplete
cp all.csv lost.csv
if "$HAMEL" merge part1.jsonl lost.jsonl part3.jsonl -o lost.csv > told; then fail "merge of a part that is not there succeeded"; fi
grep -q "133 runs, 67 missing" told && grep -q "^  lost.jsonl is not there" told && grep -q "^  missing: 2 to 200 by 3;" told || fail "merge told: $(cat told)"
grep -q "^# incomplete: 133 of 200 runs" lost.csv && [ "$(grep -vc '^#' lost.csv)" = 134 ] || fail "$(head lost.csv)"
: > lost.jsonl
if "$HAMEL" merge part1.jsonl lost.jsonl -o lost.csv > told; then fail "merge of an empty part succeeded"; fi
grep -q "^  lost.jsonl is empty" told || fail "merge told: $(cat told)"
if "$HAMEL" merge lost.jsonl -o lost.csv 2> told; then fail "an empty part alone was merged"; fi
grep -q "no row in lost.jsonl; nothing was written, and lost.csv is left as it was" told || fail "$(cat told)"

# one part of no use: it is named with what to do, which works, and the others are merged
for damage in 's/"hamel"/"hamal"/' 's/^/x/'; do
  sed "$damage" part2.jsonl > lost.jsonl
  if "$HAMEL" merge part1.jsonl lost.jsonl part3.jsonl -o lost.csv > told; then fail "merge of a damaged part succeeded"; fi
  grep -q "133 runs, 67 missing" told && grep -q "^  lost.jsonl .*damaged.*remove it, and make this part again" told || fail "merge told: $(cat told)"
  if "$HAMEL" sweep.lua --shard 2/3 --out lost.jsonl > told 2>&1; then fail "a damaged part was continued"; fi
  grep -q "remove it, or take another name, and run the sweep again" told || fail "$(cat told)"
  if "$HAMEL" merge lost.jsonl -o lost.csv > told 2>&1; then fail "a damaged part alone was merged"; fi
  grep -q "lost.jsonl .*remove it, and make this part again; nothing was written" told || fail "$(cat told)"
  rm lost.jsonl
  "$HAMEL" sweep.lua --shard 2/3 --out lost.jsonl > /dev/null || fail "making a damaged part again"
  "$HAMEL" merge part1.jsonl lost.jsonl part3.jsonl -o lost.csv > told || fail "merge told: $(cat told)"
  cmp all.csv lost.csv || fail "a part that was made again gives another table"
done

# killed in the middle of a line: the line is dropped, the run goes on where it was
head -c 3000 part2.jsonl > cut.jsonl
"$HAMEL" merge part1.jsonl cut.jsonl part3.jsonl -o some.jsonl > told || true
grep -q "^  cut.jsonl: 1 damaged line dropped" told || fail "merge told: $(cat told)"
"$HAMEL" sweep.lua --shard 2/3 --out cut.jsonl > count 2> told
grep -q "cut.jsonl: 1 damaged line dropped" told || fail "going on told: $(cat told)"
[ "$(cat count)" = 67 ] || fail "a second run gave a table of $(cat count) runs, not 67"
[ "$(sort -u cut.jsonl | grep -c '"status":"OK"')" = 67 ] || fail "the file holds $(grep -c OK cut.jsonl) runs, not 67"
"$HAMEL" merge part1.jsonl cut.jsonl part3.jsonl -o again.csv > told
if grep -q dropped told; then fail "the damaged line is still there: $(cat told)"; fi
cmp all.csv again.csv || fail "going on after a kill gave another table"

# arg and ... hold the words of the script alone, before the library is read and behind it
cat > words.lua <<'LUA'
local n = tonumber(arg[1] or 10)
print(n, #arg, select("#", ...), (...), arg[2], arg.shard, arg.out)
LUA
[ "$("$HAMEL" words.lua --shard 1/2 --out w.jsonl | tr '\t' ' ')" = "10 0 0 nil nil 1/2 w.jsonl" ] || fail "words: $("$HAMEL" words.lua --shard 1/2 --out w.jsonl)"
[ "$("$HAMEL" words.lua 6 --out w.jsonl more --shard auto | tr '\t' ' ')" = "6 2 2 6 more auto w.jsonl" ] || fail "words around those of sweeps"
[ "$("$HAMEL" words.lua 6 --out w.csv | tr '\t' ' ')" = "6 3 3 6 --out nil nil" ] || fail "words of the script's own"

# Slurm's array variables
SLURM_ARRAY_TASK_ID=2 SLURM_ARRAY_TASK_COUNT=3 SLURM_ARRAY_TASK_MIN=1 "$HAMEL" sweep.lua --shard auto --out slurm.jsonl > /dev/null
cmp slurm.jsonl part2.jsonl || fail "--shard auto is not the second part"
if "$HAMEL" sweep.lua --shard 4/3 --out x.jsonl 2> told; then fail "shard 4/3 was taken"; fi
grep -q "i/n" told || fail "shard 4/3: $(cat told)"
if "$HAMEL" merge nothing.jsonl -o x.csv 2> told; then fail "a missing file was merged"; fi

# several processes of a launcher, without MPI: each would make all runs, unless it has its part
if OMPI_COMM_WORLD_SIZE=2 "$HAMEL" -e 'os.exit(require("hamel.core").mpi and 5 or 0)' > told 2>&1; then
  for variable in OMPI_COMM_WORLD_SIZE=2 PMI_SIZE=2 SLURM_STEP_NUM_TASKS=4 PMIX_RANK=1; do
    if env $variable "$HAMEL" sweep.lua > told 2>&1; then fail "$variable: the sweep was made"; fi
    grep -q "several processes were started (${variable%=*} = .*without MPI" told || fail "$variable: $(cat told)"
    env $variable "$HAMEL" sweep.lua --shard 2/3 --out launched.jsonl > told || fail "$variable: $(cat told)"
  done
  cmp launched.jsonl part2.jsonl || fail "a part under a launcher is another part"
  # so it is with other long calls, which nothing shares out
  cat > long.lua <<'LUA'
local hm = require "hamel"
local S = hm.system "oscillator"
local x = S:coordinates "x"
local k = S:positive "k=1"
S:kinetic_energy(x.dot^2/2)
S:potential_energy(k*x^2/2)
S:force(x, -x.dot/5 + hm.cos(hm.t))
local start = { q = { x = 1 }, v = { x = 0 } }
local function with(more) for name, value in pairs(start) do more[name] = value end return more end
local calls = {
  simulate = function() return S:simulate(with{ t = 1, checkpoint = "long.hamel" }) end,
  section = function() return S:section(with{ t = 9, when = x.dot }) end,
  diagram = function() return S:diagram(with{ along = { "k", { 1, 1.1 } }, of = "x", stroboscope = 2*hm.pi, skip = 1, n = 1 }) end,
  lyapunov = function() return S:lyapunov(with{ t = 2 }) end,
  periodic = function() return S:periodic(with{ period = 2*hm.pi }) end,
  continue = function() return S:continue{ periodic = with{ period = 2*hm.pi }, along = "k", to = 1.1, points = 2 } end,
  fit = function() return S:fit(with{ data = { t = { 0, 1, 2 }, x = { 1, 0.9, 0.7 } }, vary = { "k" } }) end,
}
for name, call in pairs(calls) do
  local fine, message = pcall(call)
  if arg[1] == "works" then assert(fine, name .. ": " .. tostring(message))
  else assert(not fine and message:find(name .. ": several processes were started", 1, true) and message:find("HAMEL_ALONE=1", 1, true), name .. ": " .. tostring(message)) end
end
LUA
  PMI_SIZE=2 "$HAMEL" long.lua refused > told 2>&1 || fail "$(cat told)"
  [ ! -e long.hamel ] || fail "a run that is refused has written its file"
  PMI_SIZE=2 HAMEL_ALONE=1 "$HAMEL" long.lua works > told 2>&1 || fail "$(cat told)"
  PMI_SIZE=2 "$HAMEL" long.lua works --shard 1/2 > told 2>&1 || fail "$(cat told)"
  "$HAMEL" long.lua works > told 2>&1 || fail "$(cat told)"
  OMPI_COMM_WORLD_SIZE=1 "$HAMEL" sweep.lua > told || fail "one process: $(cat told)"
fi

if command -v parallel > /dev/null 2>&1 && parallel --version 2> /dev/null | grep -q GNU; then
  parallel -j 2 "$HAMEL" sweep.lua --shard {}/4 --out gnu{}.jsonl ::: 1 2 3 4 > /dev/null
  "$HAMEL" merge gnu1.jsonl gnu2.jsonl gnu3.jsonl gnu4.jsonl -o gnu.csv > /dev/null
  cmp all.csv gnu.csv || fail "GNU parallel gave another table"
fi

# another sweep is refused with what differs: by the file that is continued, and by merge
cat > other.lua <<'LUA'
local hm = require "hamel"
local E = os.getenv
local S = hm.system(E "NAME" or "oscillator")
local x = S:coordinates "x"
local k = S:positive("k=" .. (E "K" or 1))
local c = S:parameters("c=" .. (E "C" or 0))
S:kinetic_energy(x.dot^2/2)
S:potential_energy(k*x^2/2)
local u = hm.data{ x = {0, 1, 2, 9}, y = {0, tonumber(E "DATA" or 1), 2, 3}, name = "u" }
S:force(x, E "FORCE" and load("return function(t) return 0.1*t*" .. E "FORCE" .. " end")() or u(hm.t)*c - x.dot/tonumber(E "EQ" or 10))
if E "GAP" then S:unilateral("wall", x + 5, { law = hm.newton(tonumber(E "GAP")) }) end
local each
if E "EACH" then each = load("return function(i) return { q = { x = i*" .. E "EACH" .. " } } end")() end
local sweep = S:sweep{ over = not each and { {"k", hm.range(1, 2, 10)}, {"x", hm.range(tonumber(E "GRID" or 0.1), 1, 20)} } or nil, n = each and 200, each = each,
  v = {x = tonumber(E "START" or 0)}, t = tonumber(E "END" or 3), rtol = tonumber(E "RTOL" or 1e-9), method = E "METHOD", step = E "METHOD" and 0.01,
  keep = E "KEEP" and {E "KEEP"} or {"x"}, progress = false, out = E "OUT" or "p.jsonl" }
print(#sweep, #sweep:failed(), sweep[200].index, sweep[200].x)
sweep:save "p.csv"
LUA
"$HAMEL" other.lua > first
cp p.csv first.csv
"$HAMEL" other.lua > again
cmp first again || fail "going on with a finished file: $(cat first again)"
cmp p.csv first.csv || fail "the table that was saved lost rows, or its rows changed"
refused() {                              # what differs, variables
  local word=$1
  shift
  if env "$@" "$HAMEL" other.lua > told 2>&1; then fail "$*: the file of another sweep was taken: $(cat told)"; fi
  grep -q "rows of another sweep ($word differ" told || fail "$*: $(cat told)"
  env "$@" OUT=q.jsonl "$HAMEL" other.lua > told 2>&1 || fail "$*: $(cat told)"
  if "$HAMEL" merge p.jsonl q.jsonl -o x.csv > told 2>&1; then fail "$*: merged: $(cat told)"; fi
  grep -q "different sweeps: the $word differ" told || fail "merge $*: $(cat told)"
  rm q.jsonl
}
refused equations EQ=9
refused equations DATA=1.5
refused equations FORCE=1
refused equations GAP=0.5
refused values K=2
refused values C=1
refused start START=1
refused tolerances RTOL=1e-8
refused method METHOD=rk4
refused grid GRID=0.2
refused grid EACH=1
refused times END=4
refused keep KEEP=energy
NAME=other "$HAMEL" other.lua > again
cmp first again || fail "the name of a system makes it another one"
# systems with what is code, twice the same
for more in FORCE=2 GAP=0.7 EACH=0.01; do
  env $more OUT=r.jsonl "$HAMEL" other.lua > first
  env $more OUT=r.jsonl "$HAMEL" other.lua > again 2>&1 || fail "$more: $(cat again)"
  cmp first again || fail "$more: $(cat first again)"
  [ "$(grep -c index r.jsonl)" = 200 ] || fail "$more: ran again"
  if [ $more = EACH=0.01 ]; then
    if env EACH=0.02 OUT=r.jsonl "$HAMEL" other.lua > told 2>&1; then fail "another each was taken"; fi
    grep -q "another run 1 than each(1)" told || fail "another each: $(cat told)"
  else
    if env "${more%=*}=0.3" OUT=r.jsonl "$HAMEL" other.lua > told 2>&1; then fail "another $more was taken"; fi
  fi
  rm r.jsonl
done

# files that are none of ours
grep -v '"hamel"' p.jsonl > old.jsonl
if OUT=old.jsonl "$HAMEL" other.lua > told 2>&1; then fail "a file without its first line was taken"; fi
grep -q "does not say which sweep" told || fail "$(cat told)"
if "$HAMEL" merge old.jsonl -o x.csv > told 2>&1; then fail "a file without its first line was merged"; fi
cp p.csv kept.csv
head -1 p.jsonl > empty.jsonl
for damage in '{"index":100000000000,"status":"OK"}' '{"index":1e300,"status":"OK"}' '{"index":"x","status":"OK"}' '{"of":1e300}' 'nonsense' '{"index":1}'; do
  (cat empty.jsonl; echo "$damage") > damaged.jsonl
  if timeout 120 "$HAMEL" merge damaged.jsonl -o kept.csv > told 2>&1; then fail "$damage was merged: $(cat told)"; fi
  grep -q "nothing was written" told || fail "$damage: $(cat told)"
done
sed 's/"of":200/"of":1e300/' p.jsonl > damaged.jsonl
if timeout 120 "$HAMEL" merge damaged.jsonl -o kept.csv > told 2>&1; then fail "of 1e300 was merged"; fi
cmp p.csv kept.csv || fail "a table was replaced by nothing"
(cat p.jsonl; printf '%0200000d' 0 | sed 's/0/[/g') > damaged.jsonl
timeout 120 "$HAMEL" merge damaged.jsonl -o x.csv > told || fail "nested brackets: $(cat told)"
grep -q "200 runs, 0 missing, 0 failed, 1 damaged" told || fail "nested brackets: $(cat told)"
# digits changed in any row: the line is damaged, its run is missing
sed '5s/\("x":[-0-9.]*\)[0-9]/\11/; 9s/"steps":[0-9]*/"steps":7777/' p.jsonl > damaged.jsonl
if "$HAMEL" merge damaged.jsonl -o x.csv > told; then fail "changed digits were merged: $(cat told)"; fi
grep -q "198 runs, 2 missing, 0 failed, 2 damaged" told || fail "changed digits: $(cat told)"
echo ok
