// krawczyk.c: F(y) = 0 proved in balls: with C near the inverse of F', the image of a box Y about y,
//   K = y - C F(y) + (1 - C F'(Y)) (Y - y),
// holds every zero in Y; where K lies in the interior of Y there is one, and only one (Krawczyk 1969, Moore 1977).
#include "krawczyk.h"

#ifdef HAMEL_ARB

#include <math.h>
#include <stdio.h>

enum { ROUGH_BITS = 64 };

static void drop_radii(arb_mat_t A) {
  for (slong i = 0; i < arb_mat_nrows(A); i++)
    for (slong j = 0; j < arb_mat_ncols(A); j++) mag_zero(arb_radref(arb_mat_entry(A, i, j)));
}

// C, exact: near the inverse of J at y
static hml_status approximate_inverse(const hml_krawczyk *k, arb_mat_t J, arb_mat_t C) {
  drop_radii(J);
  bool regular = arb_mat_inv(C, J, ROUGH_BITS);
  drop_radii(C);
  return regular ? HML_OK : hml_fail(k->context, HML_SINGULAR, "singular: the derivatives of the equations are dependent");
}

hml_status hml_krawczyk__newton(const hml_krawczyk *k, arb_ptr y, unsigned iterations, mag_t step) {
  slong n = k->n;
  arb_ptr F = _arb_vec_init(n);
  arb_mat_t J, C;
  arb_t move;
  mag_t size, before, floor;
  arb_mat_init(J, n, n), arb_mat_init(C, n, n), arb_init(move), mag_init(size), mag_init(before), mag_init(floor);
  hml_status status = HML_OK;
  for (slong i = 0; i < n; i++) mag_zero(arb_radref(y + i));
  mag_inf(before), mag_zero(step);
  for (unsigned at = 0; at < iterations; at++) {
    status = k->equations(k->payload, y, F, J);
    if (status == HML_OK) status = approximate_inverse(k, J, C);
    if (status != HML_OK) break;
    mag_zero(step), mag_zero(floor);
    for (slong i = 0; i < n; i++) {
      arb_dot(move, NULL, 0, arb_mat_entry(C, i, 0), 1, F, 1, n, k->bits);
      mag_zero(arb_radref(move));
      arb_get_mag(size, move);
      mag_max(step, step, size);
      arb_get_mag(size, y + i);
      mag_max(floor, floor, size);
      arb_sub(y + i, y + i, move, k->bits);
      mag_zero(arb_radref(y + i));
    }
    mag_add_ui(floor, floor, 1);
    mag_mul_2exp_si(floor, floor, 6 - k->bits);
    // as near as the precision allows
    if (mag_cmp(step, floor) <= 0) break;
    mag_mul_2exp_si(size, step, 1);
    if (at > 6 && mag_cmp(size, before) >= 0 && mag_cmp_2exp_si(step, -ROUGH_BITS / 2) < 0) break;
    mag_set(before, step);
  }
  _arb_vec_clear(F, n);
  arb_mat_clear(J), arb_mat_clear(C), arb_clear(move), mag_clear(size), mag_clear(before), mag_clear(floor);
  return status;
}

void hml_krawczyk__open(hml_krawczyk_proof *p, slong n) {
  *p = (hml_krawczyk_proof){.n = n, .radius = _mag_vec_init(n), .image = _mag_vec_init(n), .residual = _arb_vec_init(n)};
  arb_mat_init(p->known, n, n), arb_mat_init(p->inverse, n, n), mag_init(p->contraction), mag_init(p->least);
}

void hml_krawczyk__close(hml_krawczyk_proof *p) {
  _mag_vec_clear(p->radius, p->n), _mag_vec_clear(p->image, p->n), _arb_vec_clear(p->residual, p->n);
  arb_mat_clear(p->known), arb_mat_clear(p->inverse), mag_clear(p->contraction), mag_clear(p->least);
}

double hml_largest(slong n, mag_srcptr x) {
  double most = 0;
  for (slong i = 0; i < n; i++) most = fmax(most, mag_get_d(x + i));
  return most;
}

double hml_at_least(mag_srcptr x) { return mag_is_zero(x) ? 0 : nextafter(mag_get_d(x), INFINITY); }

// |1 - C J| times the radii; the largest quotient by these
static void weigh(mag_ptr moved, mag_t most, const arb_mat_t C, const arb_mat_t J, mag_srcptr radius) {
  slong n = arb_mat_nrows(C);
  arb_mat_t G;
  mag_t size;
  arb_mat_init(G, n, n), mag_init(size);
  arb_mat_mul(G, C, J, ROUGH_BITS);
  mag_zero(most);
  for (slong i = 0; i < n; i++) {
    mag_zero(moved + i);
    for (slong j = 0; j < n; j++) {
      arb_ptr g = arb_mat_entry(G, i, j);
      if (i == j) arb_sub_ui(g, g, 1, ROUGH_BITS);
      arb_get_mag(size, g);
      mag_addmul(moved + i, size, radius + j);
    }
    mag_div(size, moved + i, radius + i);
    mag_max(most, most, size);
  }
  arb_mat_clear(G), mag_clear(size);
}

static hml_status look_at_centre(const hml_krawczyk *k, arb_srcptr y, hml_krawczyk_proof *p) {
  HML_TRY(k->equations(k->payload, y, p->residual, p->known));
  arb_mat_t J;
  arb_mat_init(J, k->n, k->n);
  arb_mat_set(J, p->known);
  hml_status status = approximate_inverse(k, J, p->inverse);
  arb_mat_clear(J);
  p->centred = status == HML_OK;
  return status;
}

hml_status hml_krawczyk__prove(const hml_krawczyk *k, arb_ptr y, hml_krawczyk_proof *p) {
  slong n = k->n;
  p->proved = false;
  for (slong i = 0; i < n; i++) mag_zero(arb_radref(y + i));
  if (!p->centred) HML_TRY(look_at_centre(k, y, p));
  arb_ptr box = _arb_vec_init(n), image = _arb_vec_init(n);
  mag_ptr moved = _mag_vec_init(n);
  arb_mat_t J;
  arb_mat_init(J, n, n);
  for (slong i = 0; i < n; i++) {
    arb_set(box + i, y + i);
    mag_set(arb_radref(box + i), p->radius + i);
  }
  weigh(moved, p->least, p->inverse, p->known, p->radius);
  hml_status status = k->equations(k->payload, box, image, J);
  if (status == HML_OK) {
    bool inside = true;
    weigh(moved, p->contraction, p->inverse, J, p->radius);
    for (slong i = 0; i < n; i++) {
      arb_dot(image + i, NULL, 1, arb_mat_entry(p->inverse, i, 0), 1, p->residual, 1, n, k->bits);
      arb_add_error_mag(image + i, moved + i);
      arb_get_mag(p->image + i, image + i);
      inside &= mag_cmp(p->image + i, p->radius + i) < 0;
    }
    p->proved = inside;
    for (slong i = 0; i < n && inside; i++) arb_add(y + i, y + i, image + i, k->bits);
  }
  _arb_vec_clear(box, n), _arb_vec_clear(image, n), _mag_vec_clear(moved, n);
  arb_mat_clear(J);
  return status;
}

// A hundred times the last step of Newton's method, at least what the precision resolves
static void first_radii(const hml_krawczyk *k, arb_srcptr y, const mag_t step, slong guard, hml_krawczyk_proof *p) {
  mag_t size, most;
  mag_init(size), mag_init(most);
  mag_mul_ui(most, step, 100);
  for (slong j = 0; j < k->n; j++) {
    arb_get_mag(size, y + j);
    mag_add_ui(size, size, 1);
    mag_mul_2exp_si(size, size, guard - k->bits);
    mag_max(most, most, size);
  }
  for (slong j = 0; j < k->n; j++) mag_set(p->radius + j, most);
  mag_clear(size), mag_clear(most);
}

// The same radius for all, eight times as large, at least twice the image: of given boxes
static void widen(hml_krawczyk_proof *p) {
  mag_t most, image;
  mag_init(most), mag_init(image);
  for (slong j = 0; j < p->n; j++) mag_max(most, most, p->radius + j), mag_max(image, image, p->image + j);
  mag_mul_2exp_si(most, most, 3);
  mag_mul_2exp_si(image, image, 1);
  mag_max(most, most, image);
  for (slong j = 0; j < p->n; j++) mag_set(p->radius + j, most);
  mag_clear(most), mag_clear(image);
}

// ---- roots of programs

typedef struct root {
  hml_context *context;
  const hml_ball_root *given;
  hml_balls *balls;
  arb_srcptr t;
  arb_ptr x;
  size_t n, *row, *column;             // equations and unknowns taken
} root;

static hml_status root_equations(void *payload, arb_srcptr y, arb_ptr F, arb_mat_struct *J) {
  root *r = payload;
  const hml_ball_root *g = r->given;
  bool steady;
  HML_TRY(hml_check_interrupt(r->context));
  for (size_t j = 0; j < r->n; j++) arb_set(r->x + g->unknown[r->column[j]], y + j);
  HML_TRY(hml_balls__expand(r->balls, r->t, r->x, r->x));
  for (size_t i = 0; i < r->n; i++) {
    arb_set(F + i, hml_balls__output(r->balls, r->row[i], 0, &steady));
    for (size_t j = 0; j < r->n; j++)
      arb_set(arb_mat_entry(J, i, j), hml_balls__output(r->balls, g->rows + r->row[i] * g->unknowns + r->column[j], 0, &steady));
  }
  return HML_OK;
}

// Rows and columns of a regular part of J, as large as there is, by complete pivoting in doubles
static void choose_part(root *r) {
  const hml_ball_root *g = r->given;
  size_t m = g->rows, n = g->unknowns;
  double *J = flint_malloc((m * n + 1) * sizeof *J);
  bool *used = flint_calloc(m + n + 1, sizeof *used), steady;
  for (size_t i = 0; i < m * n; i++) J[i] = arf_get_d(arb_midref(hml_balls__output(r->balls, m + i, 0, &steady)), ARF_RND_NEAR);
  double first = 0;
  for (r->n = 0; r->n < m && r->n < n; r->n++) {
    double most = 0;
    size_t row = 0, column = 0;
    for (size_t i = 0; i < m; i++)
      for (size_t j = 0; j < n; j++)
        if (!used[i] && !used[m + j] && fabs(J[i * n + j]) > most) most = fabs(J[i * n + j]), row = i, column = j;
    if (r->n == 0) first = most;
    if (!(most > 1e-9 * first)) break;
    used[row] = used[m + column] = true;
    r->row[r->n] = row, r->column[r->n] = column;
    for (size_t i = 0; i < m; i++)
      for (size_t j = 0; j < n && !used[i]; j++)
        if (!used[m + j]) J[i * n + j] -= J[i * n + column] / J[row * n + column] * J[row * n + j];
  }
  flint_free(J);
  flint_free(used);
}

static hml_status prove_root(hml_context *c, root *r) {
  slong n = (slong)r->n, bits = r->given->bits;
  hml_krawczyk k = {.context = c, .n = n, .bits = bits, .equations = root_equations, .payload = r};
  hml_krawczyk_proof proof;
  arb_ptr y = _arb_vec_init(n);
  mag_t step;
  hml_krawczyk__open(&proof, n), mag_init(step);
  for (slong j = 0; j < n; j++) arb_set(y + j, r->x + r->given->unknown[r->column[j]]);
  hml_status status = hml_krawczyk__newton(&k, y, 20 + (unsigned)(bits / 30), step);
  first_radii(&k, y, step, 4, &proof);
  for (int try = 0; try < 8 && status == HML_OK && !proof.proved; try++) {
    if (try > 0) widen(&proof);
    status = hml_krawczyk__prove(&k, y, &proof);
  }
  if (status == HML_OK && !proof.proved) status = hml_fail(c, HML_SINGULAR, "the start is not determined by the constraints to the precision of %ld bits", bits);
  for (slong j = 0; j < n && status == HML_OK; j++) arb_set(r->x + r->given->unknown[r->column[j]], y + j);
  _arb_vec_clear(y, n);
  hml_krawczyk__close(&proof), mag_clear(step);
  return status;
}

hml_status hml_balls__root(hml_context *c, const hml_ball_root *g, const arb_t t, arb_ptr x, size_t *violated, arb_t residual) {
  root r = {.context = c, .given = g, .t = t, .x = x};
  hml_balls_layout l = {.bits = g->bits};
  *violated = g->rows;
  HML_TRY(hml_balls__new(c, g->program, &l, &r.balls));
  r.row = flint_calloc(2 * (g->rows + g->unknowns) + 1, sizeof *r.row), r.column = r.row + g->rows + g->unknowns;
  hml_status status = hml_balls__expand(r.balls, t, x, x);
  if (status == HML_OK) choose_part(&r);
  if (status == HML_OK && r.n > 0) status = prove_root(c, &r);
  if (status == HML_OK) status = hml_balls__expand(r.balls, t, x, x);
  for (size_t i = 0; i < g->rows && status == HML_OK && *violated == g->rows; i++) {
    bool steady;
    arb_set(residual, hml_balls__output(r.balls, i, 0, &steady));
    if (!arb_contains_zero(residual)) *violated = i;
  }
  flint_free(r.row);
  hml_balls__free(r.balls);
  return status;
}

static void take_largest(arb_t most, mag_srcptr x, slong n) {
  arb_zero(most);
  for (slong i = 0; i < n; i++) mag_max(arb_radref(most), arb_radref(most), x + i);
  arf_set_mag(arb_midref(most), arb_radref(most));
  mag_zero(arb_radref(most));
}

// Tries boxes that grow, from a hundred times the last step of Newton's method on
static hml_status try_boxes(const hml_krawczyk *k, const hml_ball_zero *z, arb_ptr y, hml_ball_zero_proof *out) {
  enum { TRIES = 8 };
  hml_krawczyk_proof proof;
  mag_t step;
  arb_ptr centre = _arb_vec_init(k->n);
  hml_krawczyk__open(&proof, k->n), mag_init(step);
  // an inverse of 64 bits gives as many bits a step
  hml_status status = hml_krawczyk__newton(k, y, z->iterations ? z->iterations + (unsigned)(k->bits / 30) : 0, step);
  for (slong j = 0; j < k->n; j++) arb_set(centre + j, y + j);
  first_radii(k, y, step, 8, &proof);
  for (slong j = 0; j < k->n && z->radius; j++) arb_get_mag(proof.radius + j, z->radius);
  out->step = mag_get_d(step);
  for (int try = 0; try < (z->radius ? 1 : TRIES) && status == HML_OK && !proof.proved; try++) {
    if (try > 0) widen(&proof);
    for (slong j = 0; j < k->n; j++) arb_set(y + j, centre + j);
    status = hml_krawczyk__prove(k, y, &proof);
    take_largest(out->radius, proof.radius, k->n), take_largest(out->image, proof.image, k->n);
    out->contraction = hml_at_least(proof.contraction), out->least = hml_at_least(proof.least);
    // a larger box of the same proportions holds this one, and its contraction is no smaller
    if (!(out->contraction < 1)) break;
  }
  out->proved = status == HML_OK && proof.proved;
  hml_krawczyk__close(&proof), mag_clear(step);
  _arb_vec_clear(centre, k->n);
  return status;
}

hml_status hml_balls__zero(hml_context *c, const hml_ball_zero *z, const arb_t t, arb_ptr x, hml_ball_zero_proof *out) {
  const hml_ball_root *g = &z->root;
  root r = {.context = c, .given = g, .t = t, .x = x, .n = g->rows};
  hml_balls_layout l = {.bits = g->bits};
  out->proved = false, out->contraction = out->least = out->step = 0, out->reason[0] = '\0';
  HML_TRY(hml_balls__new(c, g->program, &l, &r.balls));
  r.row = flint_calloc(2 * g->rows + 1, sizeof *r.row), r.column = r.row + g->rows;
  arb_ptr y = _arb_vec_init((slong)r.n);
  for (size_t j = 0; j < r.n; j++) r.row[j] = r.column[j] = j, arb_set(y + j, x + g->unknown[j]);
  hml_krawczyk k = {.context = c, .n = (slong)r.n, .bits = g->bits, .equations = root_equations, .payload = &r};
  hml_status status = try_boxes(&k, z, y, out);
  for (size_t j = 0; j < r.n; j++) arb_set(x + g->unknown[j], y + j);
  _arb_vec_clear(y, (slong)r.n);
  flint_free(r.row);
  hml_balls__free(r.balls);
  // a place where the equations have no values is no zero that is proved
  if (status != HML_SINGULAR && status != HML_NOT_FINITE) return status;
  snprintf(out->reason, sizeof out->reason, "%.390s", hml_context_error(c)->message);
  hml_context_clear_error(c);
  return HML_OK;
}

#endif
