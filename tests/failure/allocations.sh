# allocations.sh: the n-th request for memory of a session fails, alone or with those behind it: no crash, nothing lost, and either the
# results of a session without failures or the message "not enough memory". A sample; EVERY=1 takes every request,
# PART=k PARTS=n the k-th of n parts of it (k from 0).
session=$SOURCE/tests/failure/session.lua
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
export HAMEL_FAIL_REPORT=1 ASAN_OPTIONS=detect_leaks=1
"$FAILING" -E "$session" >"$folder/expected" 2>"$folder/errors" || { cat "$folder/errors"; exit 1; }
total=$(sed -n 's/^requests \([0-9]*\) blocks 0$/\1/p' "$folder/errors")
[ "${total:-0}" -gt 1000 ] || { echo "FAILED: the session without failures loses blocks:"; cat "$folder/errors"; exit 1; }
failures=0 runs=0
complain() {
  echo "FAILED: request $1 and $(($2 - 1)) more: $3"
  tail -n 5 "$folder/errors"
  failures=$((failures + 1))
}
try() {
  HAMEL_FAIL_AT=$1 HAMEL_FAIL_FOR=$2 timeout 300 "$FAILING" -E "$session" >"$folder/got" 2>"$folder/errors"
  local status=$?
  runs=$((runs + 1))
  [ $status -le 1 ] || { complain "$1" "$2" "exit status $status"; return; }
  grep -q '^requests [0-9]* blocks 0$' "$folder/errors" || complain "$1" "$2" "blocks are lost"
  if [ $status = 0 ]; then
    cmp -s "$folder/got" "$folder/expected" || complain "$1" "$2" "other results without a word"
  else
    grep -q 'not enough memory' "$folder/errors" || complain "$1" "$2" "a message of another kind"
  fi
  ! grep -q 'PANIC' "$folder/errors" || complain "$1" "$2" "a panic"
}
step=${EVERY:-$((total / 90 + 1))} parts=${PARTS:-1} part=${PART:-0}
for first in 1 2 3 5 8 13 21 34 55 89 144 233; do
  for count in 1 2 1000000000; do try $first $count; done
done
# one alone; two, since Lua collects its garbage and asks again; all behind it
for ((n = 300 + step * part; n <= total; n += step * parts)); do
  try $n 1
  try $((n + step / 3)) 2
  [ $((n % 5)) -ne 0 ] || try $((n + step / 2)) 1000000000
done
echo "$runs runs, $failures failures, $total requests"
[ $failures = 0 ]
