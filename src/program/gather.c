// gather.c: the order in which an emitter writes instructions: sines and cosines that do not wait for each other stand together, up to eight, so that
// one call computes them.
//
// An angle takes part in the first call that may hold it, with the few operations that it needs and that have not been written yet. Nothing else moves.
#include "emit.h"

enum { MOST = HML_EMIT_GROUP, MOST_TRIES = 32 };
enum { MOST_MOVED = 8, STACK = 3 * MOST_MOVED + 3 };                   // operations that one angle brings along

typedef struct gatherer {
  const hml_program *p;
  hml_emit_order *out;
  uint32_t *level;                     // of an instruction: sines on the longest way to it, itself included
  uint32_t *next;                      // the next sine of the same level, or n_instructions
  bool *written;
  uint32_t at;
} gatherer;

bool hml_emit__is_circle(uint32_t op) {
  return op == OP_sin || op == OP_cos || op == OP_sincos;
}

static bool producer(const gatherer *g, uint32_t v, uint32_t *k) {
  const uint32_t first = g->p->n_constants + g->p->n_in;
  if (v >= first) *k = g->p->producer[v - first];
  return v >= first;
}

static hml_status find_levels(gatherer *g, hml_arena *arena) {
  const hml_program *p = g->p;
  const uint32_t n = p->n_instructions;
  g->level = hml_arena_alloc(arena, (n + 1) * sizeof *g->level);
  g->next = hml_arena_alloc(arena, (n + 1) * sizeof *g->next);
  g->written = hml_arena_alloc(arena, (n + 1) * sizeof *g->written);
  uint32_t *last = hml_arena_alloc(arena, (n + 2) * sizeof *last);      // sine of a level, + 1
  if (!g->level || !g->next || !g->written || !last) return HML_MEMORY;
  for (uint32_t k = 0; k < n; k++) {
    const instruction *i = &p->instructions[k];
    const uint32_t v[3] = {i->a, i->b, i->c};
    uint32_t from;
    for (unsigned o = 0; o < instruction_rows[i->op].operands; o++)
      if (producer(g, v[o], &from) && g->level[from] > g->level[k]) g->level[k] = g->level[from];
    g->next[k] = n;
    if (!hml_emit__is_circle(i->op)) continue;
    const uint32_t level = ++g->level[k];
    if (last[level]) g->next[last[level] - 1] = k;
    last[level] = k + 1;
  }
  return HML_OK;
}

static void write(gatherer *g, uint32_t k) {
  g->written[k] = true;
  g->out->order[g->at++] = k;
}

// The instructions behind the argument of k that have not been written: their number, or more than MOST_MOVED where k has to wait
static uint32_t missing(const gatherer *g, uint32_t k, uint32_t *list) {
  uint32_t stack[STACK], depth = 0, count = 0, from;
  if (producer(g, g->p->instructions[k].a, &from) && !g->written[from]) stack[depth++] = from;
  while (depth > 0) {
    const uint32_t i = stack[--depth];
    bool known = false;
    for (uint32_t j = 0; j < count; j++) known |= list[j] == i;
    if (known) continue;
    const instruction *x = &g->p->instructions[i];
    if (count == MOST_MOVED || hml_emit__is_circle(x->op)) return MOST_MOVED + 1;
    list[count++] = i;
    const uint32_t v[3] = {x->a, x->b, x->c};
    for (unsigned o = 0; o < instruction_rows[x->op].operands; o++)
      if (producer(g, v[o], &from) && !g->written[from]) stack[depth++] = from;
  }
  return count;
}

// In their order of derivation, so that operands come first
static void write_missing(gatherer *g, uint32_t *list, uint32_t count) {
  for (uint32_t i = 1; i < count; i++)
    for (uint32_t j = i; j > 0 && list[j] < list[j - 1]; j--) {
      const uint32_t later = list[j - 1];
      list[j - 1] = list[j];
      list[j] = later;
    }
  for (uint32_t i = 0; i < count; i++) write(g, list[i]);
}

// k and what may be computed beside it
static void write_group(gatherer *g, uint32_t k) {
  uint32_t members[MOST], count = 0, list[MOST_MOVED + 1], tries = 0;
  for (uint32_t i = k; i < g->p->n_instructions && count < MOST && tries < MOST_TRIES; i = g->next[i], tries++) {
    const uint32_t moved = g->written[i] ? MOST_MOVED + 1 : missing(g, i, list);
    if (moved > MOST_MOVED) continue;
    write_missing(g, list, moved);
    members[count++] = i;
  }
  g->out->together[g->at] = count;
  for (uint32_t i = 0; i < count; i++) write(g, members[i]);
}

hml_status hml_emit__order(const hml_program *p, hml_arena *arena, hml_emit_order *out) {
  gatherer g = {.p = p, .out = out};
  out->order = hml_arena_alloc(arena, (p->n_instructions + 1) * sizeof *out->order);
  out->together = hml_arena_alloc(arena, (p->n_instructions + 1) * sizeof *out->together);
  if (!out->order || !out->together) return HML_MEMORY;
  HML_TRY(find_levels(&g, arena));
  for (uint32_t k = 0; k < p->n_instructions; k++) {
    if (g.written[k]) continue;
    if (hml_emit__is_circle(p->instructions[k].op)) write_group(&g, k);
    else write(&g, k);
  }
  return HML_OK;
}
