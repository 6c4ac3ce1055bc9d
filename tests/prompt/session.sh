# session.sh: values, locals, blocks, errors, completion, history at the prompt.
. "$(dirname "$0")/support.sh"
export HAMEL_HISTORY="$folder/history"
start
line '1 + 1'
wait_for '^2$'
line '0.1 + 0.2'
wait_for '^0.30000000000000004$'
line 'local kept = 7'
line 'kept * 6'
wait_for '^42$'
line 'ans + 1'
wait_for '^43$'
line 'local fixed <const> = 5'
line '"fixed is " .. fixed'
wait_for '^fixed is 5$'
line '99 + 0;'
line '"silent " .. 1'
wait_for '^silent 1$'
absent '^99$'
# a block over several lines
line 'function double(x)'
line 'return 2*x'
line 'end'
line 'double(21.5)'
wait_for '^43$'
line '{ 1, 2, name = "x", { 3 } }'
wait_for '^{1, 2, {3}, name = "x"}$'
# mistakes
line 'kepd'
wait_for "'kepd' is not defined (did you mean 'kept'?)"
line 'x ='
wait_for '^> x =$'
key C-c
line '"dropped"'
wait_for '^dropped$'
clear_screen
# the library's names stand for themselves, and a name of the user's replaces one
line 'cos(0)'
wait_for '^1$'
line 'sqrt = 5; "sqrt is " .. sqrt'
wait_for '^sqrt is 5$'
line 'sim(1)'
wait_for "^'sim' is not defined (did you mean 'sin'?)$"
line 'hm.sine'
wait_for "^hm has no field 'sine' (did you mean 'sin'?)$"
line 'hm.system "s".coordinates "x"'
wait_for '^coordinates belongs to a System: write object:coordinates(...) with a colon$'
line 'y = = 3'
wait_for "^unexpected symbol near '='$"
line '1 + * 3'
wait_for "^unexpected symbol near '\*'$"
line 'θ = 1'
wait_for "^'θ' cannot be a name in Lua"
# an expression goes on where it cannot end
line '"go" ..'
line '"es on"'
wait_for '^goes on$'
line 'return 7*8'
wait_for '^56$'
line '= 7*9'
wait_for '^63$'
# messages quote the line of a block that fails, not a number of it
line 'function wrong(q)'
line 'return q.x + 1'
line 'end'
line 'wrong()'
wait_for "^in 'return q.x + 1': attempt to index a nil value (local 'q'); q has no value"
line 'function outer() return 1 + wrong() end'
line '0 + outer()'
wait_for "^	*  *in function 'outer': function outer() return 1 + wrong() end$"
absent 'input [0-9]'
absent 'main chunk'
absent 'stdin'
line 'error "my mistake"'
wait_for 'my mistake'
line '"still " .. "here"'
wait_for '^still here$'
# a system, printed
line 'S = hm.system "sleigh"'
line 'x, y = S:coordinates "x y"'
line 'S:constraint("one", x.dot - y)'
line 'S.constraints'
wait_for '^{one: '
absent 'one = '
line "x'"
wait_for "^unfinished string near <eof>; a derivative is written x.dot, the second one x.dot.dot"
line "y = x' + 3"
wait_for "> y = x' + 3"
line '"text over \'
line 'two lines"'
wait_for '^two lines$'
line 'hm.dt(x^2*y)'
wait_for "x'"
line 'S:simulat{}'
wait_for "no field 'simulat' (did you mean 'simulate'?)"
# completion
text 'hm.syste'
key Tab
text ' "completed"'
key Enter
wait_for '^completed$'
# methods and fields of the user's own objects, of expressions too; what is not loaded yet is there
text 'S:holon'
key Tab
text 'omic and "whole method"'
key C-a
key C-k
text 'x:dif'
key Tab
text '(x), x.dot'
key Enter
wait_for 'x:diff(x), x.dot'
line 'x == y'
wait_for 'hm.agree(a, b) decides'
# options inside the braces of a call; what an option holds is completed as ever
line 'D = hm.system "drop"; z = D:coordinates "z"; D:kinetic_energy(z.dot^2/2); D:force(z, -2)'
wait_for '^  force on z  *-2$'
text 'fall = D:simulate{ q = {z = 1}, v = {z = 0}, meth'
key Tab
text '"dop853", first_s'
key Tab
text '0.01, t = 1 }'
key Enter
line 'fall:at(1).z + 7.5'
wait_for '^7.5'
wait_for 'method = "dop853", first_step = 0.01'
# the session as a script: what failed is left out, but for what it changed before, and numbers come again
line 'level = 1'
line 'level = 4; undefined_thing.z()'
wait_for 'undefined_thing'
line 'level*1000 + 0.25'
wait_for '^4000.25'
line "save_session \"$folder/work.lua\""
wait_for 'work.lua: a script of [0-9]* inputs'
line "save_session \"$folder/work.lua\""
wait_for 'exists already'
leave 0
# the history is kept, private, and a block is one entry
grep -q 'double(21.5)' "$HAMEL_HISTORY" || { echo "FAILED: no history"; exit 1; }
[ "$(stat -c %a "$HAMEL_HISTORY")" = 600 ] || { echo "FAILED: history is not private"; exit 1; }
grep -q "my mistake" "$folder/work.lua" && { echo "FAILED: what failed is in the saved session"; exit 1; }
$HAMEL "$folder/work.lua" > "$folder/again.txt" 2>&1 || { echo "FAILED: the saved session does not run"; cat "$folder/again.txt" "$folder/work.lua"; exit 1; }
grep -q '^4000\.25' "$folder/again.txt" || { echo "FAILED: what a line changed before it failed is lost"; cat "$folder/again.txt"; exit 1; }
grep -q '^7\.5' "$folder/again.txt" || { echo "FAILED: the saved session prints other numbers"; cat "$folder/again.txt"; exit 1; }
# faults are coloured on a terminal, not where NO_COLOR is set
coloured() { tmux -L "$server" capture-pane -p -e | grep -q "$(printf '\033')\[31m"; }
HAMEL_HISTORY=
start
line 'error "seen"'
wait_for '^seen$'
coloured || { echo "FAILED: a fault has no colour"; exit 1; }
stop
export NO_COLOR=1
start
line 'error "seen"'
wait_for '^seen$'
if coloured; then echo "FAILED: colour in spite of NO_COLOR"; exit 1; fi
stop
# an expression behind statements is shown; a long text from its beginning
start
line 'one = 20; two = 3; one + two'
wait_for '^23$'
line '("a line\n"):rep(100)'
wait_for '^... 51 lines more; print(ans) shows them all$'
stop
# an example keeps its names to itself, in the session and in the script it is saved as; its text can be read
start
line 'S = "mine"'
line 'ex = examples "suslov"'
line 'ex'
wait_for 'it holds .*S (the system), run (a run)'
wait_for 'suslov.lua$'
line 'S, ex.S.name, ex.run.status'
wait_for "^OK$"
wait_for "^mine$"
line 'show "suslov"'
wait_for '^local hm = require "hamel"$'
# names of forms and of examples in quotes, of constraints behind r.lambda
line 'r = ex.run; E = ex.S'
text 'E:equations "magg'
key Tab
wait_for 'equations "maggi'
key C-a
key C-k
text 'show "susl'
key Tab
wait_for 'show "suslov'
key C-a
key C-k
line "save_session '$folder/example.lua'"
wait_for 'example.lua: a script'
stop
printf 'assert(ex.S.name == "Suslov'"'"'s problem")\n' >> "$folder/example.lua"
$HAMEL "$folder/example.lua" > "$folder/told.txt" 2>&1 || { echo "FAILED: a session with an example does not run again"; cat "$folder/told.txt"; exit 1; }
# the first lines of a newcomer, as she writes them: they work, or lead to the right words
start
line 's = system "sleigh"; x, y, th = s:coordinates "x y theta"'
line 'm, I, a = s:positive "m I a"'
line 's:kinetic(m*x.dot^2/2)'
wait_for "did you mean 'kinetic_energy'?"
line 's:kinetic_energy(m/2*(dt(x + a*cos(th))^2 + dt(y + a*sin(th))^2) + I/2*th.dot^2)'
line 's:constraint("blade", y.dot*cos(th) - x.dot*sin(th))'
wait_for 'linear nonholonomic'
line 's:quasi("u", x.dot)'
wait_for "did you mean 'quasi_velocities'?"
line 's:equations "boltzmann-hamel"'
wait_for "did you mean 'hamel'?"
line 's:multipliers()'
wait_for '^lambda.blade  '
line 's:reaction "blade"'
wait_for "did you mean 'multipliers'?"
line 'sweep{ s }'
wait_for "S:sweep{...}"
line 's:run{ t = 20 }'
wait_for "did you mean 'simulate'?"
line 's:simulate{ with = { m = 1 } }'
wait_for "did you mean 'parameters'?"
# Lua's load reads code, not the file of a run
line 'load "drive.hamel"'
wait_for 'hm.load("drive.hamel", S)'
line 'six = 6'
line 'load("return 7*six")()'
wait_for '^42$'
# a call behind a semicolon has a value to show, and a table is printed by its contents
line 'six = 7; load("return 7*six")()'
wait_for '^49$'
line 'print({1, a = {2}})'
wait_for '^{1, a = {2}}'
# words for a method alone
line 'quasi'
wait_for "S:quasi_velocities(...) of a system"
absent '0x'
stop
# Greek letters and raised exponents on a terminal with Unicode, plain text elsewhere
export HAMEL_ASCII=
start
line 'S = hm.system "skate"; x, theta = S:coordinates "x theta"'
line "m = S:positive 'm=2'"
line "m*theta.dot^2/2"
wait_for "^m·θ'²/2$"
line 'print(theta.dot^2)'
wait_for "^theta'^2$"
line 'help(S.unilateral)'
wait_for "one-sided constraint gap >= 0"
line 'local S = hm.system "s"; local a, b, c = S:positive "a b c"; (a + b)*(b + c)^2*hm.sin(a*b*c)*hm.exp(a + c) + (a + 2*b)*(b + 3*c)^2*hm.cos(a*b + c) + (a + 5*b)^2*hm.exp(a*b*c) + (a + 7*b)^2*hm.exp(a*b*c*3)'
wait_for '^    + '
stop
export LC_ALL=C
start
line 'local x, theta = hm.functions_of_time "x theta"'
line "3*theta.dot^2"
wait_for "^3\*theta'^2$"
stop
unset LC_ALL
export HAMEL_ASCII=1
# input that ends inside a block ends the prompt
printf '1\n(x' | timeout -s KILL 10 $HAMEL -i >/dev/null 2>&1
[ $? -ne 137 ] || { echo "FAILED: the prompt goes on behind the end of its input"; exit 1; }
