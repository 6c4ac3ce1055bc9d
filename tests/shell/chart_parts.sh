#!/bin/bash
# parts of charts: shards, files that go on, hamel merge, which finds the attractors of basins over all parts again; Ctrl-C keeps what is finished
set -eu
. "$(dirname "$0")/../support/processes.sh"
export ASAN_OPTIONS=detect_leaks=0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
fail() { echo "FAILED: $*"; exit 1; }

cat > chart.lua <<'LUA'
local hm = require "hamel"
local S = hm.system "two wells"
local z = S:coordinates "z"
local g, w = S:parameters "g=0, w=6/5"
S:kinetic_energy(z.dot^2/2)
S:potential_energy(z^4/4 - z^2/2)
S:force(z, -z.dot/5 + g*hm.cos(w*hm.t))
local drive, wells = 2*math.pi/1.2, { {"z", hm.range(-1.95, 1.95, 7)}, {"z'", hm.range(-1.9, 1.9, 5)} }
local charts = {
  basin = { over = wells, of = "basin", t = 60 },
  given = { over = wells, of = "basin", t = 60, attractors = { left = {z = -1}, right = {z = 1} } },
  swing = { over = { {"z", hm.range(0.2, 1.3, 8)} }, v = {z = 0}, of = "period", section = { when = z.dot, direction = "rising" }, t = 120, close = 0.05, most = 4 },
  period = { over = { {"g", hm.range(0.1, 0.3, 9)} }, q = {z = 0.9}, v = {z = 0}, of = "period", stroboscope = drive, t = 200*drive, skip = 150*drive },
  exponents = { over = { {"g", hm.range(0.1, 0.5, 9)} }, q = {z = 0.9}, v = {z = 0}, of = "exponents", t = 50 },
  alone = { over = { {"g", hm.range(0.1, 0.5, 5)} }, q = {z = 0.9}, v = {z = 0}, of = "exponents", t = 20, method = "radau5" },
  rotation = { over = { {"z", hm.range(0.2, 1.3, 5)} }, v = {z = 0}, of = "rotation", angle = "z", t = 40 },
  measures = { over = { {"z", hm.range(0.2, 1.3, 5)} }, v = {z = 0}, of = { top = hm.highest(z) }, t = 10 },
}
local o = charts[arg[1]]
o.progress = false
local C = S:chart(o)
print(#C)
if not arg.shard then C:save "whole.csv" end
local names = { basin = "label", given = "label", swing = "period", period = "period", alone = "exponent1", exponents = "exponent1", rotation = "rotation", measures = "top" }
local file = io.open(arg[1] .. ".rows", "w")
for _, row in ipairs(C) do
  local value = row[names[arg[1]]]
  assert(value ~= nil, row.reason)
  file:write(row.index, ",", type(value) == "string" and value or require "hamel.base.object".number(value), "\n")
end
file:close()
LUA

for kind in basin given swing period exponents alone rotation measures; do
  "$HAMEL" chart.lua $kind > /dev/null || fail "$kind"
  mv $kind.rows whole.rows
  "$HAMEL" chart.lua $kind --shard 1/2 --out one.jsonl > /dev/null || fail "$kind, part 1"
  "$HAMEL" chart.lua $kind --shard 2/2 --out two.jsonl > /dev/null || fail "$kind, part 2"
  "$HAMEL" merge one.jsonl two.jsonl -o all.csv > told || fail "$kind: merge told $(cat told)"
  column=$(sed -n 's/.*names = { \(.*\) }$/\1/p' chart.lua | tr ',' '\n' | sed -n "s/^ *$kind = \"\(.*\)\"/\1/p")
  place=$(grep -v '^#' all.csv | head -1 | tr ',' '\n' | grep -nx "$column" | cut -d: -f1)
  [ -n "$place" ] || fail "$kind: heads $(head all.csv)"
  grep -v '^#' all.csv | tail -n +2 | cut -d, -f1,"$place" > merged.rows
  cmp whole.csv all.csv || fail "$kind: the parts give the table $(head all.csv), the whole $(head whole.csv)"
  cmp whole.rows merged.rows || fail "$kind: the parts give $(tr '\n' ' ' < merged.rows), the whole $(tr '\n' ' ' < whole.rows)"
  # joined parts can be joined again; a finished part is read, not made
  "$HAMEL" merge one.jsonl two.jsonl -o all.jsonl > told || fail "$kind: merge told $(cat told)"
  "$HAMEL" merge all.jsonl -o again.csv > told || fail "$kind: merge told $(cat told)"
  cmp all.csv again.csv || fail "$kind: a joined file gives another table"
  lines=$(wc -l < all.jsonl)
  "$HAMEL" chart.lua $kind --out all.jsonl > /dev/null || fail "$kind, from a file"
  cmp whole.rows $kind.rows || fail "$kind: another table from a file"
  [ "$lines" = "$(wc -l < all.jsonl)" ] || fail "$kind: finished runs were made again"
  # cut by a kill
  head -c $(($(wc -c < one.jsonl)*2/3)) one.jsonl > cut.jsonl
  "$HAMEL" chart.lua $kind --shard 1/2 --out cut.jsonl > /dev/null || fail "$kind, after a kill"
  "$HAMEL" merge cut.jsonl two.jsonl -o again.csv > told || fail "$kind: merge told $(cat told)"
  cmp all.csv again.csv || fail "$kind: another table after a kill"
  rm -f keep_$kind.jsonl
  mv one.jsonl keep_$kind.jsonl
  rm -f two.jsonl all.jsonl cut.jsonl
done

# the file says which chart it is
cp keep_basin.jsonl other.jsonl
if "$HAMEL" chart.lua given --shard 1/2 --out other.jsonl 2> told; then fail "the file of another chart was taken"; fi
grep -q "another sweep (chart differs)" told || fail "another chart: $(cat told)"
if "$HAMEL" merge keep_basin.jsonl keep_given.jsonl -o x.csv 2> told; then fail "two charts were joined"; fi
grep -q "the chart differs" told || fail "two charts: $(cat told)"

# Ctrl-C: lanes, one after the other, several rounds
cat > interrupted.lua <<'LUA'
local hm = require "hamel"
local S = hm.system "two wells"
local z = S:coordinates "z"
local k = S:positive "k=1"
S:kinetic_energy(z.dot^2/2)
S:potential_energy(k*z^2/2)
-- some minutes of work whatever the columns are, so that Ctrl-C finds it under way
local longer = { exponents = 10, basin = 5 }
local given = { over = { {"k", hm.range(1, 2, 200)}, {"z", hm.range(0.1, 1, 800)} }, v = {z = 0.1}, t = 40*(longer[arg[1]] or 1), out = arg[1] .. ".jsonl", progress = false }
given.of, given.angle = arg[1], arg[1] == "rotation" and "z" or nil
if arg[1] == "alone" then given.of, given.method = "exponents", "radau5" end
local C
local at_end <close> = setmetatable({}, { __close = function()
  assert(C and C.interrupted and #C < C.total and tostring(C):find "interrupted, %d+ of 160000 kept")
  for _, row in ipairs(C) do assert(row.exponents or row.label or row.rotation, row.reason) end
  print "kept"
end })
io.stderr:write "ready\n"
C = S:chart(given)
print "NEXT"
LUA
for kind in exponents alone basin rotation; do
  "$HAMEL" interrupted.lua $kind > told 2> errors &
  process=$!
  end=$((SECONDS + patience))
  until [ "$(cat $kind.jsonl 2>/dev/null | wc -l)" -gt 20 ] || [ $SECONDS -ge $end ]; do sleep 0.05; done
  kill -INT $process
  status=0
  wait $process || status=$?
  [ $status = 130 ] || fail "$kind: status $status: $(cat told errors)"
  grep -q "^kept$" told && ! grep -q NEXT told || fail "$kind: $(cat told errors)"
  finished=$(sed -n 's/.*interrupted: \([0-9]*\) of 160000 kept.*/\1/p' errors)
  [ "$(grep -c '"status":"OK"' $kind.jsonl)" = "$finished" ] || fail "$kind: the file holds $(grep -c OK $kind.jsonl) rows, the message says: $(cat errors)"
done

# a diagram keeps the values that are finished
cat > diagram.lua <<'LUA'
local hm = require "hamel"
local S = hm.system "oscillator"
local x = S:coordinates "x"
local k = S:positive "k=1"
S:kinetic_energy(x.dot^2/2)
S:potential_energy(k*x^2/2)
local D
local at_end <close> = setmetatable({}, { __close = function()
  assert(D and D.interrupted and #D > 0 and #D < 100000 and #D[#D].values == 3)
  print "kept"
end })
io.stderr:write "ready\n"
D = S:diagram{ along = {"k", hm.range(1, 2, 100000)}, of = "x", section = { when = x.dot, direction = "falling" }, skip = 2, n = 3, q = {x = 1}, v = {x = 0}, t = 200,
  follow = false }
print "NEXT"
LUA
"$HAMEL" diagram.lua > told 2> errors &
process=$!
wait_for_line ready errors $process && wait_for_work $process 150 || fail "diagram: it has ended: $(cat told errors)"
kill -INT $process
status=0
wait $process || status=$?
[ $status = 130 ] && grep -q "^kept$" told && ! grep -q NEXT told || fail "diagram: status $status: $(cat told errors)"
grep -q "interrupted: [0-9]* of 100000 values kept" errors || fail "diagram: $(cat errors)"
