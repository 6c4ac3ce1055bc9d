# interrupts.sh: Ctrl-C at random instants of scripts: sweeps and runs keep what is finished, the assignment is done, the next statement is not run.
set -u
. "$(dirname "$0")/../support/processes.sh"
export ASAN_OPTIONS=detect_leaks=0
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
RANDOM=${HML_SEED:-$$}
failed=0
# milliseconds to stop within: generous, since the machine may be busy and what is finished is gathered
limit=60000
complain() { echo "FAILED (seed ${HML_SEED:-$$}): $*"; failed=1; }

cat >system.lua <<'LUA'
hm = require "hamel"
S = hm.system "oscillator"
x = S:coordinates "x"
S:positive "k=1"
S:kinetic_energy(x.dot^2/2)
S:potential_energy(S:symbol "k"*x^2/2)
grid = { {"k", hm.range(1, 2, 300)}, {"x", hm.range(0.1, 1, 400)} }
-- the script ends with an error: this is what it leaves
at_end = setmetatable({}, { __close = function()
  if next_statement then print "NEXT STATEMENT RAN" end
  if not W then print "NOT ASSIGNED" return end
  if getmetatable(W).__name == "Section" then
    assert(W.status == "INTERRUPTED" and #W > 10 and W[#W][1] == W[#W][1])
  elseif getmetatable(W).__name == "Trajectory" then
    assert(W.status == "INTERRUPTED" and #W.t > 0 and (not events or #W.events > 10 and W.t[#W.t] >= W.events[#W.events].t))
  else
    assert(W.interrupted and #W < W.total)
    for _, row in ipairs(W) do assert(row.status == "OK" and row.x == row.x and row.index) end
  end
  print "kept"
end })
io.stderr:write "ready\n"
LUA

# Waits until the script is ready, and has then worked twice as long as it took to start, so that the statement has begun however slow the machine; then for
# some milliseconds
until_at_work() {
  local process=$1 milliseconds=$2
  wait_for_line ready errors "$process" && wait_for_work "$process" $((2 * $(used "$process") + 2))
  sleep "$(printf '%d.%03d' $((milliseconds / 1000)) $((milliseconds % 1000)))"
}

# the statement that is interrupted, the longest wait in milliseconds
try() {
  local name=$1 statement=$2 longest=$3 wait=$((RANDOM % $3 + 20))
  printf 'dofile "system.lua"\nlocal at_end <close> = at_end\n%s\nnext_statement = true\n' "$statement" >script.lua
  : >told >errors
  "$HAMEL" script.lua >told 2>errors &
  local process=$! begun now
  until_at_work $process $wait
  begun=$(date +%s%N)
  kill -INT $process || { complain "$name ended before $wait ms"; return; }
  wait $process
  local status=$?
  now=$(date +%s%N)
  [ $status = 130 ] || complain "$name after $wait ms: status $status: $(cat told errors)"
  grep -q '^kept$' told && ! grep -q "NEXT" told || complain "$name after $wait ms: $(cat told errors)"
  grep -q 'interrupted: [0-9]* of 120000 runs are finished\|interrupted at t = .* of 1e+09: the \(run\|section\) holds' errors || complain "$name after $wait ms told: $(cat errors)"
  [ $(((now - begun) / 1000000)) -lt $limit ] || complain "$name after $wait ms: stopped $(((now - begun) / 1000000)) ms later"
}
# some minutes of work for two processors: it is under way still on machines that are faster, or have more of them, and where this script pauses
sweep='over = grid, v = {x = 0}, t = 2e4, keep = {"x"}'
for _ in 1 2 3 4 5 6; do
  try "a sweep" "W = S:sweep{ $sweep }" 1500
  try "a sweep with progress" "W = S:sweep{ $sweep, progress = true }; next_statement = true" 1500
done
try "a sweep of long runs" "W = S:sweep{ over = grid, v = {x = 0}, t = 1e6, rtol = 1e-12, keep = {'x'} }" 1500
# beside other work a sweep answers soon: the rows of what is finished are few at a time. The best of five counts, since the machine may be busy
if [ "${SANITIZE-}" != ON ]; then
  burners=
  for _ in $(seq $(($(nproc) + 1))); do
    sh -c 'while :; do :; done' &
    burners="$burners $!"
  done
  best=$limit least=$limit
  for wait in 900 1100 1300 1600 2000; do
    printf 'dofile "system.lua"\nW = S:sweep{ over = grid, v = {x = 0}, t = 2e4, keep = {"x"} }\n' >script.lua
    : >errors
    "$HAMEL" script.lua >told 2>errors &
    process=$!
    until_at_work $process $wait
    begun=$(date +%s%N) before=$(used $process) after=$before
    kill -INT $process
    while now=$(used $process) && [ -n "$now" ]; do after=$now; sleep 0.005; done
    wait $process
    took=$((($(date +%s%N) - begun) / 1000000))
    [ $took -lt $best ] && best=$took
    [ $((after - before)) -lt $least ] && least=$((after - before))
  done
  kill $burners
  # the work that is left, where the machine is so busy that the time says nothing
  [ $best -lt 250 ] || [ $least -lt 25 ] || complain "a sweep beside other work stops after $best ms at best, and $least hundredths of a second of work"
fi
for _ in 1 2 3; do
  try "a sweep with a force in Lua" "S:force(x, function() return 0 end)
W = S:sweep{ $sweep, t = 1 }" 1000
  try "a sweep by each" "W = S:sweep{ n = 120000, each = function(i) return { q = {x = i} } end, v = {x = 0}, t = 2e4, keep = {'x'} }" 1000
done
try "each that does not end" "W = S:sweep{ n = 120000, each = function(i) while true do end end, v = {x = 0}, t = 3, keep = {'x'} }" 500
try "a force that does not end" "S:force(x, function(t) while t > 0.5 do end return 0 end)
W = S:sweep{ $sweep, t = 1 }" 500
try "a run" "W = S:simulate{ q = {x = 1}, v = {x = 0}, t = 1e9, dense = false }" 500
try "a run with a force in Lua" "S:force(x, function() return 0 end)
W = S:simulate{ q = {x = 1}, v = {x = 0}, t = 1e9, dense = false }; next_statement = true" 500
try "a run with an event in Lua" "W = S:simulate{ q = {x = 1}, v = {x = 0}, t = 1e9, dense = false, events = { { name = 'e', when = function(s) return 5 end } } }" 500
for record in impacts ends steps; do
  try "a run that keeps its $record" "events = '$record' ~= 'ends'
W = S:simulate{ q = {x = 1}, v = {x = 0}, t = 1e9, record = '$record', events = { { name = 'e', when = x } } }" 500
done
try "a section" "W = S:section{ when = x, q = {x = 1}, v = {x = 0}, t = 1e9 }" 500
try "a section and its run" "local run
W, run = S:section{ when = x, of = { x.dot, x.ddot*x }, q = {x = 1}, v = {x = 0}, t = 1e9, record = 'steps' }" 500
try "a section in Lua" "W = S:section{ when = function(_, q) return q.x end, of = {'x'}, q = {x = 1}, v = {x = 0}, t = 1e9 }" 500
try "a run in a function" "local function go() return S:simulate{ q = {x = 1}, v = {x = 0}, t = 1e9, dense = false } end
W = go()" 500
try "a run in pcall" "_, W = pcall(S.simulate, S, { q = {x = 1}, v = {x = 0}, t = 1e9, dense = false })" 500
# an error that is caught loses no interrupt: the next call stops as well
try "a run behind pcall" "pcall(function() local r = S:simulate{ q = {x = 1}, v = {x = 0}, t = 1e9, dense = false } end)
W = S:simulate{ q = {x = 1}, v = {x = 0}, t = 1e9, dense = false }" 500

try "a run in a coroutine" "coroutine.wrap(function() W = S:simulate{ q = {x = 1}, v = {x = 0}, t = 1e9, dense = false } end)()" 500
try "a run that a coroutine returns" "W = coroutine.wrap(function() return (S:simulate{ q = {x = 1}, v = {x = 0}, t = 1e9, dense = false }) end)()" 500

# one Ctrl-C ends the block, whatever catches the error: each statement alone, as the last one and before another
ends() {
  local name=$1 statement=$2 rest
  for rest in 'print "NEXT"' ''; do
    printf 'dofile "system.lua"\ncr = nil\n%s\n%s\n' "$statement" "$rest" >script.lua
    : >told >errors
    "$HAMEL" script.lua >told 2>errors &
    local process=$! begun=$(date +%s%N) now status
    until_at_work $process $((RANDOM % 500 + 200))
    kill -INT $process || complain "$name ended before"
    begun=$(date +%s%N)
    while kill -0 $process 2>/dev/null && [ $((($(date +%s%N) - begun) / 1000000)) -lt $limit ]; do sleep 0.02; done
    kill -9 $process 2>/dev/null && complain "$name ran on"
    wait $process
    status=$?
    [ $status = 130 ] || complain "$name: status $status: $(cat told errors)"
    ! grep -q NEXT told || complain "$name: the next statement ran"
    grep -q interrupted errors || complain "$name told $(cat errors)"
  done
}
long='{ q = {x = 1}, v = {x = 0}, t = 1e9, dense = false }'
ends "a statement in a coroutine" "coroutine.wrap(function() S:simulate$long end)()"
ends "a run in coroutine.resume" "coroutine.resume(coroutine.create(function() S:simulate$long end))"
ends "a run in a coroutine in pcall" "pcall(coroutine.wrap(function() S:simulate$long end))"
ends "a sweep in a coroutine" "cr = coroutine.wrap(function() S:sweep{ $sweep } end)()"
ends "a coroutine in a coroutine" "coroutine.wrap(function() coroutine.wrap(function() while true do end end)() end)()"
ends "a loop of resumes" "while true do coroutine.resume(coroutine.create(function() while true do end end)) end"
ends "a last statement" "S:simulate$long"
ends "equilibria in pcall" "while true do pcall(S.equilibrium, S, { q = {x = 1} }) end"
ends "periodic orbits in pcall" "while true do pcall(S.periodic, S, { q = {x = 1}, v = {x = 0}, period = 6 }) end"
ends "exponents in pcall" "while true do pcall(S.lyapunov, S, { q = {x = 1}, v = {x = 0}, t = 1000 }) end"
ends "runs in a function in pcall" "while true do pcall(function() local r = S:simulate$long end) end"
ends "sweeps in pcall" "while true do pcall(function() local w = S:sweep{ $sweep } end) end"
ends "loops in pcall" "while true do pcall(function() while true do end end) end"
ends "loops in xpcall in pcall" "while true do pcall(function() while true do xpcall(function() while true do end end, print) end end) end"
ends "algebra in pcall" "while true do pcall(function() while true do hm.diff(hm.sin(x^2), x) end end) end"

# rows of finished portions are in the file
cat >out.lua <<'LUA'
dofile "system.lua"
W = S:sweep{ over = grid, v = {x = 0}, t = 4000, keep = {"x"}, out = "part.jsonl" }
LUA
"$HAMEL" out.lua 2>errors &
process=$!
end=$((SECONDS + patience))
until [ "$(cat part.jsonl 2>/dev/null | wc -l)" -gt 4000 ] || [ $SECONDS -ge $end ]; do sleep 0.05; done
kill -INT $process
wait $process
status=$?
[ $status = 130 ] || complain "a sweep with out: status $status: $(cat errors)"
finished=$(sed -n 's/.*interrupted: \([0-9]*\) of 120000.*/\1/p' errors)
[ "$(grep -c '"status":"OK"' part.jsonl)" = "$finished" ] || complain "the file holds $(grep -c OK part.jsonl) runs, the message says $finished"

# Ctrl-C when the result is there, at a function of the core that looks something up to be said of it; and in a run that another study makes for itself
cat >late.lua <<'LUA'
hm = require "hamel"
local core = require "hamel.core"
function interrupted_at(name)
  local f = core[name]
  core[name] = function(...)
    core[name] = f
    io.popen("kill -INT $PPID"):close()
    return f(...)
  end
end
S = hm.system "two wells"
z = S:coordinates "z"
g = S:parameters "g=0"
S:kinetic_energy(z.dot^2/2)
S:potential_energy(z^4/4 - z^2/2)
S:force(z, -z.dot/5 + g*hm.cos(hm.t))
LUA
late() {
  local name=$1 statement=$2 wanted=$3 words=$4 status=0
  printf 'dofile "late.lua"\nlocal at_end <close> = setmetatable({}, { __close = function() print(%s) end })\n%s\nprint "NEXT"\n' "$wanted" "$statement" >script.lua
  "$HAMEL" script.lua >told 2>errors || status=$?
  [ $status = 130 ] && grep -q '^true$' told && ! grep -q NEXT told && grep -q "$words" errors || complain "$name: status $status: $(cat told errors)"
}
values='along = {"g", hm.range(0.1, 0.3, 5)}, of = "z", stroboscope = 2*math.pi, skip = 20, n = 10, q = {z = 0.9}, v = {z = 0}'
late "a diagram" "interrupted_at 'decide' W = S:diagram{ $values }" 'W and #W == 5 and #W[5].values == 10 and tostring(W) ~= ""' 'interrupted: 5 of 5 values kept'
late "a diagram side by side" "interrupted_at 'decide' W = S:diagram{ $values, follow = false }" 'W and #W == 5' 'interrupted: 5 of 5 values kept'
# rows that are made one after the other: those before the one in hand are kept, though the portion is not complete
cat >rows.lua <<'LUA'
local core = require "hamel.core"
local run, count, at = core.run, 0, -1
function core.run(...)
  count = count + 1
  if count == at then io.popen("kill -INT $PPID"):close() end
  return run(...)
end
local function chart() return S:chart{ over = { {"g", hm.range(0.1, 0.5, 6)} }, q = {z = 0.9}, v = {z = 0}, of = "exponents", t = 20, method = "radau5" } end
whole = chart()
count, at = 0, count - 1
W = chart()
LUA
late "rows of exponents" "dofile 'rows.lua'" 'W and W.interrupted and #W >= 1 and #W < 6 and W[#W].exponent1 == whole[#W].exponent1' 'interrupted: [1-5] of 6 kept'
# nothing is kept of these, and the message says so
late "the run of exponents" "interrupted_at 'run' W = S:lyapunov{ q = {z = 1}, v = {z = 0}, t = 1000 }" 'W == nil' "interrupted: 'lyapunov' was running; nothing of it is kept"
late "the run of a fit" "interrupted_at 'run' W = S:fit{ data = { t = {1, 2, 3}, z = {0.9, 0.8, 0.7} }, vary = {'g'}, q = {z = 1}, v = {z = 0} }" 'W == nil' \
  "interrupted: 'fit' was running; nothing of it is kept"
late "the algebra before a section" "interrupted_at 'program' W = S:section{ when = z, of = {'z', z.ddot*z}, q = {z = 1}, v = {z = 0}, t = 10 }" 'W == nil' 'interrupted$'

# stock Lua, whose handler raises "interrupted!" by a hook: the table is lost, the interrupt is not
if command -v lua5.4 >/dev/null && [ "${SANITIZE-}" != ON ]; then
  export LUA_PATH="$SOURCE/lua/?.lua;$SOURCE/lua/?/init.lua;;" LUA_CPATH="$BUILD/lib/?.so;;"
  printf 'dofile "system.lua"\nprint(pcall(S.sweep, S, { over = grid, v = {x = 0}, t = 2e4 }))\n' >script.lua
  for _ in 1 2 3; do
    : >errors
    lua5.4 script.lua >told 2>errors &
    process=$!
    until_at_work $process $((RANDOM % 800 + 50))
    kill -INT $process
    wait $process
    grep -q '^false.*interrupted!' told || complain "stock Lua: $(cat told errors)"
  done
  # inside one long call of the library, where no Lua code meets the hook of stock Lua; the next call is not interrupted
  cat >system.lua <<'END'
hm = require "hamel"
local S = hm.system "chain"
local a, b, x, y = S:coordinates "a b x y"
S:kinetic_energy((a.dot^2 + b.dot^2 + a.dot*b.dot*hm.cos(a - b) + x.dot^2 + y.dot^2)/2)
S:potential_energy(-9.81*(hm.cos(a) + hm.cos(b)) + x^2 + y^2 + x^2*y)
local o = { q = {a = 2, b = 1, x = 0.1, y = 0.3}, v = {a = 0, b = 0, x = 0, y = 0}, t = 1e6, progress = false }
local p = ((x^7 + y*a^5 + b^3 + 1)*(x^5 - y^6 + a*b + 2)*(x + y^3 + a^4 + b^5 + 7)*(x^2*y^2*a^2 - b^9 + 3)):expand()
calls = { function() o.record = "ends" S:simulate(o) end, function() S:reference{ q = o.q, v = o.v, t = 1000, digits = 100 } end,
          function() for i = 1, 1e9 do (p*p + i):factor() end end }
END
  for call in 1 2 3; do
    printf 'dofile "system.lua"\nio.stderr:write "ready\\n"\nprint(pcall(calls[%d]))\nprint((hm.symbols "x" + 1) - 1)\n' $call >script.lua
    : >errors
    lua5.4 script.lua >told 2>errors &
    process=$!
    until_at_work $process 500
    kill -INT $process
    wait_for_end $process || { kill -9 $process; complain "stock Lua, call $call: no answer within $patience s"; }
    wait $process
    grep -q '^false.*interrupted!' told || complain "stock Lua, call $call: $(cat told errors)"
    [ "$(tail -n 1 told)" = x ] || complain "stock Lua, call $call: the next call: $(cat told errors)"
  done
fi
exit $failed
