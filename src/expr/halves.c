// halves.c: half angles as a candidate for the short form: (1 - cos a)/sin a = tan(a/2) etc., tried where 1 + cos a or 1 - cos a occurs.
#include "normal.h"

enum { MAX_HALVED = 3, MAX_NESTING = 4 };

typedef struct halved {
  hml_context *c;
  hml_expr sine, cosine;               // of the half angle
  hml_expr tangent, whole;             // tan(a/2), sin(a)
} halved;

// k + k cos a or k - k cos a; the angle, or NULL
static hml_expr angle_beside_one(hml_expr e) {
  if (e->kind != HML_SUM || e->count != 2) return NULL;
  hml_expr one = node_operands(e)[0], other = node_operands(e)[1];
  if (!is_number(one)) return NULL;
  double k = 1;
  if (other->kind == HML_PRODUCT && other->count == 2 && is_number(node_operands(other)[0])) {
    k = hml_number_value(node_operands(other)[0]);
    other = node_operands(other)[1];
  }
  double value = hml_number_value(one);
  bool matches = other->kind == HML_CALL && other->function == HML_FUN_cos && (k == value || k == -value);
  return matches ? node_operands(other)[0] : NULL;
}

static size_t angles_to_halve(hml_context *c, hml_expr e, hml_expr *out) {
  hml_arena arena;
  hml_arena_init(&arena, c);
  hml_expr *nodes;
  size_t count, n = 0;
  bool fine = hml_expr__postorder(&arena, 1, &e, &nodes, &count) == HML_OK;
  for (size_t k = 0; fine && k < count && n < MAX_HALVED; k++) {
    hml_expr angle = angle_beside_one(nodes[k]);
    bool known = !angle;
    for (size_t i = 0; i < n && !known; i++) known = out[i] == angle;
    if (!known) out[n++] = angle;
  }
  hml_arena_free(&arena);
  return n;
}

static bool integer_power(hml_expr e, hml_expr *base, int64_t *k) {
  *base = e->kind == HML_POWER ? node_operands(e)[0] : e;
  *k = 1;
  return e->kind != HML_POWER || hml_integer_value(node_operands(e)[1], k);
}

static int64_t nearer_zero(int64_t a, int64_t b) { return (a > 0) == (a < b) ? a : b; }

static hml_expr raised(hml_context *c, hml_expr base, int64_t k) { return hml_pow(c, base, hml_integer(c, k)); }

static hml_expr gather(const halved *h, hml_expr e, int depth);

// sin^p cos^q of the half angle as powers of its tangent and of the sine of the whole
static hml_expr gather_product(const halved *h, hml_expr e, int depth) {
  hml_context *c = h->c;
  hml_expr rest = hml_integer(c, 1), base;
  int64_t p = 0, q = 0, k;
  for (uint32_t i = 0; rest && i < e->count; i++) {
    bool whole = integer_power(node_operands(e)[i], &base, &k);
    if (whole && base == h->sine) p += k;
    else if (whole && base == h->cosine) q += k;
    else rest = hml_mul(c, rest, gather(h, node_operands(e)[i], depth));
  }
  if (p && q) {
    bool ratio = (p > 0) != (q > 0);
    int64_t m = nearer_zero(p, ratio ? -q : q);
    rest = hml_mul(c, rest, raised(c, ratio ? h->tangent : hml_mul(c, hml_rational(c, 1, 2), h->whole), m));
    p -= m;
    q -= ratio ? -m : m;
  }
  return hml_mul(c, rest, hml_mul(c, raised(c, h->sine, p), raised(c, h->cosine, q)));
}

static hml_expr gather(const halved *h, hml_expr e, int depth) {
  hml_expr base;
  int64_t k;
  if (depth == 0) return e;
  if (e->kind == HML_PRODUCT) return gather_product(h, e, depth - 1);
  if (e->kind == HML_POWER && integer_power(e, &base, &k)) return raised(h->c, gather(h, base, depth - 1), k);
  if (e->kind != HML_SUM) return e;
  hml_expr sum = hml_integer(h->c, 0);
  for (uint32_t i = 0; sum && i < e->count; i++) sum = hml_add(h->c, sum, gather(h, node_operands(e)[i], depth - 1));
  return sum;
}

hml_expr hml_expr__halve(hml_context *c, hml_expr e, hml_expr (*shorten)(void *data, hml_expr e), void *data) {
  hml_expr angles[MAX_HALVED], best = e;
  size_t n = angles_to_halve(c, e, angles);
  for (size_t i = 0; i < n; i++) {
    hml_expr half = hml_mul(c, hml_rational(c, 1, 2), angles[i]);
    if (half && half->kind == HML_PRODUCT) half = hml_sum(c, 2, (hml_expr[]){half, hml_integer(c, 0)});
    halved h = {c, hml_call(c, HML_FUN_sin, 1, &half), hml_call(c, HML_FUN_cos, 1, &half), hml_call(c, HML_FUN_tan, 1, &half),
                hml_call(c, HML_FUN_sin, 1, &angles[i])};
    hml_expr from[2] = {h.whole, hml_call(c, HML_FUN_cos, 1, &angles[i])};
    hml_expr to[2] = {hml_mul(c, hml_integer(c, 2), hml_mul(c, h.sine, h.cosine)),
                      hml_sub(c, hml_integer(c, 1), hml_mul(c, hml_integer(c, 2), hml_mul(c, h.sine, h.sine)))};
    if (!from[0] || !from[1] || !h.tangent || !to[0] || !to[1]) return NULL;
    hml_expr opened = hml_substitute(c, e, 2, from, to), found = opened ? shorten(data, opened) : NULL;
    hml_expr closed = found ? gather(&h, found, MAX_NESTING) : NULL;
    if (closed && closed->size < best->size) best = closed;
  }
  return best;
}
