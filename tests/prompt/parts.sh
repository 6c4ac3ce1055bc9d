# parts.sh: Ctrl-C in a sweep or a run at the prompt: what is finished is assigned, to globals, locals and ans; the next statement is not run.
. "$(dirname "$0")/support.sh"
. "$(dirname "$0")/../support/processes.sh"
start
line 'S = hm.system "s"; x = S:coordinates "x"; k = S:positive "k=1"; S:kinetic_energy(x.dot^2/2); S:potential_energy(k*x^2/2)'
line 'grid = { {"k", hm.range(1, 2, 300)}, {"x", hm.range(0.1, 1, 400)} }; long = { q = {x = 1}, v = {x = 0}, t = 1e9, dense = false }'
line 'function sweep(t) print "begun" return S:sweep{ over = grid, v = {x = 0}, t = t } end'
# what the methods need is read at their first call: an interrupt there keeps nothing
line 'few = { over = { {"k", {1}} }, q = {x = 1}, v = {x = 0}, t = 1 }; S:sweep(few); few.of = { m = hm.mean(x) }; S:chart(few); "read " .. 1'
wait_for '^read 1$'
# what, the statement (it prints "begun" first), the message, the expression, its value
interrupted() {
  clear_screen
  # Ctrl-C throws away what was typed and not read yet
  line 'after = 0'
  line '"ready " .. after'
  wait_for '^ready 0$'
  line "$2"
  wait_for '^begun$'
  # by time of the processor: on a busy machine what comes before the first run takes longer by the clock
  wait_for_work "$(prompt_process)" $((150 + RANDOM % 40))
  key C-c
  wait_for "interrupted$3"
  line "\"value \" .. $4"
  wait_for "^value $5$"
  line '"after " .. after'
  wait_for '^after 0$'
}
for _ in 1 2 3; do
  interrupted "a sweep" 'W = sweep(2e4); after = 1' ': [0-9]* of 120000 runs are finished' 'tostring(W.interrupted and #W < W.total)' true
  line 'W = nil'
done
interrupted "a sweep of long runs" 'W = sweep(1e6); after = 1' ': [0-9]* of 120000 runs are finished; W and ans hold it' 'tostring(W.interrupted)' true
line 'function chart(t) print "begun" return S:chart{ over = grid, v = {x = 0}, t = t, of = { m = hm.mean(hm.cos(x)), n = hm.mean(hm.abs(x)), top = hm.highest(1/x) } } end'
interrupted "a chart of means" 'C = chart(2000); after = 1' ': [0-9]* of 120000 kept; C and ans hold it' 'tostring(C.interrupted and #C < C.total and C[1].m ~= nil)' true
interrupted "a local variable" 'local L = sweep(2e4); after = 1' ': [0-9]* of 120000 runs' 'tostring(L.interrupted)' true
interrupted "an expression" 'sweep(2e4)' ': [0-9]* of 120000 runs' 'tostring(ans.interrupted)' true
interrupted "a study that keeps nothing" 'print "begun"; L1 = S:lyapunov{ q = {x = 1}, v = {x = 0}, t = 1e9 }; after = 1' ": 'lyapunov' was running; nothing of it is kept" 'tostring(rawget(_G, "L1"))' nil
interrupted "a run" 'print "begun"; r = S:simulate(long); after = 1' ' at t = .*states; r and ans hold it' 'r.status' INTERRUPTED
interrupted "a local run" 'print "begun"; local l = S:simulate(long); after = 1' ' at t = .*states' 'l.status' INTERRUPTED
impacts='S:simulate{ q = {x = 1}, v = {x = 0}, t = 1e7, record = "impacts", events = { { name = "e", when = x } } }'
interrupted "a run that keeps its events" "print 'begun'; e = $impacts; after = 1" ' at t = .*and [0-9]* events' 'tostring(#e.events > 10 and #e == 2)' true
interrupted "a section" 'print "begun"; c = S:section{ when = x, q = {x = 1}, v = {x = 0}, t = 1e9 }; after = 1' ' at t = .*holds [0-9]* points' 'tostring(#c > 10 and c.status)' INTERRUPTED
line 'D = hm.system "d"; y = D:coordinates "y"; a, b = D:parameters "a=1/2 b=1"; D:kinetic_energy(y.dot^2/2); D:potential_energy(y^4/4 - b*y^2/2 + a*y); "made " .. 1'
wait_for '^made 1$'
branch='D:continue{ equilibrium = { q = {y = -1.4} }, along = "a", from = -1, to = 1, points = 1e6'
line "B = $branch }; fold = B.special[1]; \"folds \" .. #B.special"
wait_for '^folds 2$'
interrupted "a branch" "print 'begun'; B = $branch, largest = 1e-6 }; after = 1" ': the branch holds [0-9]* points, a = .*; B and ans hold it' 'tostring(B.interrupted and #B > 10 and B.ended[1])' interrupted
interrupted "a curve" "print 'begun'; C = D:continue{ fold = fold, along = {'a', 'b'}, points = 1e6, largest = 1e-6 }; after = 1" ': the branch holds [0-9]* points, a = .*; C and ans hold it' 'tostring(C.interrupted and #C > 10 and C.ended[1])' interrupted
interrupted "a run with a force in Lua" 'print "begun"; S:force(x, function() return 0 end) r = S:simulate(long); after = 1' ' at t = .*states' 'r.status' INTERRUPTED
interrupted "a coroutine" 'print "begun"; co = coroutine.wrap(function() return (S:simulate(long)) end); cr = co(); after = 1' ' at t = .*states' 'cr.status' INTERRUPTED
# the next run knows nothing of it
line 'S:simulate{ q = {x = 1}, v = {x = 0}, t = 1 }.status'
wait_for '^OK$'
# a saved session has what an interrupt kept
clear_screen
line "save_session \"$folder/saved.lua\""
line '"saved " .. 1'
wait_for '^saved 1$'
grep -A1 '^-- in the session: interrupted at t = ' "$folder/saved.lua" | grep -q 'r = S:simulate(long)' || { echo "FAILED: saved:"; cat "$folder/saved.lua"; exit 1; }
grep -A1 '^-- in the session: interrupted: ' "$folder/saved.lua" | grep -q 'W = sweep(2e4)' || { echo "FAILED: saved:"; cat "$folder/saved.lua"; exit 1; }
luac5.4 -p "$folder/saved.lua" 2>/dev/null || ! command -v luac5.4 >/dev/null || { echo "FAILED: the saved session is no script"; exit 1; }
# the script reads the part of a run that was kept, and does not run it to its end
stop
start
line 'S = hm.system "s"; x = S:coordinates "x"; S:kinetic_energy(x.dot^2/2); S:potential_energy(x^2/2)'
line 'print "begun"; r = S:simulate{ q = {x = 1}, v = {x = 0}, t = 1e9, dense = false }; after = 1'
wait_for '^begun$'
wait_for_work "$(prompt_process)" 70
key C-c
wait_for 'r and ans hold it'
line '"states " .. #r.t'
wait_for '^states [0-9]'
line "save_session \"$folder/part.lua\""
wait_for 'a script of'
states=$(screen | grep '^states [0-9]')
mkdir "$folder/elsewhere"
(cd "$folder/elsewhere" && timeout 60 $HAMEL ../part.lua) >"$folder/replayed.txt" 2>&1
grep -q "^$states$" "$folder/replayed.txt" || { echo "FAILED: the kept part is not read again:"; cat "$folder/replayed.txt" "$folder/part.lua"; exit 1; }
