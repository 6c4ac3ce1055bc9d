# jupyter.sh: hamel jupyter install and uninstall: where the description goes, whose kernels stay, what is refused.
set -u
export ASAN_OPTIONS=detect_leaks=0
failed=0
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
if "$HAMEL" jupyter 2>&1 | grep -q "built without"; then
  echo "skipped: hamel was built without its Jupyter kernel (install libzmq3-dev)"
  exit 77
fi
unset JUPYTER_DATA_DIR XDG_DATA_HOME
export HOME="$folder/home of mine"
expect() {                              # what, wanted status, wanted text (grep), arguments...
  local what=$1 status=$2 text=$3 output got=0
  shift 3
  output=$("$HAMEL" jupyter "$@" 2>&1 </dev/null) || got=$?
  if [ "$got" != "$status" ] || ! grep -q -- "$text" <<<"$output"; then
    echo "FAILED: $what: status $got (wanted $status), wanted '$text' in: $output"
    failed=1
  fi
}
is() { [ "$2" = "$3" ] || { echo "FAILED: $1: '$2', wanted '$3'"; failed=1; }; }

expect "no verb" 2 "usage: hamel jupyter install"
expect "unknown verb" 2 "usage: hamel jupyter install" instal
expect "unknown option" 2 "unknown option '--user'" install --user
expect "a value is missing" 2 "a value is missing after --prefix" install --prefix
expect "a name that leaves the folder" 2 "letters, digits" install --name ../x
own="$HOME/.local/share/jupyter/kernels/hamel"
expect "for this user" 0 "installed in $own" install
grep -qF "$HAMEL" "$own/kernel.json" || { echo "FAILED: kernel.json does not name this program"; failed=1; }
sed "s|@HAMEL_PROGRAM@|$HAMEL|" "$SOURCE/cmake/kernel.json.in" | cmp - "$own/kernel.json" || { echo "FAILED: cmake --install writes another kernel.json"; failed=1; }
is "rights" "$(stat -c %a "$own")" 755
expect "again, since it is ours" 0 "installed" install
XDG_DATA_HOME="$folder/data" expect "XDG_DATA_HOME" 0 "$folder/data/jupyter/kernels/hamel" install
JUPYTER_DATA_DIR="$folder/jupyter" expect "JUPYTER_DATA_DIR" 0 "$folder/jupyter/kernels/mine" install --name mine
expect "a prefix" 0 "$folder/p/share/jupyter/kernels/hamel" install --prefix "$folder/p"

other="$folder/p/share/jupyter/kernels/other"
mkdir -p "$other"
echo '{"argv": ["python3", "-m", "other"], "display_name": "Other"}' >"$other/kernel.json"
expect "another program's kernel stays" 1 "belongs to python3" install --prefix "$folder/p" --name other
expect "and is not removed" 1 "belongs to python3" uninstall --prefix "$folder/p" --name other
grep -q python3 "$other/kernel.json" || { echo "FAILED: the other kernel was changed"; failed=1; }
echo '{"argv": [' >"$other/kernel.json"
expect "a damaged description stays" 1 "an unknown program" install --prefix "$folder/p" --name other
expect "by force" 0 "installed" install --prefix "$folder/p" --name other --force

expect "removed" 0 "removed" uninstall
[ ! -e "$own" ] || { echo "FAILED: $own is still there"; failed=1; }
expect "not there" 1 "there is no kernel 'hamel'" uninstall
touch "$folder/file"
expect "no place to install to" 1 "cannot make" install --prefix "$folder/file"
expect "a kernel without a file" 2 "usage" kernel
expect "a file that is not there" 1 "cannot read the connection file" kernel "$folder/nothing.json"
echo '[1]' >"$folder/wrong.json"
expect "a connection file without ports" 1 "connection file" kernel "$folder/wrong.json"
echo '{"ip": "127.0.0.1", "shell_port": 1, "signature_scheme": "hmac-md5", "key": ""}' >"$folder/scheme.json"
expect "another signature" 1 "hmac-md5" kernel "$folder/scheme.json"
echo '{"transport": "ipc", "ip": "/nowhere/s", "shell_port": 1, "key": ""}' >"$folder/address.json"
expect "an address that is not free" 1 "cannot listen at ipc:///nowhere/s-1" kernel "$folder/address.json"

# a program that a cell started and that outlives the kernel holds none of the kernel's own files
mkdir "$folder/ipc"
printf '{"transport": "ipc", "ip": "%s/s", "shell_port": 1, "iopub_port": 2, "stdin_port": 3, "control_port": 4, "hb_port": 5, "key": ""}' "$folder/ipc" >"$folder/ipc.json"
"$HAMEL" jupyter kernel "$folder/ipc.json" >"$folder/out" 2>&1 &
kernel=$!
for _ in $(seq 1200); do [ -S "$folder/ipc/s-5" ] && break; sleep 0.1; done
sleep 0.3
held=0
for fd in /proc/$kernel/fd/*; do
  if [ "$(readlink "$fd")" = "$folder/out" ] && [ $((0$(sed -n 's/^flags:[ \t]*//p' "/proc/$kernel/fdinfo/${fd##*/}") & 02000000)) = 0 ]; then held=1; fi
done
is "descriptors that children inherit" $held 0
kill -9 $kernel
wait $kernel 2>/dev/null
exit $failed
