# support.sh: a terminal of its own for the prompt: start, type, wait for text on the screen.
command -v tmux >/dev/null || { echo "skipped: tmux is missing"; exit 77; }
export HAMEL_HISTORY=${HAMEL_HISTORY-} LANG=C.UTF-8 HAMEL_ASCII=${HAMEL_ASCII-1} ASAN_OPTIONS=detect_leaks=0
unset TMUX
# as in a container without terminals
tmux -L "hamel-test-$$" -f /dev/null new-session -d true 2>/dev/null || { echo "skipped: tmux opens no terminal here"; exit 77; }
started=0
folder=$(mktemp -d)
finish() {
  for n in $(seq "$started"); do tmux -L "hamel-test-$$-$n" kill-server 2>/dev/null; done
  rm -rf "$folder"
}
trap finish EXIT
# each terminal has a server of its own, named by $server
launch() {
  started=$((started + 1))
  server=hamel-test-$$-$started
  tmux -L "$server" -f /dev/null new-session -d -x 110 -y 40 "$HAMEL $* 2>&1; echo left with \$?; sleep 30"
}
start() { launch "$@"; wait_for '^>'; }
stop() { tmux -L "$server" kill-server; }
prompt_process() { pgrep -P "$(tmux -L "$server" list-panes -F '#{pane_pid}')" -x hamel; }
# a semicolon at the end would separate commands of tmux
text() { case $1 in *\;) tmux -L "$server" send-keys -l "${1%;}\;" ;; *) tmux -L "$server" send-keys -l "$1" ;; esac; }
line() { text "$1"; key Enter; }
key() { tmux -L "$server" send-keys "$1"; }
screen() { tmux -L "$server" capture-pane -p -S -200; }
# waits for a line matching the pattern; at most a minute
wait_for() {
  for _ in $(seq 600); do
    screen | grep -q -- "$1" && return 0
    sleep 0.1
  done
  echo "FAILED: '$1' did not appear on:"
  screen
  exit 1
}
# again until it is clear: what is typed before the prompt is ready is lost
clear_screen() {
  for _ in $(seq 20); do
    tmux -L "$server" send-keys C-l
    sleep 0.3
    tmux -L "$server" clear-history
    [ "$(screen | grep -c .)" -le 1 ] && return 0
  done
  echo "FAILED: the screen could not be cleared"
  exit 1
}
# Ctrl-D, again until the program has left with a status: the terminal does not pass on one that comes before the prompt is ready
leave() {
  for _ in $(seq 60); do
    key C-d
    for _ in $(seq 10); do
      screen | grep -q "left with $1" && return 0
      sleep 0.1
    done
  done
  echo "FAILED: Ctrl-D did not leave with $1:"
  screen
  exit 1
}
absent() {
  if screen | grep -q -- "$1"; then
    echo "FAILED: '$1' is on the screen:"
    screen
    exit 1
  fi
}
