// derive.c: tangent and adjoint programs of a program. Both write the program again as plain arithmetic and then let
// derivatives follow its items: forward along seeds (tangent), backward from weights (adjoint). Structural zeros never
// become items. Partial derivatives of functions are the texts of functions.def, lowered once per derivation. The sweeps themselves
// work inside any assembly (graph.c).
// Method: forward and reverse accumulation (Griewank and Walther, Evaluating Derivatives, 2008).
#include "program_impl.h"

#include <stdio.h>

static uint32_t emit2(assembly *s, opcode op, uint32_t a, uint32_t b) {
  return assembly_emit(s, op, a, b, 0);
}

// ---- partial derivatives

// df/d(argument k) at item e = f(a, b) with result r
static value function_partial(sweep *d, item e, uint32_t r, unsigned k) {
  assembly *s = d->s;
  partial *p = &d->partials[e.op][k];
  if (!p->items && s->status == HML_OK) s->status = lower_partial(s, (opcode)e.op, k, p);
  if (s->status != HML_OK || p->zero) return (value){NO_VALUE, false};
  for (uint32_t i = 0; i < p->n; i++) {
    const item *q = &p->items[i];
    unsigned n = item_operands(q);
    if (q->op == OP_INPUT) p->map[i] = q->a == 0 ? e.a : q->a == 1 ? e.b : r;
    else if (q->op == OP_CONSTANT) p->map[i] = assembly_number(s, item_constant(q), q->c ? p->rests[q->c - 1] : 0);
    else p->map[i] = assembly_emit(s, (opcode)q->op, p->map[q->a], n > 1 ? p->map[q->b] : 0, 0);
  }
  return (value){p->map[p->result.id], p->result.negative};
}

// d(a^b)/da = b a^(b-1)
static value power_by_base(assembly *s, item e) {
  uint32_t less = emit2(s, OP_sub, e.b, assembly_constant(s, 1));
  return value_mul(s, (value){e.b, false}, (value){emit2(s, OP_pow, e.a, less), false});
}

// d(a^b)/db = a^b log a
static value power_by_exponent(assembly *s, item e, uint32_t r) {
  return value_mul(s, (value){r, false}, (value){assembly_emit(s, OP_log, e.a, 0, 0), false});
}

// ---- tangent

static value tangent_of(sweep *d, item e, uint32_t r) {
  assembly *s = d->s;
  value none = {NO_VALUE, false}, a = {e.a, false}, b = {e.b, false}, f = {r, false};
  unsigned n = item_operands(&e);
  value da = n > 0 ? d->rate[e.a] : none, db = n > 1 ? d->rate[e.b] : none;
  if (da.id == NO_VALUE && db.id == NO_VALUE) return none;
  switch (e.op) {
    case OP_add: return value_add(s, da, db);
    case OP_sub: return value_add(s, da, value_negated(db));
    case OP_neg: return value_negated(da);
    case OP_mul: return e.a == e.b ? value_mul(s, value_add(s, a, a), da) : value_add(s, value_mul(s, b, da), value_mul(s, a, db));
    case OP_div: return value_div(s, value_add(s, da, value_negated(value_mul(s, f, db))), b);
    case OP_sqrt: return value_div(s, da, value_add(s, f, f));
    case OP_pow: {
      value by_base = da.id == NO_VALUE ? none : value_mul(s, power_by_base(s, e), da);
      value by_exponent = db.id == NO_VALUE ? none : value_mul(s, power_by_exponent(s, e, r), db);
      return value_add(s, by_base, by_exponent);
    }
    default: {
      value by_a = da.id == NO_VALUE ? none : value_mul(s, function_partial(d, e, r, 0), da);
      value by_b = db.id == NO_VALUE ? none : value_mul(s, function_partial(d, e, r, 1), db);
      return value_add(s, by_a, by_b);
    }
  }
}

// A sweep along the items [0, n) of s; all rates are zero
hml_status sweep_start(sweep *d, assembly *s, uint32_t n) {
  d->s = s;
  d->n = n;
  d->rate = hml_arena_alloc(&s->arena, ((size_t)n + 1) * sizeof *d->rate);
  d->active = hml_arena_alloc(&s->arena, (size_t)n + 1);
  if (!d->rate || !d->active) return HML_MEMORY;
  for (uint32_t k = 0; k < n; k++) d->rate[k].id = NO_VALUE;
  return HML_OK;
}

// Rates of all items along those of the inputs
hml_status sweep_forward(sweep *d) {
  for (uint32_t k = 0; d->s->status == HML_OK && k < d->n; k++)
    if (item_operands(&d->s->items[k]) > 0) d->rate[k] = tangent_of(d, d->s->items[k], k);
  return d->s->status;
}

// ---- adjoint

// Is active what depends on the active inputs, which are marked already?
static void mark_active(sweep *d) {
  for (uint32_t k = 0; k < d->n; k++) {
    const item *e = &d->s->items[k];
    unsigned n = item_operands(e);
    if (n > 0) d->active[k] = d->active[e->a] || (n > 1 && d->active[e->b]);
  }
}

static void contribute(sweep *d, uint32_t v, value share) {
  if (d->active[v]) d->rate[v] = value_add(d->s, d->rate[v], share);
}

// Hands the adjoint w of item e on to its operands
static void hand_on(sweep *d, item e, uint32_t r, value w) {
  assembly *s = d->s;
  value a = {e.a, false}, b = {e.b, false}, f = {r, false};
  bool to_a = d->active[e.a], to_b = item_operands(&e) > 1 && d->active[e.b];
  switch (e.op) {
    case OP_add: case OP_sub:
      contribute(d, e.a, w);
      contribute(d, e.b, e.op == OP_sub ? value_negated(w) : w);
      return;
    case OP_neg: contribute(d, e.a, value_negated(w)); return;
    case OP_mul:
      if (e.a == e.b) {
        contribute(d, e.a, value_mul(s, value_add(s, a, a), w));
        return;
      }
      if (to_a) contribute(d, e.a, value_mul(s, b, w));
      if (to_b) contribute(d, e.b, value_mul(s, a, w));
      return;
    case OP_div:
      w = value_div(s, w, b);
      contribute(d, e.a, w);
      if (to_b) contribute(d, e.b, value_negated(value_mul(s, w, f)));
      return;
    case OP_sqrt: contribute(d, e.a, value_div(s, w, value_add(s, f, f))); return;
    case OP_pow:
      if (to_a) contribute(d, e.a, value_mul(s, power_by_base(s, e), w));
      if (to_b) contribute(d, e.b, value_mul(s, power_by_exponent(s, e, r), w));
      return;
    default:
      if (to_a) contribute(d, e.a, value_mul(s, function_partial(d, e, r, 0), w));
      if (to_b) contribute(d, e.b, value_mul(s, function_partial(d, e, r, 1), w));
  }
}

// Adjoints of all items from those set in `rate`, down to the active inputs
hml_status sweep_backward(sweep *d) {
  mark_active(d);
  for (uint32_t k = d->n; d->s->status == HML_OK && k-- > 0;) {
    const item e = d->s->items[k];
    if (d->active[k] && d->rate[k].id != NO_VALUE && item_operands(&e) > 0) hand_on(d, e, k, d->rate[k]);
  }
  return d->s->status;
}

// df/d(operand `which`) of item k
value sweep_partial(sweep *d, uint32_t k, unsigned which) {
  assembly *s = d->s;
  const item e = s->items[k];
  value one = value_constant(s, 1), a = {e.a, false}, b = {e.b, false}, f = {k, false};
  switch (e.op) {
    case OP_add: return one;
    case OP_sub: return which ? value_negated(one) : one;
    case OP_neg: return value_negated(one);
    case OP_mul: return which ? a : b;
    case OP_div: return which ? value_negated(value_div(s, f, b)) : value_div(s, one, b);
    case OP_sqrt: return value_div(s, one, value_add(s, f, f));
    case OP_pow: return which ? power_by_exponent(s, e, k) : power_by_base(s, e);
    default: return function_partial(d, e, k, which);
  }
}

// ---- programs

static hml_status check_active(hml_context *c, const hml_program *p, size_t n, const size_t *active, hml_arena *arena) {
  unsigned char *seen = hml_arena_alloc(arena, (size_t)p->n_in + 1);
  if (!seen) return HML_MEMORY;
  for (size_t i = 0; i < n; i++) {
    if (active[i] >= p->n_in)
      return hml_fail(c, HML_ARGUMENT, "derivative of a program: active input %zu of %u does not exist (the first is 0)",
                      active[i], p->n_in);
    if (seen[active[i]]++)
      return hml_fail(c, HML_ARGUMENT, "derivative of a program: input '%s' is active twice", hml_program__input_name(p, active[i]));
  }
  return HML_OK;
}

// The program again in an assembly, and a sweep along it
static hml_status start(sweep *d, assembly *s, const hml_program *p, size_t n_active, const size_t *active) {
  HML_TRY(check_active(s->context, p, n_active, active, &s->arena));
  HML_TRY(assembly_of_program(s, p));
  return sweep_start(d, s, s->n);
}

static hml_status tangent(assembly *s, const hml_program *p, size_t n_active, const size_t *active) {
  sweep d = {0};
  HML_TRY(start(&d, s, p, n_active, active));
  for (size_t i = 0; i < n_active; i++) HML_TRY(assembly_name(s, p->n_in + i, "d", hml_program__input_name(p, active[i])));
  for (size_t i = 0; i < n_active; i++) d.rate[assembly_input(s, active[i])] = (value){assembly_input(s, p->n_in + i), false};
  HML_TRY(sweep_forward(&d));
  for (uint32_t i = 0; i < p->n_out; i++) s->outputs[p->n_out + i] = value_plain(s, d.rate[s->outputs[i]]);
  return s->status;
}

static hml_status adjoint(assembly *s, const hml_program *p, size_t n_active, const size_t *active) {
  sweep d = {0};
  HML_TRY(start(&d, s, p, n_active, active));
  for (uint32_t i = 0; i < p->n_out; i++) {
    char number[16];
    snprintf(number, sizeof number, "%u", i + 1);
    HML_TRY(assembly_name(s, (size_t)p->n_in + i, "w", number));
  }
  for (size_t i = 0; i < n_active; i++) d.active[assembly_input(s, active[i])] = true;
  for (uint32_t i = 0; i < p->n_out; i++) {
    const uint32_t k = s->outputs[i];
    d.rate[k] = value_add(s, d.rate[k], (value){assembly_input(s, p->n_in + i), false});
  }
  HML_TRY(sweep_backward(&d));
  for (size_t i = 0; i < n_active; i++) s->outputs[p->n_out + i] = value_plain(s, d.rate[assembly_input(s, active[i])]);
  return s->status;
}

hml_status hml_program_tangent(hml_context *c, const hml_program *p, size_t n_active, const size_t *active, hml_program **out) {
  *out = NULL;
  assembly s;
  hml_status status = assembly_init(&s, c, p->n_in + n_active, 2 * (size_t)p->n_out);
  if (status == HML_OK) status = tangent(&s, p, n_active, active);
  return assembly_finish(&s, status, out);
}

hml_status hml_program__rates(hml_context *c, const hml_program *p, size_t n_active, const size_t *active, size_t count, hml_program **out) {
  *out = NULL;
  assembly s;
  hml_status status = assembly_init(&s, c, p->n_in + n_active, 2 * (size_t)p->n_out);
  if (status == HML_OK) status = tangent(&s, p, n_active, active);
  for (size_t i = 0; status == HML_OK && i < count; i++) s.outputs[i] = s.outputs[p->n_out + i];
  if (status == HML_OK) s.n_out = (uint32_t)count;
  return assembly_finish(&s, status, out);
}

hml_status hml_program_adjoint(hml_context *c, const hml_program *p, size_t n_active, const size_t *active, hml_program **out) {
  *out = NULL;
  assembly s;
  hml_status status = assembly_init(&s, c, (size_t)p->n_in + p->n_out, p->n_out + n_active);
  if (status == HML_OK) status = adjoint(&s, p, n_active, active);
  return assembly_finish(&s, status, out);
}
