#!/bin/sh
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
if not arg[1] then sweep:save "whole.csv" end
LUA
"$HAMEL" sweep.lua > /dev/null
for i in 1 2 3; do "$HAMEL" sweep.lua --shard $i/3 --out part$i.jsonl > count$i; done
[ "$(cat count1 count2 count3 | tr '\n' ' ')" = "67 67 66 " ] || fail "sizes of the parts: $(cat count1 count2 count3)"
"$HAMEL" merge part1.jsonl part2.jsonl part3.jsonl -o all.csv > told
grep -q "200 runs, 0 missing, 0 failed" told || fail "merge told: $(cat told)"
# the same numbers as in one go: column x by index
grep -v '^#' whole.csv | cut -d, -f1,7 | sort > a
head -1 all.csv | grep -q '^index,status,t,steps' || fail "heads: $(head -1 all.csv)"
place=$(head -1 all.csv | tr ',' '\n' | grep -n '^x$' | cut -d: -f1)
cut -d, -f1,"$place" all.csv | sort > b
cmp a b || fail "the parts hold other numbers than the whole"

# a part that is missing is told, with the exit status
if "$HAMEL" merge part1.jsonl part3.jsonl -o some.csv > told; then fail "merge of two parts out of three succeeded"; fi
grep -q "67 missing" told || fail "merge told: $(cat told)"

# killed in the middle of a line: the line is dropped, the run goes on where it was
head -c 3000 part2.jsonl > cut.jsonl
lines=$(wc -l < cut.jsonl)
"$HAMEL" merge part1.jsonl cut.jsonl part3.jsonl -o some.jsonl > told || true
grep -q "1 damaged lines dropped" told || fail "merge told: $(cat told)"
"$HAMEL" sweep.lua --shard 2/3 --out cut.jsonl > count
[ "$(cat count)" = "$((67 - lines))" ] || fail "a second run made $(cat count) runs, not $((67 - lines))"
"$HAMEL" merge part1.jsonl cut.jsonl part3.jsonl -o again.csv > told
cmp all.csv again.csv || fail "going on after a kill gave another table"

# Slurm's array variables
SLURM_ARRAY_TASK_ID=2 SLURM_ARRAY_TASK_COUNT=3 SLURM_ARRAY_TASK_MIN=1 "$HAMEL" sweep.lua --shard auto --out slurm.jsonl > /dev/null
cmp slurm.jsonl part2.jsonl || fail "--shard auto is not the second part"
if "$HAMEL" sweep.lua --shard 4/3 --out x.jsonl 2> told; then fail "shard 4/3 was taken"; fi
grep -q "i/n" told || fail "shard 4/3: $(cat told)"
if "$HAMEL" merge nothing.jsonl -o x.csv 2> told; then fail "a missing file was merged"; fi

if command -v parallel > /dev/null 2>&1 && parallel --version 2> /dev/null | grep -q GNU; then
  parallel -j 2 "$HAMEL" sweep.lua --shard {}/4 --out gnu{}.jsonl ::: 1 2 3 4 > /dev/null
  "$HAMEL" merge gnu1.jsonl gnu2.jsonl gnu3.jsonl gnu4.jsonl -o gnu.csv > /dev/null
  cmp all.csv gnu.csv || fail "GNU parallel gave another table"
fi
echo ok
