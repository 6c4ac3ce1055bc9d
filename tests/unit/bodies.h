// bodies.h: models with gaps and frictions for tests, from texts; and a few bodies.
//
// A row's velocity is the rate of a gap along q' = v, a bound, a slip or a tangent; the row holds its derivatives by v, the drift its rate at
// constant v.
#ifndef TEST_BODIES_H
#define TEST_BODIES_H

#include "contact/contact_impl.h"
#include "lagrange.h"

enum { GAPS = 4, FRICTIONS = 3, ROWS = 12 };

typedef struct wall {                  // a gap, or a bound on velocities
  const char *gap;                     // "name: expression"; NULL: no more
  int level;
  hml_impact_law law;
  const char *restitution, *tangential;
  double capture;
  const char *rough[2], *held[2];
} wall;

typedef struct rub {
  const char *slip;                    // "name: first slip"; NULL: no more
  const char *more[2];                 // further slips
  const char *law, *coefficient, *second, *at_rest;   // NULL: coulomb; no second one; as in slip
  const char *radius;
  hml_pressing kind;
  size_t index;
  const char *normal;
  size_t n_cone, cone[2];
} rub;

typedef struct body {
  lagrange system;
  wall wall[GAPS];
  rub rub[FRICTIONS];
} body;

typedef struct witnessed {             // what a reset told: numbers, and the last ones
  size_t blows, switches, notes, accumulations, n_impulses;
  hml_struck blow;
  hml_switch change;
  hml_accumulated limit;
  double impulses[ROWS + MOST];        // of rows, then of the multipliers
  char note[700];
} witnessed;

typedef struct contact_test {
  mechanics m;
  hml_contact_shape *shape;
  hml_contacts *c;
  witnessed heard;
  hml_witness witness;
} contact_test;

// ---- texts to a spec
typedef struct rows {
  symbols s;
  size_t n;
  hml_expr velocity[ROWS], row[ROWS * MOST], drift[ROWS];
} rows;

static inline void add_row(hml_context *c, rows *r, hml_expr velocity) {
  const size_t n = r->s.n;
  r->velocity[r->n] = velocity;
  for (size_t i = 0; i < n; i++) r->row[r->n * n + i] = hml_derivative(c, velocity, r->s.v[i]);
  r->drift[r->n++] = drift(c, velocity, r->s.t, n, r->s.q, r->s.v);
}

static inline size_t add_texts(hml_context *c, rows *r, size_t most, const char *const *texts) {
  size_t n = 0;
  for (; n < most && texts[n]; n++) add_row(c, r, expression(&r->s.all, texts[n]));
  return n;
}

static inline hml_expr optional(const rows *r, const char *text) {
  return text ? expression(&r->s.all, text) : NULL;
}

// Everything that a hml_contact_spec points to
typedef struct contact_sheet {
  rows r;
  hml_gap_spec gap[GAPS];
  hml_friction_spec friction[FRICTIONS];
  char names[GAPS + FRICTIONS][40];
  hml_model_spec symbols;
  hml_contact_spec spec;
} contact_sheet;

static inline void fill_walls(hml_context *c, const body *b, contact_sheet *s) {
  rows *r = &s->r;
  size_t n = 0;
  for (; n < GAPS && b->wall[n].gap; n++) {
    const wall *w = b->wall + n;
    s->gap[n] = (hml_gap_spec){.name = s->names[n], .gap = named(&r->s.all, w->gap, s->names[n]), .level = w->level, .law = w->law,
                               .capture = w->capture, .restitution = optional(r, w->restitution), .tangential = optional(r, w->tangential)};
    add_row(c, r, w->level ? s->gap[n].gap : drift(c, s->gap[n].gap, r->s.t, r->s.n, r->s.q, r->s.v));
  }
  s->spec.n_gaps = n;
}

static inline void fill_rubs(hml_context *c, const body *b, contact_sheet *s) {
  rows *r = &s->r;
  size_t n = 0;
  for (; n < FRICTIONS && b->rub[n].slip; n++) {
    const rub *f = b->rub + n;
    char *name = s->names[GAPS + n];
    hml_expr slip = named(&r->s.all, f->slip, name), mu = expression(&r->s.all, f->coefficient), mu2 = optional(r, f->second);
    hml_expr rest = f->at_rest ? expression(&r->s.all, f->at_rest) : mu;
    size_t first = r->n - s->spec.n_gaps;
    add_row(c, r, slip);
    s->friction[n] = (hml_friction_spec){.name = name, .law = f->law, .first = first, .count = 1 + add_texts(c, r, 2, f->more), .kind = f->kind,
                                         .index = f->index, .normal = optional(r, f->normal), .coefficient = {mu, mu2},
                                         .static_coefficient = {rest, mu2}, .radius = optional(r, f->radius), .n_cone = f->n_cone, .cone = f->cone};
  }
  s->spec.n_frictions = n;
  s->spec.n_slips = r->n - s->spec.n_gaps;
}

static inline void fill_tangents(hml_context *c, const body *b, contact_sheet *s) {
  rows *r = &s->r;
  size_t first = r->n;
  for (size_t i = 0; i < s->spec.n_gaps; i++) {
    hml_gap_spec *g = s->gap + i;
    g->rough = r->n - first;
    g->n_rough = add_texts(c, r, 2, b->wall[i].rough);
    g->held = r->n - first;
    g->n_held = add_texts(c, r, 2, b->wall[i].held);
  }
  s->spec.n_tangents = r->n - first;
}

static inline void fill_contacts(hml_context *c, const body *b, contact_sheet *s) {
  memset(s, 0, sizeof *s);
  rows *r = &s->r;
  declare_symbols(c, &b->system, &r->s);
  fill_walls(c, b, s);
  fill_rubs(c, b, s);
  fill_tangents(c, b, s);
  s->spec.gaps = s->gap;
  s->spec.frictions = s->friction;
  s->spec.velocities = r->velocity;
  s->spec.rows = r->row;
  s->spec.drifts = r->drift;
  s->symbols = (hml_model_spec){.n_kin = r->s.n, .n_dyn = r->s.n, .n_parameters = r->s.n_p, .n_externals = r->s.n_e, .time = r->s.t,
                                .kin = r->s.q, .dyn = r->s.v, .parameters = r->s.parameters, .externals = r->s.externals};
}

// ---- what happens in a reset
static inline hml_status hear_blow(void *payload, const hml_struck *b) {
  witnessed *w = payload;
  w->blows++;
  w->blow = *b;
  memcpy(w->impulses, b->impulses, w->n_impulses * sizeof *w->impulses);
  return HML_OK;
}

static inline hml_status hear_switch(void *payload, const hml_switch *s) {
  witnessed *w = payload;
  w->switches++;
  w->change = *s;
  return HML_OK;
}

static inline hml_status hear_accumulation(void *payload, const hml_accumulated *a) {
  witnessed *w = payload;
  w->accumulations++;
  w->limit = *a;
  return HML_OK;
}

static inline hml_status hear_note(void *payload, double t, const char *text) {
  witnessed *w = payload;
  (void)t;
  w->notes++;
  snprintf(w->note, sizeof w->note, "%s", text);
  return HML_OK;
}

// ---- together
// The contacts of a body at the start of a run with an absolute tolerance of 1e-9
static inline void touch(contact_test *t, const body *b) {
  contact_sheet s;
  *t = (contact_test){.m = build(&b->system)};
  fill_contacts(t->m.c, b, &s);
  assert_ok(t->m.c, hml_contact_shape__new(t->m.c, t->m.model, &s.symbols, &s.spec, &t->shape));
  assert_ok(t->m.c, hml_contacts__new(t->m.w, t->shape, &t->c));
  t->heard.n_impulses = t->c->sizes.rows + t->c->n.multipliers;
  t->witness = (hml_witness){.payload = &t->heard, .blow = hear_blow, .switched = hear_switch, .accumulated = hear_accumulation, .note = hear_note};
  hml_contacts__begin_run(t->c, &t->witness, 1, 1e-9, false);
}

static inline void release(contact_test *t) {
  hml_contacts__free(t->c);
  hml_contact_shape__free(t->shape);
  demolish(&t->m);
}

static inline void place(contact_test *t, const double *x) {
  assert_ok(t->m.c, hml_contacts__set_state(t->c, 0, x));
  assert_ok(t->m.c, hml_contact__evaluate(t->c));
}

// A mode by hand: gap 0 closed, friction 0 as given along d
static inline void assume(contact_test *t, hml_friction_state friction, double d1, double d2) {
  t->c->closed[0] = true;
  if (t->c->sizes.frictions) {
    t->c->friction_state[0] = friction;
    t->c->direction[0] = d1;
    t->c->direction[1] = d2;
  }
  hml_contact__changed(t->c);
}

// ---- bodies used by several tests
// Point of mass 2 above the floor, wind along it
static const body ball = {.system = {.coordinates = "x y", .parameters = "m g e mu wind lift", .values = {2, 10, 0.5, 0, 0, 0},
                                     .kinetic = "m/2*(x'^2 + y'^2)", .potential = "m*g*y", .forces = {"wind", "lift"}},
                          .wall = {{.gap = "floor: y", .restitution = "e"}},
                          .rub = {{.slip = "rub: x'", .coefficient = "mu", .kind = HML_PRESSED_BY_GAP}}};

// Block of mass 2 on a slope of angle `tilt`, x downhill
static const body block = {.system = {.coordinates = "x y", .parameters = "m g tilt mu rest", .values = {2, 10, 0.5, 0.3, 0.4},
                                      .kinetic = "m/2*(x'^2 + y'^2)", .forces = {"m*g*sin(tilt)", "-m*g*cos(tilt)"}},
                           .wall = {{.gap = "slope: y", .law = HML_MOREAU}},
                           .rub = {{.slip = "rub: x'", .coefficient = "mu", .at_rest = "rest", .kind = HML_PRESSED_BY_GAP}}};

// Puck of unit mass on a table, pushed along both directions
static const body puck = {.system = {.coordinates = "x y z", .parameters = "g mu px py", .values = {10, 0.4, 0, 0},
                                     .kinetic = "(x'^2 + y'^2 + z'^2)/2", .potential = "g*z", .forces = {"px", "py"}},
                          .wall = {{.gap = "table: z"}},
                          .rub = {{.slip = "rub: x'", .more = {"y'"}, .coefficient = "mu", .kind = HML_PRESSED_BY_GAP}}};

// Rod of unit mass and half length 1, inclined by phi, its lower end on the floor: Painleve's example
static const body rod = {.system = {.coordinates = "x y phi", .parameters = "g mu e", .values = {10, 3, 0},
                                    .kinetic = "(x'^2 + y'^2)/2 + phi'^2/6", .potential = "g*y"},
                         .wall = {{.gap = "end: y - sin(phi)", .restitution = "e"}},
                         .rub = {{.slip = "rub: x' + sin(phi)*phi'", .coefficient = "mu", .kind = HML_PRESSED_BY_GAP}}};

// Three balls of unit mass in a row
static const body cradle = {.system = {.coordinates = "a b c", .parameters = "e", .values = {1}, .kinetic = "(a'^2 + b'^2 + c'^2)/2"},
                            .wall = {{.gap = "left: b - a", .restitution = "e"}, {.gap = "right: c - b", .restitution = "e"}}};

#endif
