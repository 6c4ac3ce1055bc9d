# install.sh: an installed tree works from any prefix, also after it was moved; C programs build against it by pkg-config and by CMake.
set -eu
[ "$SANITIZE" = ON ] && { echo "skipped under sanitizers"; exit 77; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
unset LUA_PATH LUA_CPATH
cd "$folder"

use_hamel() {
  "$1/bin/hamel" -e 'print(hm.system "s":coordinates "x".dot^2)' | grep -qx "x'^2"
  command -v lua5.4 >/dev/null || return 0
  local modules
  modules=$(dirname "$(dirname "$(find "$1" -name core.so)")")
  LUA_PATH="$1/share/lua/5.4/?.lua;$1/share/lua/5.4/?/init.lua;;" LUA_CPATH="$modules/?.so;;" lua5.4 -e 'local hm = require "hamel"; assert(hm.sqrt(9) == 3)'
}

# The installed example, with the shared library, with the static one, and with CMake; it ends with 1 when the closed solution differs
build_example() {
  local example=$1/share/hamel/examples/c library
  library=$(dirname "$(find "$1" -name libhamel.so)")
  rm -rf build static
  mkdir build static
  cp "$library/libhamel.a" static
  export PKG_CONFIG_PATH=$library/pkgconfig
  gcc -std=c11 -Wall -Wextra -Wpedantic -Werror "$example/sleigh.c" $(pkg-config --cflags --libs hamel) -lm -o build/shared
  LD_LIBRARY_PATH=$library build/shared
  gcc "$example/sleigh.c" $(pkg-config --cflags hamel) -Lstatic $(pkg-config --static --libs hamel) -o build/static
  build/static
  cmake -S "$example" -B build/cmake -DCMAKE_PREFIX_PATH="$1" >/dev/null
  cmake --build build/cmake >/dev/null
  build/cmake/sleigh
}

cmake --install "$BUILD" --prefix "$folder/first" >/dev/null
use_hamel "$folder/first"
[ -f "$(dirname "$(find first -name core.so)")/modules.luac" ] || { echo "the Lua files are not installed in compiled form"; exit 1; }
build_example "$folder/first"
if ! ldd "$folder/first/bin/hamel" | grep -q libzmq; then
  echo "built without the Jupyter kernel"
else
  grep -qF "[\"$folder/first/bin/hamel\"," "$folder/first/share/jupyter/kernels/hamel/kernel.json"
fi
mkdir -p elsewhere/deeper
mv first elsewhere/deeper/second
use_hamel "$folder/elsewhere/deeper/second"
build_example "$folder/elsewhere/deeper/second"

# a folder of libraries with more levels, as Debian has it
cmake -S "$SOURCE" -B many -DBUILD_TESTING=OFF -DCMAKE_INSTALL_LIBDIR=lib/machine/libraries >/dev/null
mkdir -p many/tree/lib/machine/libraries/pkgconfig
cp many/hamel.pc many/tree/lib/machine/libraries/pkgconfig
prefix=$(PKG_CONFIG_PATH=many/tree/lib/machine/libraries/pkgconfig pkg-config --variable=prefix hamel)
[ "$(realpath "$prefix")" = "$(realpath many/tree)" ] || { echo "hamel.pc takes $prefix for the prefix"; exit 1; }
echo installed, moved and used
