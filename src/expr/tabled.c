// tabled.c: measured data as functions: tables of numbers with the curve that GSL lays through them, known by a number for the whole process.
//
// A table is never changed and never goes away, so that expressions, programs and threads may use it without asking; equal tables are one.
#include "expr_impl.h"

#include <float.h>
#include <gsl/gsl_errno.h>
#include <gsl/gsl_spline.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

enum { MOST_TABLES = 4096 };
#define BENT 1e-12                     // of the rates: a change that is not rounding of the points

typedef struct table {
  char name[48];
  size_t n;
  const gsl_interp_type *type;
  gsl_spline *spline;
} table;

static _Atomic(table *) tables[MOST_TABLES + 1];                        // from 1 on
static size_t count;
static pthread_mutex_t writing = PTHREAD_MUTEX_INITIALIZER;

static const table *table_of(double id) {
  return id >= 1 && id <= MOST_TABLES && id == floor(id) ? atomic_load_explicit(&tables[(size_t)id], memory_order_acquire) : NULL;
}

const char *hml_tabled__name(double id) {
  const table *t = table_of(id);
  return t ? t->name : NULL;
}

bool hml_tabled__ends(double id, double ends[2]) {
  const table *t = table_of(id);
  if (!t) return false;
  ends[0] = t->spline->x[0];
  ends[1] = t->spline->x[t->n - 1];
  return true;
}

double hml_tabled__find(const char *name, size_t length, size_t *tables_found) {
  double found = 0;
  *tables_found = 0;
  for (size_t k = 1; k <= MOST_TABLES && table_of((double)k); k++) {
    const char *known = hml_tabled__name((double)k);
    if (strlen(known) != length || memcmp(known, name, length) != 0) continue;
    found = (double)k;
    ++*tables_found;
  }
  return found;
}

// A table that had the name of a function would print like it
static bool names_a_function(const char *name) {
  for (int f = 0; f < HML_FUN_COUNT; f++)
    if (strcmp(function_rows[f].name, name) == 0) return true;
  return strcmp(name, "sqrt") == 0;
}

double hml_tabled(double id, double x, int order) {
  const table *t = table_of(id);
  if (!t || !(x >= t->spline->x[0] && x <= t->spline->x[t->n - 1])) return NAN;
  double y = NAN;
  if (order == 0) gsl_spline_eval_e(t->spline, x, NULL, &y);
  if (order == 1) gsl_spline_eval_deriv_e(t->spline, x, NULL, &y);
  if (order == 2) gsl_spline_eval_deriv2_e(t->spline, x, NULL, &y);
  if (order == 3) {                    // constant between the points
    size_t i = gsl_interp_bsearch(t->spline->x, x, 0, t->n - 1);
    double left, right, h = t->spline->x[i + 1] - t->spline->x[i];
    gsl_spline_eval_deriv2_e(t->spline, t->spline->x[i] + 0.25 * h, NULL, &left);
    gsl_spline_eval_deriv2_e(t->spline, t->spline->x[i] + 0.75 * h, NULL, &right);
    y = (right - left) / (0.5 * h);
  }
  return y;
}

// sum of |derivatives| r^k/k! at x, from the order-th one or the one behind it on
static double size_at(double id, double x, double r, int order, int first) {
  double sum = 0, weight = 1;
  for (int k = order; k <= 3; k++) {
    if (k > order) weight *= r / (k - order);
    if (k >= first) sum += weight * fabs(hml_tabled(id, x, k));
  }
  return sum;
}

// Between points i and i + 1 the curve is a cubic: derivatives in the middle of the part from a to b bound it. GSL sums it up from point i on
static void bound_part(double id, const double *x, size_t i, double a, double b, int order, double bounds[2]) {
  double middle = 0.5 * (a + b), value = hml_tabled(id, middle, order), reach = size_at(id, middle, 0.5 * (b - a), order, order + 1);
  reach += 8 * DBL_EPSILON * size_at(id, x[i], x[i + 1] - x[i], order, order);
  bounds[0] = fmin(bounds[0], value - reach);
  bounds[1] = fmax(bounds[1], value + reach);
}

bool hml_tabled__bounds(double id, double low, double high, int order, double bounds[2], bool *smooth) {
  const table *t = table_of(id);
  bounds[0] = INFINITY;
  bounds[1] = -INFINITY;
  if (!t || !(low <= high && low >= t->spline->x[0] && high <= t->spline->x[t->n - 1])) return false;
  const double *x = t->spline->x;
  size_t first = gsl_interp_bsearch(x, low, 0, t->n - 1), last = gsl_interp_bsearch(x, high, 0, t->n - 1);
  *smooth = first == last || order == 0;
  for (size_t i = first; i <= last; i++) bound_part(id, x, i, fmax(low, x[i]), fmin(high, x[i + 1]), order, bounds);
  return true;
}

bool hml_tabled__piece(double id, double x, int side, double piece[7]) {
  const table *t = table_of(id);
  if (!t || !(x >= t->spline->x[0] && x <= t->spline->x[t->n - 1])) return false;
  const double *points = t->spline->x;
  size_t i = gsl_interp_bsearch(points, x, 0, t->n - 1);
  if (side < 0 && x == points[i]) {
    if (i == 0) return false;
    i--;
  }
  if (side > 0 && x == points[i + 1]) return false;                    // the last point
  // of a curve that is cubic between the points, derivatives at two places inside give those at the left one
  double h = points[i + 1] - points[i], jerk = hml_tabled(id, points[i] + 0.5 * h, 3), curve = hml_tabled(id, points[i] + 0.5 * h, 2) - 0.5 * h * jerk;
  const double found[] = {points[i], points[i + 1], points[i], t->spline->y[i], hml_tabled(id, points[i], 1), 0.5 * curve, jerk / 6};
  memcpy(piece, found, sizeof found);
  return true;
}

bool hml_tabled__bend(double id, double x, double rates[2]) {
  const table *t = table_of(id);
  double left[7], right[7];
  if (!t || t->type != gsl_interp_linear || !hml_tabled__piece(id, x, -1, left) || !hml_tabled__piece(id, x, 1, right)) return false;
  rates[0] = left[4];
  rates[1] = right[4];
  return left[1] == right[0] && fabs(rates[1] - rates[0]) > BENT * (fabs(rates[0]) + fabs(rates[1]));
}

static const struct {
  const char *name;
  const gsl_interp_type *const *type;
} kinds[] = {{"cubic", &gsl_interp_cspline}, {"periodic", &gsl_interp_cspline_periodic}, {"akima", &gsl_interp_akima},
             {"steffen", &gsl_interp_steffen}, {"linear", &gsl_interp_linear}};

static hml_status check(hml_context *c, const char *name, size_t n, const double *x, const double *y, const gsl_interp_type *type) {
  if (n < gsl_interp_type_min_size(type)) return hml_fail(c, HML_ARGUMENT, "data '%s': %zu points; this kind of curve needs %u", name, n, gsl_interp_type_min_size(type));
  for (size_t i = 0; i < n; i++) {
    if (!isfinite(x[i]) || !isfinite(y[i])) return hml_fail(c, HML_ARGUMENT, "data '%s': point %zu is (%g, %g); all must be finite", name, i + 1, x[i], y[i]);
    if (i && !(x[i] > x[i - 1]))
      return hml_fail(c, HML_ARGUMENT, "data '%s': the argument must grow: point %zu has %.10g after %.10g", name, i + 1, x[i], x[i - 1]);
  }
  if (type == gsl_interp_cspline_periodic && y[0] != y[n - 1])
    return hml_fail(c, HML_ARGUMENT, "data '%s': a periodic curve ends at the value it begins with; it begins with %.10g and ends with %.10g", name, y[0], y[n - 1]);
  return HML_OK;
}

static double find(const char *name, size_t n, const double *x, const double *y, const gsl_interp_type *type) {
  for (size_t k = 1; k <= count; k++) {
    const table *t = atomic_load(&tables[k]);
    if (t->n == n && t->type == type && strcmp(t->name, name) == 0 && memcmp(t->spline->x, x, n * sizeof *x) == 0 &&
        memcmp(t->spline->y, y, n * sizeof *y) == 0)
      return (double)k;
  }
  return 0;
}

static hml_status add(hml_context *c, const char *name, size_t n, const double *x, const double *y, const gsl_interp_type *type, double *id) {
  if ((*id = find(name, n, x, y, type)) > 0) return HML_OK;
  if (count == MOST_TABLES) return hml_fail(c, HML_LIMIT, "data '%s': there are %d tables already", name, MOST_TABLES);
  gsl_error_handler_t *before = gsl_set_error_handler_off();
  table *t = calloc(1, sizeof *t);
  gsl_spline *spline = gsl_spline_alloc(type, n);
  bool fine = t && spline && gsl_spline_init(spline, x, y, n) == GSL_SUCCESS;
  gsl_set_error_handler(before);
  if (!fine) {
    if (spline) gsl_spline_free(spline);
    free(t);
    return hml_fail(c, HML_MEMORY, "data '%s': not enough memory for %zu points", name, n);
  }
  *t = (table){.n = n, .type = type, .spline = spline};
  strncpy(t->name, name, sizeof t->name - 1);
  atomic_store_explicit(&tables[++count], t, memory_order_release);
  *id = (double)count;
  return HML_OK;
}

hml_status hml_data_new(hml_context *c, const char *name, const char *kind, size_t n, const double *x, const double *y, double *id) {
  const gsl_interp_type *type = NULL;
  *id = 0;
  for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
    if (strcmp(kind, kinds[k].name) == 0) type = *kinds[k].type;
  if (!type) return hml_fail(c, HML_ARGUMENT, "data '%s': the curve is 'cubic', 'periodic', 'akima', 'steffen' or 'linear', not '%s'", name, kind);
  if (!*name || strlen(name) >= sizeof ((table *)0)->name) return hml_fail(c, HML_ARGUMENT, "data: a name has 1 to %zu characters", sizeof ((table *)0)->name - 1);
  if (names_a_function(name)) return hml_fail(c, HML_ARGUMENT, "data: '%s' is the name of a function; choose another name", name);
  HML_TRY(check(c, name, n, x, y, type));
  pthread_mutex_lock(&writing);
  hml_status status = add(c, name, n, x, y, type, id);
  pthread_mutex_unlock(&writing);
  return status;
}

hml_expr hml_data(hml_context *c, double id, hml_expr x) {
  if (!x) return NULL;
  hml_expr arguments[2] = {hml_integer(c, (int64_t)id), x};
  return hml_call(c, HML_FUN_tabled, 2, arguments);
}

bool hml_tabled__is(hml_function f, unsigned *order) {
  *order = (unsigned)(f - HML_FUN_tabled);
  return f >= HML_FUN_tabled && f <= HML_FUN_tabled_jerk;
}
