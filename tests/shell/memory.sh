# memory.sh: a limit of the address space, from nothing to plenty: no abort, no panic; what cannot be done says "not enough memory", pcall
# catches it, and the session goes on.
[ "${SANITIZE:-OFF}" = OFF ] || { echo "skipped: sanitizers need the address space"; exit 77; }
(ulimit -v 4000000) 2>/dev/null || { echo "skipped: there is no ulimit -v"; exit 77; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
session=$SOURCE/tests/failure/session.lua
failures=0
complain() {
  echo "FAILED: $1"
  tail -n 5 "$folder/err"
  failures=$((failures + 1))
}
limited() { (ulimit -v "$1" -c 0; shift; exec timeout 120 "$HAMEL" -E "$@") >"$folder/out" 2>"$folder/err"; }

"$HAMEL" -E "$session" >"$folder/expected" || exit 1
finished=0 refused=0
for kilobytes in $(seq 5000 1500 53000); do
  limited "$kilobytes" "$session"
  status=$?
  # 127 or 126: the system cannot even load the libraries
  if [ $status = 0 ]; then
    finished=$((finished + 1))
    cmp -s "$folder/out" "$folder/expected" || complain "$kilobytes kB: other results"
  elif [ $status = 1 ]; then
    refused=$((refused + 1))
    grep -q "not enough memory" "$folder/err" || complain "$kilobytes kB: another message"
  elif [ $status != 127 ] && [ $status != 126 ]; then
    complain "$kilobytes kB: exit status $status"
  fi
done
echo "$finished sessions finished, $refused were refused"
[ $finished -gt 0 ] && [ $refused -gt 0 ] || complain "the limits do not reach both ends"

# long numbers and long polynomials, kept alive, until memory ends; then the session goes on
cat >"$folder/greedy.lua" <<'LUA'
local hm = require "hamel"
local x, y, a, b = hm.symbols "x y a b"
local kept = {}
local function until_memory_ends(f)
  for i = 1, 100000 do
    local fine, message = pcall(f, i)
    if not fine then
      assert(tostring(message):find "not enough memory", message)
      kept = {}
      collectgarbage()
      return
    end
  end
  error "memory did not end"
end
until_memory_ends(function(i) kept[#kept + 1] = hm.number(3)^400000/(hm.number(2)^600000 + i) end)
until_memory_ends(function(i) kept[#kept + 1] = tostring(hm.number(3)^400000 + i) end)
until_memory_ends(function(i)
  local e, reason = ((x*hm.number(3)^900 + y + a*i + b)^20):simplify{ form = "expanded", terms = 1e6, seconds = 600 }
  kept[#kept + 1] = reason and error(reason) or e
end)
until_memory_ends(function(i) kept[#kept + 1] = hm.parse(("sin((x+1)*(y+%d)*"):format(i):rep(60) .. "1" .. (")"):rep(60), { x, y }) end)
-- a failure of Lua's own memory leaves our expressions to the next try
local function simple() return tostring(((x^2 - y^2)/(x - y)):simplify()) end
pcall(simple)
assert(simple() == "x + y")
print "alive"
LUA
# the libraries differ from system to system: counted from the limit under which the program starts
start=20000
until limited $start -e 'x = 1' || [ $start -gt 100000 ]; do start=$((start + 1000)); done
for kilobytes in $((start + 10000)) $((start + 30000)); do
  limited $kilobytes "$folder/greedy.lua"
  status=$?
  [ $status = 0 ] && grep -q alive "$folder/out" || complain "$kilobytes kB, greedy: exit status $status"
done
[ $failures = 0 ]
