#!/bin/sh
# bare_path.sh DIR: fills DIR with links to the programs of a minimal Debian and of the packages of scripts/setup, with what they depend on.
# With PATH=DIR the tests find what a user has after the README's set-up, and nothing else that happens to be installed.
set -eu
[ $# = 1 ] || { echo "usage: tests/bare_path.sh DIR" >&2; exit 2; }
command -v dpkg-query >/dev/null || { echo "skipped: this is no Debian-like system"; exit 77; }
setup=$(dirname "$0")/../scripts/setup
mkdir -p "$1"
target=$(cd "$1" && pwd)
wanted=$(sed -n 's/^packages="\(.*\)"$/\1/p' "$setup")
[ -n "$wanted" ] || { echo "bare_path: scripts/setup names no packages" >&2; exit 1; }

# the base (essential or required) and the packages wanted, closed under Depends; of alternatives those installed count
packages=$(dpkg-query -W -f '${db:Status-Status}\t${Package}\t${Essential}\t${Priority}\t${Pre-Depends}, ${Depends}\t${Provides}\n' |
  awk -F '\t' -v wanted="$wanted" '
    function name(text) { gsub(/\([^)]*\)|:[a-z0-9]+|[ \t]/, "", text); return text }
    $1 == "installed" {
      needs[$2] = $5
      known[$2] = 1
      count = split($6, list, ",")
      for (i = 1; i <= count; i++) providers[name(list[i])] = providers[name(list[i])] " " $2
      if ($3 == "yes" || $4 == "required") queue[++last] = $2
    }
    function add(package,    count, list, i) {
      if (package in known) { queue[++last] = package; return }
      count = split(providers[package], list, " ")
      for (i = 1; i <= count; i++) queue[++last] = list[i]
    }
    END {
      count = split(wanted, list, " ")
      for (i = 1; i <= count; i++) add(list[i])
      for (first = 1; first <= last; first++) {
        package = queue[first]
        if (package in seen) continue
        seen[package] = 1
        print package
        count = split(needs[package], groups, /[,|]/)
        for (i = 1; i <= count; i++) add(name(groups[i]))
      }
    }')

# their programs; names such as awk and cc lead through /etc/alternatives to one of them
files=$(mktemp)
trap 'rm -f "$files"' EXIT
# shellcheck disable=SC2086
dpkg-query -L $packages | grep -E '^(/usr)?/s?bin/' | sed 's,^/usr,,' | sort -u >"$files"
while read -r path; do
  for folder in "" /usr; do
    if [ -x "$folder$path" ]; then ln -sf "$folder$path" "$target/${path##*/}"; break; fi
  done
done <"$files"
for link in /usr/bin/* /bin/*; do
  [ -L "$link" ] || continue
  case $(readlink "$link") in /etc/alternatives/*) ;; *) continue ;; esac
  real=$(readlink -f "$link" | sed 's,^/usr,,')
  if grep -qxF "$real" "$files"; then ln -sf "$link" "$target/${link##*/}"; fi
done
