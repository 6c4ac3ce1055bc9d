# interrupt.sh: Ctrl-C at an empty line, a half line, in loops, pcall loops, coroutines, a run; Ctrl-Z and back; the session survives.
. "$(dirname "$0")/support.sh"
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
line 'while true do end'
sleep 0.7
key C-c
wait_for 'interrupted$'
line '"alive " .. 2'
wait_for '^alive 2$'
clear_screen
line 'co = coroutine.create(function() while true do end end) coroutine.resume(co)'
sleep 0.7
key C-c
line '"alive " .. 3'
wait_for '^alive 3$'
clear_screen
line 'coroutine.wrap(function() while true do end end)()'
sleep 0.7
key C-c
wait_for 'interrupted$'
line '"alive " .. 4'
wait_for '^alive 4$'
clear_screen
line 'while true do pcall(function() while true do end end) end'
sleep 0.7
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
line 'S:simulate{ q = {x = 1}, v = {x = 0}, t = 1e9, dense = false }'
sleep 1.5
key C-c
wait_for 'interrupted'
line 'hm.last_run().status .. " at " .. (hm.last_run().outcome.t > 10 and "work" or "rest")'
wait_for '^INTERRUPTED at work$'
# the same with a force in Lua
clear_screen
line 'S:force(x, function(t) return 0 end)'
line 'S:simulate{ q = {x = 1}, v = {x = 0}, t = 1e9, dense = false }'
sleep 1
key C-c
wait_for 'interrupted'
line '"kept " .. kept'
wait_for '^kept 42$'
key C-d
wait_for 'left with 0'
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
line 'while true do end'
sleep 0.7
key C-c
line '"alive " .. 6'
wait_for '^alive 6$'
key C-d
wait_for 'left with 0'
stop
# Ctrl-Z while a line is edited, and back: the keys of the editor work on
program=$HAMEL HAMEL="bash --norc"
launch
sleep 0.3
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
wait_for '^> "kept'
text ' over"'
key C-a
text '"line " .. '
key Enter
wait_for '^line kept over$'
