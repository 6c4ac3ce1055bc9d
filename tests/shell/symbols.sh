# symbols.sh: libhamel exports exactly the names that hamel.h declares.
set -eu
declared=$(sed -n 's/^HML_API .*[ *]\(hml_[a-z0-9_]*\)(.*/\1/p' "$SOURCE/src/hamel.h" | sort -u)
exported=$(nm -D --defined-only "$LIBRARY" | awk '$2 == "T" {print $3}' | sed 's/@.*//' | sort -u)
internal=$(printf '%s\n' "$exported" | grep '__' || true)
[ -z "$internal" ] || { echo "internal names are exported: $internal"; exit 1; }
if [ "$declared" != "$exported" ]; then
  diff <(printf '%s\n' "$declared") <(printf '%s\n' "$exported") && true
  echo "hamel.h (<) and the library (>) differ"
  exit 1
fi
echo "$(printf '%s\n' "$declared" | wc -l) names agree"
