# history.sh: what the history keeps: blocks whole, repetitions once, at every way of leaving, from two sessions at once.
. "$(dirname "$0")/support.sh"
export HAMEL_HISTORY="$folder/new/history"
# waits until the file has an entry
wait_for_entry() {
  for _ in $(seq 600); do
    entries 2>/dev/null | grep -qxF "$1" && return 0
    sleep 0.1
  done
  echo "FAILED: '$1' did not come into the history:"
  cat "$HAMEL_HISTORY"
  exit 1
}
entries() { grep -v '^#[0-9]*$' "$HAMEL_HISTORY"; }
want() {                                # what, wanted lines of the file
  [ "$(entries)" = "$2" ] || { echo "FAILED: $1: the history is"; cat "$HAMEL_HISTORY"; exit 1; }
}
start
line 'a = 1'
line 'b = 2'
line 'b = 2'
line 'b = 2'
line 'c = 3'
line 'os.exit(3)'
wait_for 'left with 3'
want "repetitions are kept once, and os.exit loses nothing" $'a = 1\nb = 2\nc = 3\nos.exit(3)'
[ "$(stat -c %a "$HAMEL_HISTORY")" = 600 ] || { echo "FAILED: the history is not private"; exit 1; }
[ "$(stat -c %a "$folder/new")" = 700 ] || { echo "FAILED: its folder is not private"; exit 1; }
# a block is one entry, and comes back as one
stop
rm "$HAMEL_HISTORY"
start
line 'function double(x)'
line 'return 2*x'
line 'end'
line '"got " .. double(4)'
wait_for '^got 8$'
leave 0
stop
start
key Up
key Up
key Enter
line '"again " .. double(5)'
wait_for '^again 10$'
stop
# the end by a signal, while a line is edited and while one runs
for signal in HUP TERM; do
  for busy in '"ready"' 'print "ready" while true do end'; do
    rm -f "$HAMEL_HISTORY"
    start
    line 'kept = 1'
    line "$busy"
    wait_for '^ready$'
    [ "$busy" = '"ready"' ] && text 'half a line'
    sleep 0.2
    kill -$signal "$(prompt_process)"
    wait_for 'left with 1[24]'
    want "the end by $signal loses nothing" $'kept = 1\n'"$busy"
    stop
  done
done
# the terminal is given back
start
kill -TERM "$(prompt_process)"
wait_for 'left with 143'
stop
# two sessions at once
rm "$HAMEL_HISTORY"
start
first=$server
line 'from_first = 1'
wait_for_entry 'from_first = 1'
start
line 'from_second = 1'
line '"second " .. 1'
wait_for '^second 1$'
leave 0
stop
server=$first
line 'from_first = 2'
line '"first " .. 1'
wait_for '^first 1$'
leave 0
stop
want "two sessions" $'from_first = 1\nfrom_second = 1\n"second " .. 1\nfrom_first = 2\n"first " .. 1'
# a file grown too long is cut to the newest entries
for i in $(seq 12000); do printf '#%d\nline_%d = {\n%d }\n' $((1700000000 + i)) "$i" "$i"; done >"$HAMEL_HISTORY"
start
line 'newest = 1'
line '"cut " .. 1'
wait_for '^cut 1$'
stop
[ "$(grep -c '^line_' "$HAMEL_HISTORY")" -le 10000 ] && grep -q '^line_12000 = {$' "$HAMEL_HISTORY" && grep -q '^newest' "$HAMEL_HISTORY" ||
  { echo "FAILED: the history was not cut to its newest entries"; exit 1; }
[ "$(head -1 "$HAMEL_HISTORY" | grep -c '^#[0-9]*$')" = 1 ] || { echo "FAILED: an entry was cut in two"; exit 1; }
[ "$(stat -c %a "$HAMEL_HISTORY")" = 600 ] || { echo "FAILED: the shortened history is not private"; exit 1; }
# a place that cannot be written is told once, and nothing else happens
HAMEL_HISTORY=$folder
start
line 'x = 1'
wait_for 'history is not kept: .*directory'
clear_screen
line '"alive " .. x'
wait_for '^alive 1$'
absent 'not kept'
