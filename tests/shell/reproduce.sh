#!/bin/bash
# hamel reproduce: the table, the site, scripts that break; hamel new paper: a script that runs, and that replaces nothing
set -eu
export ASAN_OPTIONS=detect_leaks=0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
fail() { echo "FAILED: $*"; exit 1; }
refused() { local text=$1; shift; ! "$@" >said 2>&1 || fail "accepted: $*"; grep -q -- "$text" said || fail "$*: $(cat said)"; }

"$HAMEL" reproduce mei wang --html site >table
[ "$(head -1 table | tr -s ' ')" = "script lines proved computed misprint definition not checked failed seconds" ] || fail "the heading: $(head -1 table)"
[ "$(sed -n '2p;3p' table | awk '{print $1}' | tr '\n' ' ')" = "mei1994_free_motion wang2019_linear_mapping " ] || fail "the rows: $(cat table)"
# the sum over the rows, and the kinds of verdict add up to the lines
awk 'NR == 2 || NR == 3 { for (i = 2; i <= 8; i++) s[i] += $i } /^all/ { for (i = 2; i <= 8; i++) if ($(i + 3) != s[i]) exit 1
  if (s[2] != s[3] + s[4] + s[5] + s[6] + s[7] + s[8] || s[2] < 100 || s[8] != 0) exit 1 }' table || fail "the sums: $(cat table)"
grep -q "every check agrees" table || fail "the verdict: $(cat table)"
grep -q '<a href="mei1994_free_motion.html">Mei 1994' site/index.html || fail "no link to the page of a script"
grep -q '<td class="misprint">misprint</td>' site/mei1994_free_motion.html || fail "no verdict on the page"
grep -q '<a href="index.html">' site/mei1994_free_motion.html || fail "no way back"

refused "no script's name contains nothing; all of them: .*mei1994" "$HAMEL" reproduce nothing
refused "unknown option '--page'" "$HAMEL" reproduce --page
refused "needs a folder" "$HAMEL" reproduce --html
refused "cannot make the folder /proc/there" "$HAMEL" reproduce mei --html /proc/there

# one script, as its process sees it
printf 'local P = require "hamel".paper{ title = "t" }\nP:definition("(1)", "d")\nP:agrees("(2)", "wrong", 1)\nerror "broken"\n' >broken.lua
"$HAMEL" reproduce --one broken.lua >said
grep -q '"fine":false' said && grep -q 'broken.lua:4: broken' said && grep -q '"verdict":"FAILED"' said || fail "a broken script: $(cat said)"

"$HAMEL" new paper some_text >said
grep -q "some_text.lua: run it by hamel some_text.lua" said || fail "$(cat said)"
"$HAMEL" some_text.lua >said || fail "the new script: $(cat said)"
[ "$(head -1 said)" = "some text" ] && grep -q "0 failed" said || fail "the new script: $(cat said)"
cp some_text.lua before
refused "some_text.lua is there already" "$HAMEL" new paper some_text.lua
cmp -s some_text.lua before || fail "a file was replaced"
refused "nothing is named" "$HAMEL" new
refused "only papers" "$HAMEL" new sleigh a
refused "file name of letters" "$HAMEL" new paper "a b"
refused "file name of letters" "$HAMEL" new paper -n
"$HAMEL" new --help | grep -q "hamel new paper NAME" || fail "no help"
