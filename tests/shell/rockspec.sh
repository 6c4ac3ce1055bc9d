# rockspec.sh: LuaRocks builds the module from a copy of the tree, and plain Lua loads it.
set -eu
command -v luarocks >/dev/null || { echo "skipped: luarocks is missing"; exit 77; }
[ "${SANITIZE-}" != ON ] || { echo "skipped: the same build as without sanitizers"; exit 77; }
git -C "$(dirname "$0")" rev-parse >/dev/null 2>&1 || { echo "skipped: no checkout"; exit 77; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$(dirname "$0")/../.."
git ls-files -z | xargs -0 cp --parents -t "$folder"
cd "$folder"
luarocks --lua-version 5.4 lint hamel-*.rockspec
luarocks --lua-version 5.4 make --tree "$folder/tree" hamel-*.rockspec >"$folder/log" 2>&1 || { tail -30 "$folder/log"; echo "FAILED: luarocks make"; exit 1; }
cd /
answer=$(LUA_PATH="$folder/tree/share/lua/5.4/?.lua;$folder/tree/share/lua/5.4/?/init.lua" LUA_CPATH="$folder/tree/lib/lua/5.4/?.so" \
  lua5.4 -e 'local hm = require "hamel"; local S = hm.system "s"; local x = S:coordinates "x"; S:kinetic_energy(x.dot^2/2); S:potential_energy(x^2/2)
    print(("%.9f"):format(S:simulate{ q = {x = 1}, v = {x = 0}, t = math.pi }:at(math.pi).x))')
[ "$answer" = "-1.000000000" ] || { echo "FAILED: the module answers '$answer'"; exit 1; }
