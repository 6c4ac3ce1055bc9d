#!/bin/sh
# with_module.sh MODULE FILE ...: runs a Python file by the first python3 of the PATH that has the module: packages of the system need not be there for another Python
module=$1
shift
IFS=:
for folder in $PATH; do
  [ -x "$folder/python3" ] || continue
  "$folder/python3" -c "import $module" 2>/dev/null && exec "$folder/python3" "$@"
done
echo "skipped: no python3 of the PATH has the module $module"
exit 77
