// bind_ball_systems.c: systems of equations, matrices and eigenvalues in balls, in Lua. Matrices are lists of rows.
#define HML_BALLS
#include "bind_balls.h"

#ifdef HAMEL_ARB

enum { MOST_BITS = 1 << 22 };

static slong check_bits(lua_State *L, int index) { return (slong)hml_bind__to_integer(L, index, "bits", 2, MOST_BITS); }

static void push_number(lua_State *L, const char *key, double value) {
  lua_pushnumber(L, value);
  lua_setfield(L, -2, key);
}

static double double_of(const arb_t x) {
  double value = arf_get_d(arb_midref(x), ARF_RND_UP);
  return value < 1e-300 ? 0 : value;
}

// ball_zero{ program =, t =, x = {inputs behind t}, unknown = {numbers}, bits =, iterations =, radius = ball }: the first outputs vanish, as many as there are
// unknowns; behind them are their derivatives by the unknowns, row by row
// -> { proved =, radius, images = balls of the last box, tried, image = the same as doubles, contraction =, least =, step =, reason =, x = {balls} }
static int ball_zero(lua_State *L) {
  hml_context *c = hml_bind__context(L);
  luaL_checktype(L, 1, LUA_TTABLE);
  lua_settop(L, 1);
  lua_getfield(L, 1, "program");
  lua_getfield(L, 1, "t");
  lua_getfield(L, 1, "x");
  lua_getfield(L, 1, "unknown");
  hml_ball_zero z = {.root.program = hml_bind__program(L, 2), .root.bits = (slong)hml_bind__to_count(hml_bind__number_field(L, 1, "bits", 0)),
                     .iterations = (unsigned)hml_bind__to_count(hml_bind__number_field(L, 1, "iterations", 20))};
  arb_ptr t = luaL_checkudata(L, 3, HML_BALL);
  size_t n, k;
  arb_srcptr given = hml_bind__to_balls(L, 4, &n);
  double *list = hml_bind__to_doubles(L, 5, &k);
  uint32_t *unknown = lua_newuserdatauv(L, (k + 1) * sizeof *unknown, 0);
  for (size_t i = 0; i < k; i++) {
    if (!(list[i] >= 1 && list[i] <= (double)n)) hml_bind__error(L, "ball_zero: there is no input %g", list[i]);
    unknown[i] = (uint32_t)list[i] - 1;
  }
  if (lua_getfield(L, 1, "radius") != LUA_TNIL) z.radius = luaL_checkudata(L, -1, HML_BALL);
  z.root.unknown = unknown, z.root.rows = z.root.unknowns = k;
  if (n + 1 != hml_program_inputs(z.root.program) || hml_program_outputs(z.root.program) != k * (1 + k)) hml_bind__error(L, "ball_zero: wrong numbers of inputs or outputs");
  if (z.root.bits < 24 || z.root.bits > MOST_BITS) hml_bind__error(L, "ball_zero: %d bits; 24 to %d are possible", (int)z.root.bits, (int)MOST_BITS);
  arb_ptr x = _arb_vec_init((slong)n);
  for (size_t i = 0; i < n; i++) arb_set(x + i, given + i);
  hml_ball_zero_proof out;
  arb_init(out.radius), arb_init(out.image);
  hml_status status = hml_balls__zero(c, &z, t, x, &out);
  lua_createtable(L, 0, 11);
  hml_bind__push_ball(L, out.radius), lua_setfield(L, -2, "radius");
  hml_bind__push_ball(L, out.image), lua_setfield(L, -2, "images");
  // smaller ones have no double
  push_number(L, "tried", double_of(out.radius)), push_number(L, "image", double_of(out.image));
  arb_clear(out.radius), arb_clear(out.image);
  hml_bind__push_balls(L, x, n), lua_setfield(L, -2, "x");
  _arb_vec_clear(x, (slong)n);
  hml_bind__check(L, c, status);
  lua_pushboolean(L, out.proved), lua_setfield(L, -2, "proved");
  push_number(L, "contraction", out.contraction), push_number(L, "least", out.least), push_number(L, "step", out.step);
  lua_pushstring(L, out.reason), lua_setfield(L, -2, "reason");
  return 1;
}

// ---- matrices

// Pushes the rows at an index as one list behind each other; the numbers of rows and of columns
static void flatten(lua_State *L, int index, slong *m, slong *n) {
  luaL_checktype(L, index, LUA_TTABLE);
  *m = (slong)lua_rawlen(L, index), *n = 0;
  lua_newtable(L);
  for (slong i = 0; i < *m; i++) {
    lua_rawgeti(L, index, i + 1);
    luaL_checktype(L, -1, LUA_TTABLE);
    slong columns = (slong)lua_rawlen(L, -1);
    if (i > 0 && columns != *n) hml_bind__error(L, "rows of %d and of %d entries are no matrix", (int)*n, (int)columns);
    *n = columns;
    for (slong j = 0; j < columns; j++) {
      lua_rawgeti(L, -1, j + 1);
      lua_rawseti(L, -3, i * columns + j + 1);
    }
    lua_pop(L, 1);
  }
}

// The entries of the rows at an index, in a userdata that stays on the stack
static arb_srcptr to_rows(lua_State *L, int index, slong *m, slong *n) {
  size_t count;
  flatten(L, index, m, n);
  return hml_bind__to_balls(L, -1, &count);
}

static void set_matrix(arb_mat_t A, arb_srcptr entries) {
  for (slong i = 0; i < arb_mat_nrows(A); i++)
    for (slong j = 0; j < arb_mat_ncols(A); j++) arb_set(arb_mat_entry(A, i, j), entries + i * arb_mat_ncols(A) + j);
}

static void push_matrix(lua_State *L, const arb_mat_t A) {
  lua_createtable(L, (int)arb_mat_nrows(A), 0);
  for (slong i = 0; i < arb_mat_nrows(A); i++) {
    hml_bind__push_balls(L, arb_mat_entry(A, i, 0), (size_t)arb_mat_ncols(A));
    lua_rawseti(L, -2, i + 1);
  }
}

// ball_solve(A, B, bits) -> X with A X = B; nil where A is not proved to be regular
static int ball_solve(lua_State *L) {
  slong n, m, rows, columns, bits = check_bits(L, 3);
  arb_srcptr left = to_rows(L, 1, &n, &m), right = to_rows(L, 2, &rows, &columns);
  if (n != m || n != rows || n == 0) hml_bind__error(L, "ball_solve: %d x %d and %d x %d do not fit", (int)n, (int)m, (int)rows, (int)columns);
  arb_mat_t A, B, X;
  arb_mat_init(A, n, n), arb_mat_init(B, n, columns), arb_mat_init(X, n, columns);
  set_matrix(A, left), set_matrix(B, right);
  if (arb_mat_solve(X, A, B, bits)) push_matrix(L, X);
  else lua_pushnil(L);
  arb_mat_clear(A), arb_mat_clear(B), arb_mat_clear(X);
  return 1;
}

// ball_product(A, B, bits)
static int ball_product(lua_State *L) {
  slong m, n, rows, columns, bits = check_bits(L, 3);
  arb_srcptr left = to_rows(L, 1, &m, &n), right = to_rows(L, 2, &rows, &columns);
  if (n != rows) hml_bind__error(L, "ball_product: %d x %d and %d x %d do not fit", (int)m, (int)n, (int)rows, (int)columns);
  arb_mat_t A, B, C;
  arb_mat_init(A, m, n), arb_mat_init(B, n, columns), arb_mat_init(C, m, columns);
  set_matrix(A, left), set_matrix(B, right);
  arb_mat_mul(C, A, B, bits);
  push_matrix(L, C);
  arb_mat_clear(A), arb_mat_clear(B), arb_mat_clear(C);
  return 1;
}

// ball_definite(A, bits) -> true where the symmetric matrix, of which the lower triangle counts, is proved to be positive definite
static int ball_definite(lua_State *L) {
  slong m, n, bits = check_bits(L, 2);
  arb_srcptr entries = to_rows(L, 1, &m, &n);
  if (m != n) hml_bind__error(L, "ball_definite: %d x %d is not square", (int)m, (int)n);
  arb_mat_t A, C;
  arb_mat_init(A, n, n), arb_mat_init(C, n, n);
  set_matrix(A, entries);
  lua_pushboolean(L, arb_mat_cho(C, A, bits));
  arb_mat_clear(A), arb_mat_clear(C);
  return 1;
}

// ---- eigenvalues

// Do the balls meet? Those of one cluster are equal
static bool apart_from_others(acb_srcptr roots, slong n, slong first, slong count, const acb_t x) {
  for (slong j = 0; j < n; j++)
    if ((j < first || j >= first + count) && acb_overlaps(x, roots + j)) return false;
  return true;
}

// Pushes the cluster of `count` eigenvalues at `first`: { re =, im =, size = balls, count = }. Not inlined: GCC 12 then takes the balls for others
__attribute__((noinline)) static void push_cluster(lua_State *L, acb_ptr roots, slong n, slong first, slong count, slong bits) {
  acb_t x, mirror;
  arb_t size;
  acb_init(x), acb_init(mirror), arb_init(size);
  acb_set(x, roots + first);
  acb_conj(mirror, x);
  // the matrix is real: an eigenvalue whose mirror image is no other one is real
  if (count == 1 && arb_contains_zero(acb_imagref(x)) && apart_from_others(roots, n, first, count, mirror)) arb_zero(acb_imagref(x));
  acb_abs(size, x, bits);
  lua_createtable(L, 0, 4);
  hml_bind__push_ball(L, acb_realref(x)), lua_setfield(L, -2, "re");
  hml_bind__push_ball(L, acb_imagref(x)), lua_setfield(L, -2, "im");
  hml_bind__push_ball(L, size), lua_setfield(L, -2, "size");
  lua_pushinteger(L, count), lua_setfield(L, -2, "count");
  acb_clear(x), acb_clear(mirror), arb_clear(size);
}

// The eigenvalues of A but `zeros` that are exactly zero, from the characteristic polynomial; false where they are not told apart
static bool simple_roots(acb_ptr roots, const arb_mat_t A, slong zeros, slong bits) {
  arb_poly_t p;
  acb_poly_t q;
  arb_poly_init(p), acb_poly_init(q);
  arb_mat_charpoly(p, A, bits);
  arb_poly_shift_right(p, p, zeros);
  acb_poly_set_arb_poly(q, p);
  slong count = arb_mat_nrows(A) - zeros;
  bool apart = acb_poly_degree(q) == count && (count == 0 || acb_poly_find_roots(roots, q, NULL, 0, bits) == count);
  arb_poly_clear(p), acb_poly_clear(q);
  return apart;
}

// All eigenvalues of A, equal balls for those that are not told apart
static bool clusters(acb_ptr roots, const arb_mat_t A, slong bits) {
  slong n = arb_mat_nrows(A);
  acb_mat_t B, R;
  acb_ptr near = _acb_vec_init(n + 1);
  acb_mat_init(B, n, n), acb_mat_init(R, n, n);
  acb_mat_set_arb_mat(B, A);
  acb_mat_approx_eig_qr(near, NULL, R, B, NULL, 0, bits);
  bool found = acb_mat_eig_multiple(roots, B, near, R, bits);
  acb_mat_clear(B), acb_mat_clear(R);
  _acb_vec_clear(near, n + 1);
  return found;
}

// ball_eigenvalues(A, bits, zeros) -> { { re =, im =, size = balls, count = how many eigenvalues are in it }, ... }, disjoint; nil where they are not enclosed.
// `zeros` of them are known to be exactly zero. The second result: are these left out of the list?
static int ball_eigenvalues(lua_State *L) {
  slong m, n, bits = check_bits(L, 2), zeros = (slong)hml_bind__to_integer(L, 3, "zeros", 0, 100000);
  arb_srcptr entries = to_rows(L, 1, &m, &n);
  if (m != n || zeros > n) hml_bind__error(L, "ball_eigenvalues: %d zeros of a matrix of %d x %d", (int)zeros, (int)m, (int)n);
  arb_mat_t A;
  acb_ptr roots = _acb_vec_init(n + 1);
  arb_mat_init(A, n, n);
  set_matrix(A, entries);
  bool finite = true;
  for (slong i = 0; i < n * n; i++) finite &= arb_is_finite(entries + i);
  bool apart = finite && simple_roots(roots, A, zeros, bits), found = apart || (finite && n > 0 && clusters(roots, A, bits));
  slong total = apart ? n - zeros : n;
  if (found) lua_createtable(L, (int)total, 0);
  else lua_pushnil(L);
  for (slong i = 0, count, at = 0; found && i < total; i += count) {
    for (count = 1; !apart && i + count < total && acb_equal(roots + i, roots + i + count);) count++;
    push_cluster(L, roots, total, i, count, bits);
    lua_rawseti(L, -2, ++at);
  }
  arb_mat_clear(A);
  _acb_vec_clear(roots, n + 1);
  lua_pushboolean(L, apart);
  return 2;
}

// Hurwitz' determinants of p, of degree d and with leading coefficient 1: are all positive?
static bool hurwitz_positive(const arb_poly_t p, slong d, slong bits) {
  bool positive = true;
  for (slong size = 1; size <= d && positive; size++) {
    arb_mat_t H;
    arb_t det;
    arb_mat_init(H, size, size), arb_init(det);
    for (slong i = 0; i < size; i++)
      for (slong j = 0; j < size; j++) {
        slong k = 2 * (j + 1) - (i + 1);                     // a_k is the coefficient of s^(d - k)
        if (k >= 0 && k <= d) arb_poly_get_coeff_arb(arb_mat_entry(H, i, j), p, d - k);
      }
    arb_mat_det(det, H, bits);
    positive = arb_is_positive(det);
    arb_mat_clear(H), arb_clear(det);
  }
  return positive;
}

// ball_hurwitz(A, zeros, bits): of the eigenvalues but `zeros` that are exactly zero: true, where all are proved to have negative real parts; false, where
// one has a positive real part (a coefficient of the characteristic polynomial is negative); nil, where neither is proved
static int ball_hurwitz(lua_State *L) {
  slong m, n, bits = check_bits(L, 3);
  slong zeros = (slong)hml_bind__to_integer(L, 2, "zeros", 0, 100000);
  arb_srcptr entries = to_rows(L, 1, &m, &n);
  if (m != n || zeros > n) hml_bind__error(L, "ball_hurwitz: %d zeros of a matrix of %d x %d", (int)zeros, (int)m, (int)n);
  arb_mat_t A;
  arb_poly_t p;
  arb_t coefficient;
  arb_mat_init(A, n, n), arb_poly_init(p), arb_init(coefficient);
  set_matrix(A, entries);
  arb_mat_charpoly(p, A, bits);
  arb_poly_shift_right(p, p, zeros);
  bool negative = false;
  for (slong k = 0; k <= n - zeros; k++) {
    arb_poly_get_coeff_arb(coefficient, p, k);
    negative |= arb_is_negative(coefficient);
  }
  if (negative) lua_pushboolean(L, 0);
  else if (hurwitz_positive(p, n - zeros, bits)) lua_pushboolean(L, 1);
  else lua_pushnil(L);
  arb_mat_clear(A), arb_poly_clear(p), arb_clear(coefficient);
  return 1;
}

void hml_bind__ball_systems(lua_State *L) {
  static const luaL_Reg functions[] = {{"ball_zero", ball_zero}, {"ball_solve", ball_solve}, {"ball_product", ball_product}, {"ball_definite", ball_definite},
                                       {"ball_eigenvalues", ball_eigenvalues}, {"ball_hurwitz", ball_hurwitz}, {NULL, NULL}};
  luaL_setfuncs(L, functions, 0);
}

#endif
