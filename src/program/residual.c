// residual.c: do accelerations and multipliers satisfy the equations of motion of an energy? The equations are taken in the form in which they stand in books,
// d/dt dL/dv = dL/dq + Q + A^T lambda with A = df/dv, df/dt = 0, by sweeps along the program of L, Q and f at the accelerations given. Nothing of graph.c
// enters, so that this is a check of what comes from there; it takes a few operations per operation of L.
#include "graph.h"

#include <math.h>

typedef struct balance {
  assembly *s;
  const hml_graph_layout *l;
  const uint32_t *out;
  value *momentum, *slope, *reaction;  // d/dt dL/dv, dL/dq, A^T lambda                       (n)
  value *drift;                        // df/dt                                               (m)
} balance;

static value item_at(uint32_t id) {
  return (value){id, false};
}

static value along(const sweep *d, value x) {
  if (x.id == NO_VALUE) return x;
  value rate = d->rate[x.id];
  return x.negative ? value_negated(rate) : rate;
}

static hml_status write(balance *y, size_t inputs) {
  assembly *s = y->s;
  const hml_graph_layout *l = y->l;
  const size_t n = l->n, m = l->m;
  sweep down = {0}, rows = {0}, forward = {0};
  y->momentum = hml_arena_alloc(&s->arena, (n + 1) * sizeof *y->momentum);
  y->slope = hml_arena_alloc(&s->arena, (n + 1) * sizeof *y->slope);
  y->reaction = hml_arena_alloc(&s->arena, (n + 1) * sizeof *y->reaction);
  y->drift = hml_arena_alloc(&s->arena, (m + 1) * sizeof *y->drift);
  if (!y->momentum || !y->slope || !y->reaction || !y->drift) return HML_MEMORY;
  for (size_t i = 0; i < inputs + n + m; i++) assembly_input(s, i);
  const uint32_t base = s->n;
  HML_TRY(sweep_start(&down, s, base));
  HML_TRY(sweep_start(&rows, s, base));
  for (size_t i = 0; i < n; i++) {
    const uint32_t q = assembly_input(s, 1 + i), v = assembly_input(s, 1 + n + i);
    down.active[q] = down.active[v] = rows.active[v] = true;
  }
  down.rate[y->out[l->lagrangian]] = value_constant(s, 1);
  for (size_t k = 0; k < m; k++) {
    value *weight = &rows.rate[y->out[l->rows + k]];
    *weight = value_add(s, *weight, item_at(assembly_input(s, inputs + n + k)));
  }
  HML_TRY(sweep_backward(&down));
  HML_TRY(sweep_backward(&rows));
  HML_TRY(sweep_start(&forward, s, s->n));
  forward.rate[assembly_input(s, 0)] = value_constant(s, 1);
  for (size_t i = 0; i < n; i++) {
    forward.rate[assembly_input(s, 1 + i)] = item_at(assembly_input(s, 1 + n + i));
    forward.rate[assembly_input(s, 1 + n + i)] = item_at(assembly_input(s, inputs + i));
  }
  HML_TRY(sweep_forward(&forward));
  for (size_t i = 0; i < n; i++) {
    const uint32_t v = assembly_input(s, 1 + n + i);
    y->slope[i] = down.rate[assembly_input(s, 1 + i)];
    y->momentum[i] = along(&forward, down.rate[v]);
    y->reaction[i] = rows.rate[v];
  }
  for (size_t k = 0; k < m; k++) y->drift[k] = along(&forward, item_at(y->out[l->rows + k]));
  return s->status;
}

static double number(const double *at, value x) {
  return x.id == NO_VALUE ? 0 : x.negative ? -at[x.id] : at[x.id];
}

// The largest term counts: that of a row by itself may be nothing but rounding
static double defect(const balance *y, const double *at, const double *a) {
  const hml_graph_layout *l = y->l;
  double off = 0, size = 0, drift = 0, rate = 0;
  bool finite = true;
  for (size_t i = 0; i < l->n; i++) {
    const double terms[] = {number(at, y->momentum[i]), -number(at, y->slope[i]), -at[y->out[l->forces + i]], -number(at, y->reaction[i])};
    double sum = 0;
    for (int k = 0; k < 4; k++) sum += terms[k], size = fmax(size, fabs(terms[k]));
    off = fmax(off, fabs(sum));
    rate = fmax(rate, fabs(a[i]));
    finite &= isfinite(sum);
  }
  for (size_t k = 0; k < l->m; k++) {
    double sum = number(at, y->drift[k]);
    finite &= isfinite(sum);
    drift = fmax(drift, fabs(sum));
  }
  if (!finite) return NAN;
  return fmax(size > 0 ? off / size : 0, rate > 0 ? drift / rate : 0);
}

static hml_status evaluate(balance *y, size_t count, size_t width, const double *in, double *off, size_t inputs) {
  const assembly *s = y->s;
  double *at = hml_alloc(s->context, ((size_t)s->n + 1) * sizeof *at);
  if (!at) return HML_MEMORY;
  for (size_t point = 0; point < count; point++, in += width) {
    for (uint32_t k = 0; k < s->n; k++) {
      const item *e = &s->items[k];
      const unsigned operands = item_operands(e);
      if (e->op == OP_CONSTANT) at[k] = item_constant(e);
      else if (e->op == OP_INPUT) at[k] = in[e->a];
      else at[k] = instruction_value((opcode)e->op, at[e->a], operands > 1 ? at[e->b] : 0, 0);
    }
    off[point] = defect(y, at, in + inputs);
  }
  hml_dealloc(s->context, at, ((size_t)s->n + 1) * sizeof *at);
  return HML_OK;
}

hml_status hml_program__residual(hml_context *c, const hml_program *p, const hml_graph_layout *l, size_t count, const double *in, double *off) {
  assembly s;
  const size_t width = p->n_in + l->n + l->m;
  hml_status status = assembly_init(&s, c, width, p->n_out);
  balance y = {.s = &s, .l = l, .out = s.outputs};
  if (status == HML_OK) status = assembly_of_program(&s, p);
  if (status == HML_OK) status = write(&y, p->n_in);
  if (status == HML_OK) status = evaluate(&y, count, width, in, off, p->n_in);
  assembly_free(&s);
  return status;
}
