# command_line.sh: options, arguments, exit status, messages of the executable.
set -u
. "$(dirname "$0")/../support/processes.sh"
export ASAN_OPTIONS=detect_leaks=0
failed=0
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
expect() {                              # what, wanted status, wanted text (grep), command...
  local what=$1 status=$2 text=$3
  shift 3
  local output got=0
  output=$("$@" 2>&1 </dev/null) || got=$?
  if [ "$got" != "$status" ] || ! grep -q -- "$text" <<<"$output"; then
    echo "FAILED: $what: status $got (wanted $status), wanted '$text' in: $output"
    failed=1
  fi
}
cat >"$folder/args.lua" <<'END'
print(arg[0]:match("[^/]+$"), arg[1], arg[2], #arg, ...)
END
printf 'local x = 1\nerror "here"\n' >"$folder/fails.lua"
printf 'local hm = require "hamel"\nlocal S = hm.system "s"\nS:coordinates "x"\nS:simulate{ qq = 1 }\n' >"$folder/wrong.lua"
printf 'os.exit(7)\n' >"$folder/seven.lua"
expect "arguments" 0 "args.lua.a.b c.2.a.b c" "$HAMEL" "$folder/args.lua" a "b c"
expect "error with place" 1 "fails.lua:2: here" "$HAMEL" "$folder/fails.lua"
expect "library errors point to the user's line" 1 "wrong.lua:4: simulate: unknown option 'qq'" "$HAMEL" "$folder/wrong.lua"
expect "exit status of a script" 7 "" "$HAMEL" "$folder/seven.lua"
cat >"$folder/long.lua" <<'END'
local hm = require "hamel"
local x, y, z, a = hm.symbols "x y z a"
local A, B = (x + 2*y + 3*z + a + 1)^16, (x - y + z - 5*a + 2)^16
io.stderr:write "ready\n"
;((A*B + x)/(A + y*B) + 1/(A + B)):simplify{ seconds = 100, terms = 1e8 }
END
interrupted_script() {
  : >"$folder/said"
  "$HAMEL" "$@" 2>"$folder/said" &
  local process=$! status=0
  wait_for_line ready "$folder/said" $process && wait_for_work $process 20 && kill -INT $process
  wait_for_end $process || kill -9 $process
  wait $process || status=$?
  cat "$folder/said"
  return $status
}
expect "Ctrl-C ends algebra" 130 "interrupted" interrupted_script "$folder/long.lua"
expect "help of a command" 0 "hamel report script.lua" "$HAMEL" report --help
expect "an option that report does not have" 2 "no option --pdf; .*page.pdf" "$HAMEL" report --pdf a.lua
expect "missing script" 1 "cannot open" "$HAMEL" "$folder/nothing.lua"
expect "syntax error" 1 "near" "$HAMEL" -e "x ="
expect "code" 0 "^2$" "$HAMEL" -e "print(1 + 1)"
expect "hm in code" 0 "cos(x)" "$HAMEL" -e 'print(hm.diff(hm.sin(hm.system "s":coordinates "x"), hm.parse("x", {hm.system "s":coordinates "x"})))'
expect "several -e" 0 "^3$" "$HAMEL" -e "a = 1" -e "print(a + 2)"
inexact='local x = hm.symbols "x"; local a, b = math.pi*x, x + math.pi; warn "mine"; warn("mi", "ne"); local c = x/3 + 0.1*x'
expect "warnings, each once" 0 "^2$" bash -c '"$0" -W -e "$1" 2>&1 | grep -c "^warning: [am]"' "$HAMEL" "$inexact"
expect "a warning tells what to do" 0 "^warning: a floating-point number entered.*hm.pi" "$HAMEL" -W -e "$inexact"
expect "no warnings unless asked for" 0 "^0$" bash -c '"$0" -e "$1" 2>&1 | grep -c warning; true' "$HAMEL" "$inexact"
expect "version" 0 "^hamel 0.1.0.*Lua 5.4" "$HAMEL" --version
expect "help of the library" 0 "S:lyapunov" "$HAMEL" -e 'help "chaos"'
echo 'apropos "units"' >"$folder/asks.lua"
expect "help in a script" 0 "S:check_units" "$HAMEL" "$folder/asks.lua"
echo 'help "simulate"' >"$folder/asks.lua"
expect "help with the options" 0 "^  Options:" "$HAMEL" "$folder/asks.lua"
expect "help" 0 "usage: hamel" "$HAMEL" --help
expect "the overview of help" 0 "hm is the library" "$HAMEL" help
expect "a page of help" 0 "^S:chart(given)" "$HAMEL" help chart
expect "pages of help with some words" 0 "friction" "$HAMEL" help friction cone
expect "no page of help" 1 "hamel: help: nothing is called 'nonsence'" "$HAMEL" help nonsence
expect "help in short" 0 "usage: hamel" "$HAMEL" -h
expect "unknown option" 2 "unknown option '--frob'" "$HAMEL" --frob
expect "missing argument" 2 "missing" "$HAMEL" -e
expect "a power as in other languages" 1 "a power is written a^b" "$HAMEL" -e "print(2**3)"
expect "a name of another program" 1 "motions are computed by S:simulate" "$HAMEL" -e "print(integrate(3))"
expect "LUA_INIT" 0 "^init$" env LUA_INIT="print 'init'" "$HAMEL" -e ""
expect "no LUA_INIT with -E" 0 "^$" env LUA_INIT="print 'init'" "$HAMEL" -E -e "print()"
output=$(printf 'print(6*7)\n' | "$HAMEL")
[ "$output" = 42 ] || { echo "FAILED: piped script: $output"; failed=1; }
output=$(printf 'print(6*7)\n' | "$HAMEL" -)
[ "$output" = 42 ] || { echo "FAILED: script from -: $output"; failed=1; }
output=$(printf 'x = 1\nx + 1\n' | HAMEL_HISTORY= "$HAMEL" -i 2>&1)
grep -q 2 <<<"$output" || { echo "FAILED: -i in a pipe: $output"; failed=1; }
if [ -e /dev/full ]; then
  "$HAMEL" -e "print(1)" >/dev/full 2>/dev/null && { echo "FAILED: a full disk went unnoticed"; failed=1; }
fi
# an interrupted script ends by the signal
expect "an interrupted script" 130 "" interrupted_script -e 'io.stderr:write "ready\n" while true do end'
exit $failed
