// series.c: Taylor series of x', each built once for its order by the first thread that needs it, while others wait. rate.c chooses the
// equations that they are made from.
#include "mechanics_impl.h"

#define MOST_SERIES 3000000            // operations of the Taylor coefficients of one step

// What workspaces of one model share and make on demand
struct hml_series_store {
  hml_shelf shelf;
  hml_program *weighted_source;        // x' with the rows in M
  hml_program *series[2][HML_MOST_ORDER + 1];   // [from the weighted source][order]
};

hml_status hml_series_store__new(hml_context *c, hml_series_store **out) {
  hml_series_store *s = hml_alloc(c, sizeof *s);
  if (!s) return HML_MEMORY;
  const hml_status status = hml_shelf__open(c, "Taylor series", &s->shelf);
  if (status == HML_OK) *out = s;
  else hml_dealloc(c, s, sizeof *s);
  return status;
}

void hml_series_store__free(hml_context *c, hml_series_store *s) {
  if (!s) return;
  hml_program_free(s->weighted_source);
  for (size_t i = 0; i <= HML_MOST_ORDER; i++) {
    hml_program_free(s->series[0][i]);
    hml_program_free(s->series[1][i]);
  }
  hml_shelf__close(&s->shelf);
  hml_dealloc(c, s, sizeof *s);
}

// The program from which a series of that order is built; for quadruple precision the parts that depend on parameters need as many digits
static hml_status source_of(const hml_model *m, bool exact, bool weighted, const hml_program **out) {
  hml_series_store *s = m->series;
  const hml_program *lean = m->series_source != m->rate ? m->fast_source.lean : m->swift ? NULL : m->fast_rate.lean;
  *out = lean && !exact ? lean : m->series_source;
  if (!weighted) return HML_OK;
  if (!s->weighted_source && m->n_multipliers > m->n_implied) HML_TRY(hml_rate__weighted(s->shelf.context, m, &s->weighted_source));
  *out = s->weighted_source;
  return *out ? HML_OK : hml_fail(s->shelf.context, HML_UNSUPPORTED, "model '%s': a pivot of the elimination is too small for a series; take dop853 or auto",
                                  m->name);
}

// Under the lock
static hml_status make(const hml_model *m, unsigned order, bool weighted, bool watched, hml_program **out) {
  const bool exact = order >= HML_EXACT_ORDER;
  const hml_program *source;
  hml_program *series;
  HML_TRY(source_of(m, exact, weighted, &source));
  const size_t size = hml_model_state_size(m);
  const hml_series_layout l = {.n_states = m->n_kin + m->n_dyn, .n = size, .margins = watched ? hml_program_outputs(source) - size : 0, .order = order, .exact = exact};
  HML_TRY(hml_program__series(m->series->shelf.context, source, &l, MOST_SERIES, &series));
  hml_status status = hml_program__is_native(hml_rate__evaluated(m)) && !exact ? hml_program__compile(series) : HML_OK;
  if (status == HML_OK)
    *out = series;
  else
    hml_program_free(series);
  return status;
}

// fails: HML_UNSUPPORTED, HML_LIMIT, HML_ARGUMENT, HML_INTERRUPTED, HML_MEMORY
hml_status hml_workspace__series(hml_workspace *w, unsigned order, bool weighted, const hml_program **out) {
  const hml_model *m = w->model;
  if (!m->rate || m->n_externals) return hml_fail(w->context, HML_UNSUPPORTED, "model '%s': the accelerations are no formula", m->name);
  if (order == 0 || order > HML_MOST_ORDER) return hml_fail(w->context, HML_ARGUMENT, "Taylor series of order %u: 1 to %d", order, HML_MOST_ORDER);
  // parts that depend on parameters alone have no margin in the series. Without rows M may be indefinite, and its margins mean nothing
  const bool watched = m->n_multipliers > m->n_implied && !m->momenta_kept;   // nor where M holds the rows itself
  weighted |= watched && !w->regular;
  hml_program **series = &m->series->series[weighted][order];
  hml_shelf__enter(&m->series->shelf, w->context);
  const hml_status status = *series ? HML_OK : make(m, order, weighted, watched, series);
  *out = *series;
  return hml_shelf__leave(&m->series->shelf, w->context, status);
}
