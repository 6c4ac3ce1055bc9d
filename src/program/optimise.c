// optimise.c: passes over an assembly: multiply-add, sine with cosine, removal of unused items. Sharing and folding happen before,
// as items are made (assemble.c); order and slots come after (schedule.c).
#include "program_impl.h"

// Number of uses of each value by items that the outputs need; 0: not needed
static void count_uses(const assembly *s, uint32_t *uses) {
  for (uint32_t i = 0; i < s->n_out; i++) uses[s->outputs[i]]++;
  for (uint32_t k = s->n; k-- > 0;) {
    const item *e = &s->items[k];
    unsigned n = uses[k] ? item_operands(e) : 0;
    if (n > 0) uses[e->a]++;
    if (n > 1) uses[e->b]++;
    if (n > 2) uses[e->c]++;
  }
}

// Takes the product v, needed only here, into item e as the multiply-add `op`; `rest` is the other operand
static bool fuse(const assembly *s, item *e, uint32_t *uses, opcode op, uint32_t v, uint32_t rest) {
  const item *product = &s->items[v];
  if (product->op != OP_mul || uses[v] != 1) return false;
  uses[v] = 0;
  *e = (item){op, product->a, product->b, rest};
  return true;
}

// c + a*b, c - a*b, a*b - c where the product has no other use
static void fuse_multiply_add(const assembly *s, uint32_t *uses) {
  for (uint32_t k = 0; k < s->n; k++) {
    item *e = &s->items[k], was = *e;
    if (!uses[k] || was.a == was.b) continue;
    opcode plus = s->contracts ? OP_fma : OP_madd, minus = s->contracts ? OP_fnma : OP_nmadd, less = s->contracts ? OP_fms : OP_msub;
    if (was.op == OP_add && !fuse(s, e, uses, plus, was.b, was.a)) fuse(s, e, uses, plus, was.a, was.b);
    if (was.op == OP_sub && !fuse(s, e, uses, minus, was.b, was.a)) fuse(s, e, uses, less, was.a, was.b);
  }
}

// Sine and cosine of one argument: the earlier of them becomes the pair, the later one its other result
static hml_status pair_sincos(assembly *s, const uint32_t *uses) {
  uint32_t *partner = hml_arena_alloc(&s->arena, (s->n + 1) * sizeof *partner);   // of an argument: item + 1
  if (!partner) return HML_MEMORY;
  for (uint32_t k = 0; k < s->n; k++) {
    item *e = &s->items[k];
    if (!uses[k] || (e->op != OP_sin && e->op != OP_cos)) continue;
    if (!partner[e->a]) {
      partner[e->a] = k + 1;
      continue;
    }
    uint32_t first = partner[e->a] - 1;
    bool sine_first = e->op == OP_cos;
    s->items[first] = (item){OP_sincos, e->a, sine_first ? first : k, sine_first ? k : first};
    *e = (item){OP_SECOND, first, 0, 0};
  }
  return HML_OK;
}

static hml_status drop_dead(assembly *s, const uint32_t *uses) {
  uint32_t *moved = hml_arena_alloc(&s->arena, (s->n + 1) * sizeof *moved), kept = 0;
  if (!moved) return HML_MEMORY;
  for (uint32_t k = 0; k < s->n; k++) {
    if (!uses[k]) continue;
    item e = s->items[k];
    unsigned n = e.op == OP_SECOND ? 1 : item_operands(&e);
    if (n > 0) e.a = moved[e.a];
    if (n > 1) e.b = moved[e.b];
    if (n > 2) e.c = moved[e.c];
    moved[k] = kept;
    s->items[kept++] = e;
  }
  s->n = kept;
  for (uint32_t k = 0; k < kept; k++)
    if (s->items[k].op == OP_sincos) {
      s->items[k].b = moved[s->items[k].b];
      s->items[k].c = moved[s->items[k].c];
    }
  for (uint32_t i = 0; i < s->n_out; i++) s->outputs[i] = moved[s->outputs[i]];
  s->index = NULL;                     // the numbers of the items have changed
  s->index_capacity = 0;
  return HML_OK;
}

static hml_status verified(assembly *s, const char *after) {
#ifndef NDEBUG
  return verify_assembly(s, after);
#else
  (void)s;
  (void)after;
  return HML_OK;
#endif
}

hml_status optimise(assembly *s) {
  HML_TRY(verified(s, "lowering"));
  uint32_t *uses = hml_arena_alloc(&s->arena, (s->n + 1) * sizeof *uses);
  if (!uses) return HML_MEMORY;
  count_uses(s, uses);
  fuse_multiply_add(s, uses);
  HML_TRY(verified(s, "multiply-add"));
  HML_TRY(pair_sincos(s, uses));
  HML_TRY(verified(s, "sine with cosine"));
  HML_TRY(drop_dead(s, uses));
  return verified(s, "dropping what is dead");
}
