// enclosed_section.c: crossings of a section g(x) = level by a set, within steps: all motions of the set cross once, between two times.
//
// Over a part of a step where g excludes the level there is no crossing; over one where g' keeps its sign there is one if g changes its sign, and no
// other. Parts where neither is decided, or where x' has no value over the hull, are divided. The time is narrowed by Newton's method in balls. With
// x* = m the centre at a time T*, and d = C r0 + Q r, the states at the crossing are x* + d - x' (g(x*) + grad g d)/g', the last three over a hull of
// the set at the times of the crossing.
#include "enclose_impl.h"

#ifdef HAMEL_ARB

#include <math.h>
#include <string.h>

enum { ROUGH_BITS = 64, MOST_PARTS = 2000, MOST_NEWTON = 60, MOST_SHIFTS = 12 };

typedef struct crossing {
  hml_enclosure *e;
  const hml_crossing_spec *spec;
  arb_t g, slope, way, at;             // g - level and its rate where look() looked
  arb_t rest;                          // from e->t to the end
  arb_ptr gradient;                    // of g, by the states                      (n)
  bool leaving;                        // the start is on the section, of a box all of it
  double passed;                       // up to here, from e->t on, all crossings of the step are known
  hml_error doubt;                     // why nothing was known over the last part, or at the last time, without a value
} crossing;

// g and its derivatives over the hull x at the time e->t + way
static hml_status evaluate(crossing *c, const arb_t way, arb_srcptr x) {
  hml_enclosure *e = c->e;
  size_t k = e->shown_first + c->spec->output;
  bool steady;
  arb_add(c->at, e->t, way, e->bits);
  HML_TRY(hml_balls__expand(e->value, c->at, x, e->parameters));
  HML_TRY(hml_balls__expand(e->gradient, c->at, x, e->rough));
  arb_sub(c->g, hml_balls__output(e->value, k, 0, &steady), c->spec->level, e->bits);
  arb_zero(c->slope);
  _arb_vec_zero(c->gradient, (slong)e->n);
  for (size_t d = 0; d < e->n_seen; d++) {
    size_t j = e->seen[d];
    arb_set(c->gradient + j, hml_balls__output(e->gradient, k, d + 1, &steady));
    if (j < e->equations) arb_addmul(c->slope, c->gradient + j, hml_balls__state(e->value, j, 0) + 1, ROUGH_BITS);
  }
  return HML_OK;
}

// The same for the set at the time e->t + way
static hml_status look(crossing *c, const arb_t way) {
  HML_TRY(hml_enclosure__advance(c->e, way));
  return evaluate(c, way, c->e->next.hull);
}

// A look without a value decides nothing
static hml_status forgive(crossing *c, hml_status status, bool *known) {
  *known = status == HML_OK;
  if (status != HML_SINGULAR && status != HML_SINGULAR_MASS) return status;
  c->doubt = *hml_context_error(c->e->context);
  hml_context_clear_error(c->e->context);
  return HML_OK;
}

// The same over a whole part of a step, whose hull is far wider than the set at any time: K or a root may have no value over it although it has one all
// along the motion. Such a part is not decided
static hml_status look_over(crossing *c, const arb_t part, bool *known) { return forgive(c, look(c, part), known); }

// 0: not decided, also where g has no value, as behind a crossing that is still to be found
static hml_status sign_at(crossing *c, double at, int *sign, bool *known) {
  arb_set_d(c->way, at);
  HML_TRY(forgive(c, look(c, c->way), known));
  *sign = !*known ? 0 : arb_is_positive(c->g) ? 1 : arb_is_negative(c->g) ? -1 : 0;
  return HML_OK;
}

static void between(arb_t way, double from, double to) {
  arb_t end;
  arb_init(end);
  arb_set_d(way, from), arb_set_d(end, to);
  arb_union(way, way, end, 2 * ROUGH_BITS);
  arb_clear(end);
}

// What decides. Starts that are no binary fractions are boxes, too
static const char *advice(const crossing *c) { return c->e->boxed ? "more bits do, or a smaller box where the start is one" : "more bits do"; }

static hml_status grazes(const crossing *c, double at) {
  return hml_fail(c->e->context, HML_SINGULAR, "section: grazing at t = %.10g: neither its value nor its rate is proved to differ from zero; where both are zero, as where it "
                  "only touches, nothing decides; elsewhere %s",
                  hml_enclosure__time(c->e) + at, advice(c));
}

// The set crosses, and its rate is known, but not on which side it is at an end of the part
static hml_status straddles(const crossing *c, double at) {
  return hml_fail(c->e->context, HML_SINGULAR, "section: at t = %.10g the motion is so near the section that the side on which it is there is not decided, though its rate "
                  "differs from zero; %s",
                  hml_enclosure__time(c->e) + at, advice(c));
}

// The set crosses at the end of the run, with a known rate
static hml_status ends_within(const crossing *c) {
  return hml_fail(c->e->context, HML_SINGULAR, "section: the end t = %.10g lies within the times at which %s; a later t decides it",
                  arf_get_d(arb_midref(c->spec->end), ARF_RND_NEAR), c->e->boxed ? "the motions of the box cross it" : "it may be crossed");
}

static hml_status undecided(const crossing *c, double at, bool known) {
  if (known) return grazes(c, at);
  return hml_fail(c->e->context, HML_SINGULAR, "section: neither its value nor its rate is proved at t = %.10g: %s",
                  hml_enclosure__time(c->e) + at, c->doubt.message);
}

// T, which holds the one crossing of each motion, made narrow
static hml_status narrow(crossing *c, arb_ptr T) {
  arb_t middle, next;
  arb_init(middle), arb_init(next);
  hml_status status = HML_OK;
  for (int k = 0; k < MOST_NEWTON && status == HML_OK; k++) {
    double before = mag_get_d_log2_approx(arb_radref(T));
    arb_get_mid_arb(middle, T);
    status = look(c, T);
    if (status != HML_OK) break;
    arb_set(next, c->slope);
    status = look(c, middle);
    arb_div(next, c->g, next, c->e->bits);
    arb_sub(next, middle, next, c->e->bits + 20);
    if (!arb_is_finite(next) || !arb_intersection(T, T, next, c->e->bits + 20)) break;
    // until it stalls
    if (!(mag_get_d_log2_approx(arb_radref(T)) < before - 1)) break;
  }
  arb_clear(middle), arb_clear(next);
  return status;
}

// States and the other results where the set crosses within T
static hml_status results_at(crossing *c, const arb_t T, arb_ptr results) {
  hml_enclosure *e = c->e;
  slong n = (slong)e->n;
  set *s = &e->next;
  arb_t middle, off, part, value;
  arb_ptr hull = _arb_vec_init(n), along = _arb_vec_init(n);
  arb_init(middle), arb_init(off), arb_init(part), arb_init(value);
  arb_get_mid_arb(middle, T);
  hml_status status = hml_enclosure__advance(e, T);
  for (slong i = 0; i < n && status == HML_OK; i++) arb_set(hull + i, s->hull + i);
  if (status == HML_OK) status = hml_enclosure__advance(e, middle);
  for (slong i = 0; i < n && status == HML_OK; i++) arb_union(hull + i, hull + i, s->hull + i, e->bits + 20);
  if (status == HML_OK) status = evaluate(c, middle, s->m);
  arb_set(value, c->g);
  if (status == HML_OK) status = evaluate(c, T, hull);
  // x'/g' over the hull, then the columns of 1 - x' grad g/g'
  for (slong i = 0; i < n && status == HML_OK; i++) {
    if (i < (slong)e->equations) arb_div(along + i, hml_balls__state(e->value, (size_t)i, 0) + 1, c->slope, e->bits);
    arb_mul(part, along + i, value, e->bits);
    arb_sub(results + i, s->m + i, part, e->bits + 20);
  }
  for (slong j = 0; j < n && status == HML_OK; j++)
    for (int boxed = 0; boxed <= (e->boxed ? 1 : 0); boxed++) {
      arb_srcptr width = boxed ? e->r0 + j : s->r + j;
      arb_mat_struct *columns = boxed ? s->C : s->Q;
      arb_zero(off);
      for (slong l = 0; l < n; l++) arb_addmul(off, c->gradient + l, arb_mat_entry(columns, l, j), ROUGH_BITS);
      for (slong i = 0; i < n; i++) {
        arb_mul(part, along + i, off, ROUGH_BITS);
        arb_sub(part, arb_mat_entry(columns, i, j), part, ROUGH_BITS);
        arb_addmul(results + i, part, width, e->bits + 10);
      }
    }
  if (status == HML_OK) status = evaluate(c, T, results);
  bool steady;
  arb_ptr at = results + e->n;
  for (size_t k = e->equations - e->rates; k < e->equations && status == HML_OK; k++) arb_set(at++, hml_balls__state(e->value, k, 0) + 1);
  for (size_t k = 0; k < e->m && status == HML_OK; k++) arb_neg(at++, hml_balls__multiplier(e->value, k, 0));
  for (size_t k = 0; k < e->shown && status == HML_OK; k++) arb_set(at++, hml_balls__output(e->value, e->shown_first + k, 0, &steady));
  _arb_vec_clear(hull, n), _arb_vec_clear(along, n);
  arb_clear(middle), arb_clear(off), arb_clear(part), arb_clear(value);
  return status;
}

static hml_status passes(crossing *c, double to) {
  c->passed = to;
  return HML_OK;
}

// Parts of a step so short are lost in the rounding of times
static double shortest(const crossing *c) { return 1e-13 * (fabs(hml_enclosure__time(c->e)) + c->e->h); }

// A time between, where the sign is decided. Not in the middle, where a crossing of a symmetric motion may be; before a place from which on there is no
// value, if need be
static hml_status divide(crossing *c, double from, double to, double *middle) {
  int sign = 0;
  bool known = true;
  for (int k = 0; k < MOST_SHIFTS && sign == 0; k++) {
    *middle = from + (0.4815 + 0.037 * k) * (to - from);
    HML_TRY(sign_at(c, *middle, &sign, &known));
  }
  while (sign == 0 && !known) {
    *middle = from + 0.4815 * (*middle - from);
    if (!(*middle - from > shortest(c))) return undecided(c, from, false);
    HML_TRY(sign_at(c, *middle, &sign, &known));
  }
  return sign ? HML_OK : grazes(c, *middle);
}

// The crossings in (from, to], relative to e->t; *found counts those in the direction asked for, and T is the time of the last one
static hml_status scan(crossing *c, double from, double to, arb_ptr T, size_t *found, int *parts) {
  int before, after;
  bool known;
  between(T, from, to);
  HML_TRY(look_over(c, T, &known));
  if (known && !arb_contains_zero(c->g)) {
    c->leaving = false;
    return passes(c, to);
  }
  if (++*parts > MOST_PARTS || !(to - from > shortest(c))) return undecided(c, from, known);
  if (known && !arb_contains_zero(c->slope)) {
    int direction = arb_is_positive(c->slope) ? 1 : -1;
    if (c->leaving) {
      c->leaving = false;
      return passes(c, to);
    }
    HML_TRY(sign_at(c, from, &before, &known));
    HML_TRY(sign_at(c, to, &after, &known));
    if (before == 0 || after == 0) return straddles(c, before == 0 ? from : to);
    if (before == after || (c->spec->direction != 0 && direction != c->spec->direction)) return passes(c, to);
    HML_TRY(narrow(c, T));
    if (!arb_gt(T, c->rest)) ++*found;
    return passes(c, to);
  }
  double middle;
  HML_TRY(divide(c, from, to, &middle));
  HML_TRY(scan(c, from, middle, T, found, parts));
  return *found >= c->spec->count ? HML_OK : scan(c, middle, to, T, found, parts);
}

// Upper bound of c->rest
static double most_rest(const crossing *c) {
  arf_t bound;
  arf_init(bound);
  arb_get_ubound_arf(bound, c->rest, 2 * ROUGH_BITS);
  double most = arf_get_d(bound, ARF_RND_UP);
  arf_clear(bound);
  return most;
}

// The end of the step, where the sign of g is decided: that of the run, or a little behind it, or before. Where g has no value, as far before as it takes:
// what comes behind a crossing does not matter
static hml_status end_of_step(crossing *c, double rest, double *h) {
  int sign = 0;
  bool known, within;
  *h = fmin(rest, c->e->h);
  HML_TRY(sign_at(c, *h, &sign, &known));
  within = known && sign == 0 && *h >= rest && !arb_contains_zero(c->slope);
  *h = sign ? *h : c->e->h;
  for (int k = 0; k < MOST_SHIFTS && sign == 0; k++) {
    if (k > 0) *h = hml_enclosure__rounded(0.93 * *h, false);
    HML_TRY(sign_at(c, *h, &sign, &known));
  }
  while (sign == 0 && !known) {
    *h = hml_enclosure__rounded(0.5 * *h, false);
    if (!(*h > shortest(c))) return undecided(c, 0, false);
    HML_TRY(sign_at(c, *h, &sign, &known));
  }
  return sign ? HML_OK : within ? ends_within(c) : grazes(c, *h);
}

// Where a step was not decided to its end: the present set becomes that up to which it was
static void stand_at_passed(crossing *c) {
  hml_enclosure *e = c->e;
  if (!(c->passed > 0)) return;
  hml_error kept = *hml_context_error(e->context);
  hml_context_clear_error(e->context);
  // a time that is a double: that is what a result tells
  arb_set_d(c->way, c->passed);
  arb_add(c->at, e->t, c->way, ARF_PREC_EXACT);
  arf_set_round(arb_midref(c->at), arb_midref(c->at), 53, ARF_RND_FLOOR);
  arb_sub(c->way, c->at, e->t, ARF_PREC_EXACT);
  if (arb_is_negative(c->way)) arb_set(c->at, e->t), arb_zero(c->way);
  if (hml_enclosure__advance(e, c->way) == HML_OK && hml_enclosure__take(e, c->at) == HML_OK) e->steps++;
  hml_context_clear_error(e->context);
  hml_fail(e->context, kept.status, "%s", kept.message);
}

static hml_status follow(crossing *c, arb_ptr T, arb_ptr results, size_t *found) {
  hml_enclosure *e = c->e;
  arb_zero(T);
  HML_TRY(evaluate(c, T, e->now.hull));
  c->leaving = arb_contains_zero(c->g);
  if (c->leaving && e->boxed && !arb_is_zero(c->g)) return hml_fail(e->context, HML_SINGULAR, "section: the box of the start lies on both sides of it");
  for (;;) {
    HML_TRY(hml_check_interrupt(e->context));
    arb_sub(c->rest, c->spec->end, e->t, e->bits);
    double rest = most_rest(c), h;
    if (!(rest > 0)) return HML_OK;
    HML_TRY(hml_enclosure__prepare(e, hml_enclosure__rounded(rest, true)));
    HML_TRY(end_of_step(c, rest, &h));
    int parts = 0;
    c->passed = 0;
    hml_status status = scan(c, 0, h, T, found, &parts);
    if (status == HML_SINGULAR || status == HML_SINGULAR_MASS) stand_at_passed(c);
    HML_TRY(status);
    e->steps++;
    if (*found >= c->spec->count) {
      HML_TRY(results_at(c, T, results));
      arb_add(T, T, e->t, e->bits);
      return HML_OK;
    }
    if (h >= rest) {
      HML_TRY(hml_enclosure__advance(e, c->rest));
      return hml_enclosure__take(e, c->spec->end);
    }
    arb_set_d(c->way, h);
    HML_TRY(hml_enclosure__advance(e, c->way));
    arb_add(T, e->t, c->way, ARF_PREC_EXACT);
    HML_TRY(hml_enclosure__take(e, T));
  }
}

hml_status hml_enclosure__cross(hml_enclosure *e, const hml_crossing_spec *s, arb_t T, arb_ptr results, size_t *found) {
  crossing c = {.e = e, .spec = s, .gradient = _arb_vec_init((slong)e->n)};
  arb_init(c.g), arb_init(c.slope), arb_init(c.way), arb_init(c.at), arb_init(c.rest);
  *found = 0;
  hml_status status = follow(&c, T, results, found);
  bool placed = status == HML_OK || strstr(hml_context_error(e->context)->message, "t = ");
  if (!placed) status = hml_enclosure__located(e, status);
  arb_clear(c.g), arb_clear(c.slope), arb_clear(c.way), arb_clear(c.at), arb_clear(c.rest);
  _arb_vec_clear(c.gradient, (slong)e->n);
  return status;
}

#endif
