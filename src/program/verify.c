// verify.c: invariants of assemblies and programs. Called after each pass in debug builds, and for every program that does
// not come from this room's own passes.
#include "program_impl.h"

#include <string.h>

static bool item_is_sound(const assembly *s, uint32_t k) {
  const item *e = &s->items[k];
  if (e->op == OP_CONSTANT) return true;
  if (e->op == OP_INPUT) return e->a < s->n_in;
  if (e->op == OP_SECOND) return e->a < k && s->items[e->a].op == OP_sincos && (s->items[e->a].b == k || s->items[e->a].c == k);
  if (e->op >= OP_COUNT) return false;
  if (e->op == OP_sincos) {
    if (e->b >= s->n || e->c >= s->n || e->b == e->c || (e->b != k && e->c != k)) return false;
    const item *other = &s->items[e->b == k ? e->c : e->b];
    if (other->op != OP_SECOND || other->a != k) return false;
  }
  unsigned n = item_operands(e);
  return e->a < k && (n < 2 || e->b < k) && (n < 3 || e->c < k);
}

hml_status verify_assembly(assembly *s, const char *after) {
  for (uint32_t k = 0; k < s->n; k++)
    if (!item_is_sound(s, k)) return hml_fail(s->context, HML_INTERNAL, "program: item %u is not sound after %s", k, after);
  for (uint32_t i = 0; i < s->n_out; i++)
    if (s->outputs[i] >= s->n) return hml_fail(s->context, HML_INTERNAL, "program: output %u has no value after %s", i + 1, after);
  return HML_OK;
}

// Operands defined before use, results numbered in order
static bool instructions_are_sound(const hml_program *p) {
  uint32_t next = p->n_constants + p->n_in, first = next;
  for (uint32_t k = 0; k < p->n_instructions; k++) {
    const instruction *i = &p->instructions[k];
    if (i->op >= OP_COUNT) return false;
    unsigned n = instruction_rows[i->op].operands;
    if (i->a >= next || (n > 1 && i->b >= next) || (n > 2 && i->c >= next)) return false;
    if (i->result != next || p->producer[next++ - first] != k) return false;
    if ((i->second != NO_VALUE) != (instruction_rows[i->op].results == 2)) return false;
    if (i->second != NO_VALUE && (i->second != next || p->producer[next++ - first] != k)) return false;
  }
  if (next != p->n_values) return false;
  for (uint32_t i = 0; i < p->n_out; i++)
    if (p->outputs[i] >= p->n_values) return false;
  return true;
}

static bool writes(const hml_program *p, uint32_t slot, uint32_t v, uint32_t *held) {
  if (slot < p->n_constants + p->n_in || slot >= p->work_size) return false;
  held[slot] = v;
  return true;
}

// A run of pairs reads all its arguments before it writes results
static bool pairs_are_apart(const uint32_t *s, uint32_t n) {
  for (uint32_t later = 1; later < n; later++)
    for (uint32_t k = 0; k < later; k++)
      if (s[3 * later + 2] == s[3 * k] || s[3 * later + 2] == s[3 * k + 1]) return false;
  return true;
}

// One step of the stream reads the operands of its instruction; held[slot] is the value in a slot
static bool step_is_sound(const hml_program *p, const uint32_t *s, const instruction *i, uint32_t *held) {
  const instruction_row *row = &instruction_rows[i->op];
  uint32_t wanted[3] = {i->a, i->b, i->c};
  for (unsigned k = 0; k < row->operands; k++)
    if (s[row->results + k] >= p->work_size || held[s[row->results + k]] != wanted[k]) return false;
  return writes(p, s[0], i->result, held) && (row->results == 1 || (s[0] != s[1] && writes(p, s[1], i->second, held)));
}

// Replays the stream with the numbers of values in place of the values
static bool stream_is_sound(const hml_program *p, uint32_t *held, unsigned char *done) {
  const uint32_t *s = p->stream, *end = s + p->stream_length;
  uint32_t step = 0;
  for (uint32_t slot = 0; slot < p->work_size; slot++) held[slot] = slot < p->n_constants + p->n_in ? slot : NO_VALUE;
  while (end - s >= 2 && s[0] != OP_HALT) {
    uint32_t op = s[0], n = s[1];
    if (op >= OP_COUNT) return false;
    size_t size = instruction_rows[op].operands + instruction_rows[op].results;
    if (op == OP_sincos && n <= (size_t)(end - s) / size && !pairs_are_apart(s + 2, n)) return false;
    for (s += 2; n > 0; n--, s += size, step++) {
      if ((size_t)(end - s) < size + 2 || step >= p->n_instructions) return false;
      uint32_t i = p->order[step];
      if (i >= p->n_instructions || done[i]++ || p->instructions[i].op != op) return false;
      if (!step_is_sound(p, s, &p->instructions[i], held)) return false;
    }
  }
  if (end - s != 2 || s[0] != OP_HALT || step != p->n_instructions) return false;
  for (uint32_t i = 0; i < p->n_out; i++)
    if (p->output_slots[i] >= p->work_size || held[p->output_slots[i]] != p->outputs[i]) return false;
  return true;
}

hml_status verify_program(hml_context *c, const hml_program *p) {
  if (p->work_size < p->n_constants + p->n_in || !instructions_are_sound(p))
    return hml_fail(c, HML_INTERNAL, "program: instructions are not sound");
  hml_arena arena;
  hml_arena_init(&arena, c);
  uint32_t *held = hml_arena_alloc(&arena, (p->work_size + 1) * sizeof *held);
  unsigned char *done = hml_arena_alloc(&arena, p->n_instructions + 1);
  hml_status status = held && done ? HML_OK : HML_MEMORY;
  if (status == HML_OK && !stream_is_sound(p, held, done))
    status = hml_fail(c, HML_INTERNAL, "program: the stream does not follow the instructions");
  hml_arena_free(&arena);
  return status;
}
