# symbols.sh: libhamel, shared and static, exports exactly the names that hamel.h declares; a program may use all others.
set -eu
declared=$(sed -n 's/^HML_API .*[ *]\(hml_[a-z0-9_]*\)(.*/\1/p' "$SOURCE/src/hamel.h" | sort -u)

# its name, the exported names
compare() {
  if [ "$declared" != "$2" ]; then
    diff <(printf '%s\n' "$declared") <(printf '%s\n' "$2") && true
    echo "hamel.h (<) and $1 (>) differ"
    exit 1
  fi
}
compare "the shared library" "$(nm -D --defined-only "$LIBRARY" | awk '$2 == "T" {print $3}' | sed 's/@.*//' | sort -u)"
if [ "$SANITIZE" = ON ]; then                                # sanitizers add names of their own
  echo "the static library is not compared under sanitizers"
else
  compare "the static library" "$(nm --defined-only --extern-only "$ARCHIVE" | awk 'NF == 3 {print $3}' | sort -u)"
fi

# inner names of the library, as those of a program
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cat >"$folder/user.c" <<'END'
#include <hamel.h>
int schedule(int n) { return n + 1; }
int number_add(int n) { return n - 1; }
int hml_alloc(int n) { return n; }
int main(void) {
  hml_context *c = hml_context_new(NULL, NULL);
  hml_expr x = hml_symbol(c, "x", 0, 0), square = hml_mul(c, x, x);
  hml_program *p;
  double in = 3, out = 0, work[16];
  if (hml_program_new(c, 1, &x, 1, &square, &p) != HML_OK || hml_program_work_size(p) > 16) return 1;
  hml_program_eval(p, &in, &out, work);
  hml_program_free(p);
  hml_context_free(c);
  return number_add(schedule((int)out)) == hml_alloc(9) ? 0 : 1;
}
END
if [ "$SANITIZE" != ON ]; then
  gcc -I"$SOURCE/src" "$folder/user.c" "$ARCHIVE" $(sed -n 's/^Libs.private: //p' "$BUILD/hamel.pc") $(pkg-config --libs gsl) -o "$folder/user"
  "$folder/user"
fi
echo "$(printf '%s\n' "$declared" | wc -l) names agree"
