# package.sh: the Debian package installs into an empty system, works from there, and leaves nothing behind when it is removed.
set -eu
[ "$SANITIZE" = ON ] && { echo "skipped under sanitizers"; exit 77; }
for program in cpack dpkg dpkg-shlibdeps; do
  command -v "$program" >/dev/null || { echo "skipped: $program is missing"; exit 77; }
done
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
unset LUA_PATH LUA_CPATH
cd "$folder"
cpack --config "$BUILD/CPackConfig.cmake" -B "$folder/made" >cpack.log 2>&1 || { cat cpack.log; exit 1; }
package=$(echo made/*.deb)
[ -f "$package" ] || { echo "cpack made $package"; exit 1; }

# what it needs of others is named
depends=$(dpkg-deb --field "$package" Depends)
for library in libc6 libgsl libgmp libflint liblua5.4 libzip; do
  case $depends in *"$library"*) ;; *) echo "the package does not depend on $library: $depends"; exit 1 ;; esac
done

system=$folder/system
mkdir -p "$system/var/lib/dpkg/info" "$system/var/lib/dpkg/updates"
: >"$system/var/lib/dpkg/status"
manage() {
  dpkg --root="$system" --force-not-root --force-depends --force-script-chrootless --log=/dev/null "$@" >dpkg.log 2>&1 || { cat dpkg.log; exit 1; }
}
manage --install "$package"
[ "$("$system/usr/bin/hamel" -e 'print(1)')" = 1 ]
# with the files of the package, not with those of the source
from=$("$system/usr/bin/hamel" -e 'print(debug.getinfo(hm.system, "S").source)')
case $from in "@$(realpath "$system")"/*) ;; *) echo "hamel took its Lua files from $from"; exit 1 ;; esac
manage --purge hamel
left=$(find "$system" -path "$system/var" -prune -o -type f -print)
[ -z "$left" ] || { echo "left behind: $left"; exit 1; }
echo "$(basename "$package") installed, used, removed"
