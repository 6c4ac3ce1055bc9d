#!/usr/bin/env bash
# nightly.sh COMMAND PROPERTY: the property on eight seeds that no other day has, with five times the draws where it counts them.
set -u
command=$1 property=$2
first=${HML_SEED:-$(date +%Y%m%d)} failed=0
export HML_SCALE=${HML_SCALE:-5}
for k in 0 1 2 3 4 5 6 7; do
  seed=$((first + 100000000 * k))
  if HML_SEED=$seed "$command" "$property"; then continue; fi
  echo "nightly: $property failed with HML_SEED=$seed HML_SCALE=$HML_SCALE"
  failed=1
done
exit $failed
