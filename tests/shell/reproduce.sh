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

# wrong usage exits 2, what goes wrong later 1
wrong() { local text=$1 status=0; shift; "$@" >said 2>&1 || status=$?; [ $status = 2 ] || fail "$*: exit status $status"
  grep -q -- "$text" said || fail "$*: $(cat said)"; }
wrong "no script's name contains 'nothing'; hamel reproduce --list prints the names" "$HAMEL" reproduce nothing
wrong "(did you mean 'twistcar'?)" "$HAMEL" reproduce twistcra
wrong "an empty name" "$HAMEL" reproduce ""
wrong "no file elsewhere/twistcar.lua here; hamel reproduce twistcar runs" "$HAMEL" reproduce elsewhere/twistcar.lua
wrong "there is no file mine.lua" "$HAMEL" reproduce mei mine.lua
wrong "./site is a folder; name its scripts, ./site/\*.lua" "$HAMEL" reproduce ./site
wrong "unknown option '--page'" "$HAMEL" reproduce --page
wrong "needs a folder" "$HAMEL" reproduce --html
wrong "needs a folder" "$HAMEL" reproduce mei --html --list
wrong "given twice" "$HAMEL" reproduce mei --html a --html b
for command in report merge submit verify "manual -x" "luacats -x" new; do wrong "usage: hamel ${command%% *}" "$HAMEL" $command; done
refused "cannot make the folder /proc/there: No such file or directory" "$HAMEL" reproduce mei --html /proc/there
touch taken
refused "cannot make the folder taken: a file of that name is there" "$HAMEL" reproduce mei --html taken
"$HAMEL" reproduce --list >said
[ "$(grep -c . said)" -gt 20 ] && grep -qx library/twistcar said || fail "the list: $(cat said)"

# pages of others are not replaced, our own are
mkdir foreign; echo mine >foreign/index.html
refused "foreign/index.html was not made by hamel and is not replaced" "$HAMEL" reproduce mei --html foreign
[ "$(cat foreign/index.html)" = mine ] || fail "a page was replaced"
rm foreign/index.html; echo mine >foreign/mei1994_free_motion.html
refused "mei1994_free_motion.html was not made by hamel" "$HAMEL" reproduce mei --html foreign
[ ! -e foreign/index.html ] || fail "a page was written"

# scripts of others: by path, with their own pages, and with statements beside them
printf 'local P = require "hamel".paper{ title = "mine" }\nP:agrees("S1", "right", 0)\nio.stdout:write "noise"\nos.exit(P:finish())\n' >mine.lua
mkdir -p deep; cp mine.lua deep/mine.lua
ln -s mine.lua linked.lua
"$HAMEL" reproduce mine.lua ./mine.lua "$PWD/mine.lua" linked.lua ./deep/../deep/mine.lua deep/mine.lua twistcar --html site >table || fail "scripts of others: $(cat table)"
[ "$(awk 'NR > 1 && NR < 6 { print $1 }' table | tr '\n' ' ')" = "mine.lua ./deep/../deep/mine.lua library/twistcar all, " ] || fail "the rows: $(cat table)"
for page in index mine deep-..-deep-mine library-twistcar; do [ -s site/$page.html ] || fail "no page $page"; done
grep -q '<tr class="statement"><td>S1</td>' site/library-twistcar.html || fail "no statements on the page"
echo '{ "mine": [ {"id": "S1", "text": "one"}, {"id": "S2", "text": "two"} ] }' >statements.json
refused "S2 .* FAILED  no line checks this statement: two" "$HAMEL" reproduce mine.lua
echo '{ "mine": [ {"id": "S2", "text": "two"} ] }' >statements.json
refused "S1 .* FAILED  a line names a statement that the text does not have" "$HAMEL" reproduce mine.lua
echo '{ "mine": ' >statements.json
refused "statements.json cannot be read" "$HAMEL" reproduce mine.lua
rm statements.json
printf 'local P = require "hamel".paper{ title = "no \\xff UTF-8" }\nP:agrees("(\\xff)", "q_s\\xff", 0)\n' >bytes.lua
"$HAMEL" reproduce bytes.lua --html site >said || fail "bytes that are no UTF-8: $(cat said)"
for page in index bytes; do iconv -f UTF-8 -t UTF-8 site/$page.html >/dev/null 2>&1 || fail "$page.html is no UTF-8"; done
grep -q "<i>q</i><sub><i>s</i></sub>" site/bytes.html || fail "formulas in words are not typeset"
printf 'print "no table"\n' >empty.lua
refused "no table of verdicts: hm.paper makes one" "$HAMEL" reproduce empty.lua

# tables of runs: the folder is made, and is no part of a name
printf 'local hm = require "hamel"\nlocal P = hm.paper{ title = "t" }\nlocal S = hm.system "s"\nlocal x = S:coordinates "x"\nS:kinetic_energy(x.dot^2/2)\n%s\n' \
  'local run = S:simulate{ q = { x = 0 }, v = { x = 1 }, t = 1 } P:save(run, arg[3] or "run") P:agrees("(1)", "right", 0)' >tables.lua
"$HAMEL" tables.lua --csv new/tables >said && [ -s new/tables/run.csv ] || fail "tables: $(cat said)"
refused "without folder" "$HAMEL" tables.lua --csv new ../run
for last in "" --quiet; do refused "needs a folder" "$HAMEL" tables.lua --csv $last; ! grep -q right said || fail "noticed late: $(cat said)"; done

# a failed line fails the script that does not end with P:finish(), too
printf 'local P = require "hamel".paper{ title = "t" }\nP:agrees("(1)", "wrong", 1)\n' >open.lua
refused "t: 1 failed" "$HAMEL" open.lua
printf 'local P = require "hamel".paper{ title = "t" }\nP:agrees("(1)", "right", 0)\n' >open.lua
"$HAMEL" open.lua >said 2>&1 || fail "a script without P:finish: $(cat said)"
printf 'local P = require "hamel".paper{ title = "t", statements = { S1 = "one" } }\nP:agrees("(1)", "right", 0)\n' >open.lua
refused "t: 1 failed" "$HAMEL" open.lua

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
wrong "nothing is named" "$HAMEL" new
wrong "only papers" "$HAMEL" new sleigh a
for name in "a b" -n . .. a/ "" a/-b; do wrong "file name of letters" "$HAMEL" new paper "$name"; done
for name in ../x /tmp/x deep/../../x; do wrong "into the current folder or one below it" "$HAMEL" new paper "$name"; done
refused "there is no folder nowhere" "$HAMEL" new paper nowhere/x
"$HAMEL" new paper deep/text >said && [ -s deep/text.lua ] || fail "a folder below: $(cat said)"
"$HAMEL" new --help | grep -q "hamel new paper NAME" || fail "no help"
