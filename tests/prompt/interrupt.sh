# interrupt.sh: Ctrl-C at an empty line, a half line, in loops, pcall loops, coroutines, a run; Ctrl-Z and back; the session survives.
. "$(dirname "$0")/support.sh"
. "$(dirname "$0")/../support/processes.sh"
start
# the terminal throws away what was not read yet when Ctrl-C is pressed
line 'kept = 42'
line '"holds " .. kept'
wait_for '^holds 42$'
key C-c
text 'half a line'
key C-c
line '"alive " .. 1'
wait_for '^alive 1$'
absent 'half a line.*alive'
# every loop says that it is reached: what was typed before it is thrown away by Ctrl-C
line 'print "busy 1"; while true do end'
wait_for '^busy 1$'
key C-c
wait_for 'interrupted$'
line '"alive " .. 2'
wait_for '^alive 2$'
clear_screen
line 'co = coroutine.create(function() print "busy 2" while true do end end) coroutine.resume(co)'
wait_for '^busy 2$'
key C-c
wait_for 'interrupted$'
line '"alive " .. 3'
wait_for '^alive 3$'
clear_screen
line 'coroutine.wrap(function() print "busy 3" while true do end end)()'
wait_for '^busy 3$'
key C-c
wait_for 'interrupted$'
line '"alive " .. 4'
wait_for '^alive 4$'
clear_screen
line 'told = false; while true do pcall(function() told = told or print "busy 4" or true while true do end end) end'
wait_for '^busy 4$'
key C-c
sleep 0.5
key C-c
wait_for 'interrupted$'
line '"alive " .. 5'
wait_for '^alive 5$'
clear_screen
# a run inside the integrator, without any Lua code
line 'S = hm.system "s"'
line 'x = S:coordinates "x"'
line 'S:kinetic_energy(x.dot^2/2); S:potential_energy(x^2/2)'
line 'print "busy 5"; S:simulate{ q = {x = 1}, v = {x = 0}, t = 1e9, dense = false }'
wait_for '^busy 5$'
wait_for_work "$(prompt_process)" 150
key C-c
wait_for 'interrupted'
line 'hm.last_run().status .. " at " .. (hm.last_run().outcome.t > 10 and "work" or "rest")'
wait_for '^INTERRUPTED at work$'
# the same with a force in Lua
clear_screen
line 'busy = false; S:force(x, function(t) if not busy then print "busy 6" busy = true end return 0 end)'
line 'S:simulate{ q = {x = 1}, v = {x = 0}, t = 1e9, dense = false }'
wait_for '^busy 6$'
key C-c
wait_for 'interrupted'
line '"kept " .. kept'
wait_for '^kept 42$'
leave 0
stop
# a script followed by the prompt: Ctrl-C stops the script only
printf 'done = 1\nprint "script runs"\nwhile true do end\n' >"$folder/endless.lua"
launch -i "$folder/endless.lua"
wait_for '^script runs'
key C-c
wait_for 'interrupted'
wait_for '^>'
line '"alive with " .. done'
wait_for '^alive with 1$'
# and Ctrl-C works as before at that prompt
line 'print "busy 7"; while true do end'
wait_for '^busy 7$'
key C-c
wait_for 'interrupted$'
line '"alive " .. 6'
wait_for '^alive 6$'
# while a key is handled: the line is dropped as soon as the names are completed
line 'many = {}; for i = 1, 1e5 do many["k" .. i] = i end; "made"'
wait_for '^made'
text 'many.k9999'
key Tab
key C-c
line '"alive " .. 7'
wait_for '^alive 7$'
absent 'many.k9999.*alive'
# behind a long list of names, too
key Tab
key Tab
wait_for 'xpcall'
key C-c
line 'print(7*7)'
wait_for '^49$'
leave 0
stop
# Ctrl-Z while a line is edited, and back: the keys of the editor work on
program=$HAMEL HAMEL="bash --norc"
launch
wait_for '[$#] *$'
line "$program"
wait_for '^>'
text '"kept'
# the terminal throws away what was not read yet when the key stops the process
wait_for '^> "kept'
key C-z
wait_for 'Stopped'
line 'stty -a | grep -c -- "-icanon"'
wait_for '^0$'
line 'fg'
# a second time: the first one is that before it was stopped
for _ in $(seq 600); do [ "$(screen | grep -c '^> "kept')" -ge 2 ] && break; sleep 0.1; done
text ' over"'
key C-a
text '"line " .. '
key Enter
wait_for '^line kept over$'
