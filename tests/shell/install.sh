# install.sh: an installed tree works from any prefix, also after it was moved; C programs build against it.
set -eu
[ "$SANITIZE" = ON ] && { echo "skipped under sanitizers"; exit 77; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cmake --install "$BUILD" --prefix "$folder/first" >/dev/null
mv "$folder/first" "$folder/second"
prefix=$folder/second
cd "$folder"
env -u LUA_PATH -u LUA_CPATH "$prefix/bin/hamel" -e 'print(hm.system "s":coordinates "x".dot^2)' | grep -qx "x'^2"
if command -v lua5.4 >/dev/null; then
  libdir=$(dirname "$(dirname "$(find "$prefix" -name core.so)")")
  LUA_PATH="$prefix/share/lua/5.4/?.lua;$prefix/share/lua/5.4/?/init.lua;;" LUA_CPATH="$libdir/?.so;;" \
    lua5.4 -e 'local hm = require "hamel"; assert(hm.sqrt(9) == 3)'
fi
cat >user.c <<'END'
#include <hamel.h>
#include <stdio.h>
int main(void) {
  hml_context *c = hml_context_new(NULL, NULL);
  hml_expr x = hml_symbol(c, "x", HML_DYNAMIC, 0);
  char *text = hml_print_text(c, hml_time_derivative(c, hml_mul(c, x, x)));
  puts(text);
  hml_free(c, text);
  hml_context_free(c);
  return 0;
}
END
# against the pkg-config file, moved with its tree
export PKG_CONFIG_PATH=$(dirname "$(find "$prefix" -name hamel.pc)")
gcc user.c $(pkg-config --define-variable=prefix="$prefix" --cflags --libs hamel) -o user
library=$(dirname "$(find "$prefix" -name 'libhamel.so')")
[ "$(LD_LIBRARY_PATH=$library ./user)" = "2*x*x'" ] || { LD_LIBRARY_PATH=$library ./user; exit 1; }
# against the CMake package
mkdir package
cat >package/CMakeLists.txt <<'END'
cmake_minimum_required(VERSION 3.22)
project(user C)
find_package(hamel REQUIRED)
add_executable(user ../user.c)
target_link_libraries(user Hamel::hamel)
END
cmake -S package -B package/build -DCMAKE_PREFIX_PATH="$prefix" >/dev/null
cmake --build package/build >/dev/null
package/build/user >/dev/null
echo installed, moved and used
