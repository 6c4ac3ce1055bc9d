# processes.sh: processes that are watched until something has happened, not for a time, which a busy or slow machine stretches. Sourced by bash.
patience=${patience:-120}              # seconds, for what takes far less on a machine that works

# Processor time of a process in hundredths of a second; nothing when it has ended
used() { awk -v hz="$(getconf CLK_TCK)" '{ sub(/.*\) /, ""); print int(($12 + $13) * 100 / hz) }' "/proc/$1/stat" 2>/dev/null; }

# Waits until a file has a line that matches, or the process has ended: status 1 then, or when patience is at its end
wait_for_line() {
  local pattern=$1 file=$2 process=$3 end=$((SECONDS + patience))
  until grep -q "$pattern" "$file" 2>/dev/null; do
    kill -0 "$process" 2>/dev/null && [ $SECONDS -lt $end ] || return 1
    sleep 0.02
  done
}

# Waits until a process has used so many hundredths of a second of processor time from now on: status 1 where it has ended. Without /proc that time passes
wait_for_work() {
  local process=$1 hundredths=$2 from now end=$((SECONDS + patience))
  from=$(used "$process")
  if [ ! -r /proc/self/stat ]; then
    sleep "$(printf '%d.%02d' $((hundredths / 100)) $((hundredths % 100)))"
    return
  fi
  while now=$(used "$process") && [ -n "$now" ] && [ $((now - from)) -lt "$hundredths" ]; do
    [ $SECONDS -lt $end ] || return 1
    sleep 0.01
  done
  [ -n "$now" ]
}

# Waits for the end of a process: status 1 where it has not come
wait_for_end() {
  local process=$1 end=$((SECONDS + patience))
  while kill -0 "$process" 2>/dev/null; do
    [ $SECONDS -lt $end ] || return 1
    sleep 0.02
  done
}
