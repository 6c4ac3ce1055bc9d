// assemble.c: programs in the making: items with equal ones shared and constants folded, and arithmetic on signed values.
#include "program_impl.h"

#include <math.h>
#include <string.h>

#define LEAST_REST 0x1p-104            // of a number: less is the rounding of sums and products of numbers with rests
#define TEXT_1(name) #name "(a)"
#define TEXT_2(name) #name "(a, b)"

const instruction_row instruction_rows[OP_COUNT] = {
#define INS(name, operands, value) [OP_##name] = {#name, operands, 1, #value},
#define PAIR(name, value, second) [OP_##name] = {#name, 1, 2, #name "(a)"},
#define FUN(name, arity, value, da, db, symmetry, domain, latex, help) [OP_##name] = {#name, arity, 1, TEXT_##arity(name)},
#include "expr/functions.def"
#include "instructions.def"
#undef INS
#undef PAIR
#undef FUN
};

hml_status assembly_init(assembly *s, hml_context *c, size_t n_in, size_t n_out) {
  *s = (assembly){.context = c};
  hml_arena_init(&s->arena, c);
  if (n_in > INT32_MAX || n_out > INT32_MAX) return hml_fail(c, HML_LIMIT, "program: %zu inputs and %zu outputs are too many", n_in, n_out);
  s->n_in = (uint32_t)n_in;
  s->n_out = (uint32_t)n_out;
  s->outputs = hml_arena_alloc(&s->arena, (n_out + 1) * sizeof *s->outputs);
  s->names = hml_arena_alloc(&s->arena, (n_in + 1) * sizeof *s->names);
  return s->outputs && s->names ? HML_OK : HML_MEMORY;
}

void assembly_free(assembly *s) {
  hml_arena_free(&s->arena);
}

hml_status assembly_name(assembly *s, size_t input, const char *prefix, const char *name) {
  size_t before = strlen(prefix), length = strlen(name);
  char *text = hml_arena_alloc(&s->arena, before + length + 1);
  if (!text) return HML_MEMORY;
  memcpy(text, prefix, before);
  memcpy(text + before, name, length + 1);
  s->names[input] = text;
  return HML_OK;
}

static hml_status finish_by(assembly *s, hml_status status, hml_status write(assembly *, hml_program **), hml_program **out) {
  if (status == HML_OK) status = s->status;
  if (status == HML_OK) status = optimise(s);
  if (status == HML_OK) status = write(s, out);
  assembly_free(s);
  return status;
}

hml_status assembly_finish(assembly *s, hml_status status, hml_program **out) {
  return finish_by(s, status, schedule, out);
}

hml_status assembly_finish_list(assembly *s, hml_status status, hml_program **out) {
  return finish_by(s, status, list_instructions, out);
}

// ---- items

// An item as two words
typedef struct words {
  uint64_t first, second;
} words;

_Static_assert(sizeof(words) == sizeof(item), "an item is two words");

static inline words words_of(const item *e) {
  words w;
  memcpy(&w, e, sizeof w);
  return w;
}

static inline uint32_t hash_of(words w) {
  uint64_t h = w.first * UINT64_C(0x9E3779B97F4A7C15) ^ w.second;
  h = (h ^ h >> 32) * UINT64_C(0xFF51AFD7ED558CCD);
  return (uint32_t)((h ^ h >> 29) * UINT64_C(0xC4CEB9FE1A85EC53) >> 32);
}

// The place of the item in the index, or the empty place for it
static inline uint32_t *find(const assembly *s, const item *e) {
  const item *items = s->items;
  uint32_t *index = s->index, last = s->index_capacity - 1;
  words w = words_of(e);
  for (uint32_t i = hash_of(w) & last;; i = (i + 1) & last) {
    if (!index[i]) return &index[i];
    words known = words_of(&items[index[i] - 1]);
    if (known.first == w.first && known.second == w.second) return &index[i];
  }
}

// Room for more items and for their places in the index
static hml_status reserve(assembly *s, uint32_t more) {
  if (more > s->capacity - s->n) {
    uint32_t capacity = s->capacity ? s->capacity : 128;
    while (capacity - s->n < more && capacity < UINT32_C(1) << 30) capacity *= 2;
    if (capacity >= UINT32_C(1) << 30) return hml_fail(s->context, HML_LIMIT, "program: more than 2^29 operations");
    item *items = hml_arena_raw(&s->arena, capacity * sizeof *items);
    if (!items) return HML_MEMORY;
    if (s->n) memcpy(items, s->items, s->n * sizeof *items);
    s->items = items;
    s->capacity = capacity;
  }
  if (2 * (s->n + more) <= s->index_capacity) return HML_OK;
  uint32_t capacity = 4 * s->capacity;                       // of the index, which every second growth of the items by one fits
  s->index = hml_arena_alloc(&s->arena, capacity * sizeof *s->index);
  s->index_capacity = s->index ? capacity : 0;
  if (!s->index) return HML_MEMORY;
  for (uint32_t k = 0; k < s->n; k++) *find(s, &s->items[k]) = k + 1;
  return HML_OK;
}

// The value of an item equal to this one; a new one if there is none
static uint32_t share(assembly *s, item e) {
  if (s->status == HML_OK && (s->n == s->capacity || 2 * (s->n + 1) > s->index_capacity)) s->status = reserve(s, 1);
  if (s->status == HML_OK && (s->n & 4095) == 4095) s->status = hml_check_interrupt(s->context);
  if (s->status != HML_OK) return 0;
  uint32_t *place = find(s, &e);
  if (*place) return *place - 1;
  s->items[s->n++] = e;
  *place = s->n;
  return s->n - 1;
}

hml_status assembly_expect(assembly *s, uint32_t items) {
  return items < UINT32_C(1) << 29 ? reserve(s, items) : HML_OK;
}

// The place of a rest in the table of rests, or the empty place for it
static uint32_t *find_rest(const assembly *s, double rest) {
  uint64_t bits;
  memcpy(&bits, &rest, sizeof bits);
  const uint32_t last = 2 * s->rests_capacity - 1;
  uint32_t i = hash_of((words){bits, 0}) & last;
  while (s->rest_index[i] && s->rests[s->rest_index[i] - 1] != rest) i = (i + 1) & last;
  return &s->rest_index[i];
}

static hml_status more_rests(assembly *s) {
  const uint32_t capacity = s->rests_capacity ? 2 * s->rests_capacity : 16;
  double *rests = hml_arena_raw(&s->arena, capacity * sizeof *rests);
  uint32_t *index = hml_arena_alloc(&s->arena, 2 * (size_t)capacity * sizeof *index);
  if (!rests || !index) return HML_MEMORY;
  if (s->n_rests) memcpy(rests, s->rests, s->n_rests * sizeof *rests);
  s->rests = rests;
  s->rest_index = index;
  s->rests_capacity = capacity;
  for (uint32_t k = 0; k < s->n_rests; k++) *find_rest(s, rests[k]) = k + 1;
  return HML_OK;
}

uint32_t assembly_number(assembly *s, double x, double rest) {
  uint64_t bits;
  uint32_t more = 0;
  memcpy(&bits, &x, sizeof bits);
  if (fabs(rest) > LEAST_REST && s->status == HML_OK) {
    if (s->n_rests == s->rests_capacity) s->status = more_rests(s);
    if (s->status != HML_OK) return 0;
    uint32_t *place = find_rest(s, rest);
    if (!*place) {
      s->rests[s->n_rests++] = rest;
      *place = s->n_rests;
    }
    more = *place;
  }
  return share(s, (item){OP_CONSTANT, (uint32_t)bits, (uint32_t)(bits >> 32), more});
}

uint32_t assembly_constant(assembly *s, double x) {
  return assembly_number(s, x, 0);
}

double assembly_rest(const assembly *s, const item *e) {
  return e->c ? s->rests[e->c - 1] : 0;
}

double item_constant(const item *e) {
  uint64_t bits = ((uint64_t)e->b << 32) | e->a;
  double x;
  memcpy(&x, &bits, sizeof x);
  return x;
}

uint32_t assembly_input(assembly *s, size_t i) {
  return share(s, (item){OP_INPUT, (uint32_t)i, 0, 0});
}

static bool is_constant(const assembly *s, uint32_t v, double *x) {
  if (s->items[v].op != OP_CONSTANT) return false;
  *x = item_constant(&s->items[v]);
  return true;
}

// 1/x without rounding
static bool exact_reciprocal(double x) {
  int exponent;
  double fraction = frexp(x, &exponent);
  return (fraction == 0.5 || fraction == -0.5) && exponent > -1000 && exponent < 1000;
}

static bool is_double(const assembly *s, uint32_t v, double *x) {
  return is_constant(s, v, x) && !s->items[v].c;
}

// The value of an item with neutral constants; NO_VALUE if there is nothing simpler
static uint32_t simpler(assembly *s, opcode op, uint32_t a, uint32_t b) {
  double x = NAN, y = NAN;
  bool left = is_double(s, a, &x), right = instruction_rows[op].operands > 1 && is_double(s, b, &y);
  if (op == OP_neg && s->items[a].op == OP_neg) return s->items[a].a;
  if (op == OP_add && left && x == 0) return b;
  if ((op == OP_add || op == OP_sub) && right && y == 0) return a;
  if (op == OP_mul && left && x == 1) return b;
  if ((op == OP_mul || op == OP_div) && right && y == 1) return a;
  if (op == OP_mul && left && x == -1) return assembly_emit(s, OP_neg, b, 0, 0);
  if ((op == OP_mul || op == OP_div) && right && y == -1) return assembly_emit(s, OP_neg, a, 0, 0);
  if (op == OP_div && right && exact_reciprocal(y)) return assembly_emit(s, OP_mul, a, assembly_constant(s, 1/y), 0);
  return NO_VALUE;
}

// Folded by the arithmetic of the interpreter. Results that are not finite are not folded, so that a trace can name them
static uint32_t folded(assembly *s, opcode op, uint32_t a, uint32_t b, uint32_t c) {
  unsigned n = instruction_rows[op].operands;
  const uint32_t operands[3] = {a, b, c};
  double x[3] = {0}, rests[3] = {0};
  for (unsigned i = 0; i < n; i++) {
    if (!is_constant(s, operands[i], &x[i])) return NO_VALUE;
    rests[i] = assembly_rest(s, &s->items[operands[i]]);
  }
  double result = instruction_value(op, x[0], x[1], x[2]);
  if (!isfinite(result)) return NO_VALUE;
  return assembly_number(s, result, hml_quad__rest(op, result, x, rests));
}

// An item with a number among its operands, or of a sign; kept apart so that those without are fast
__attribute__((noinline)) static uint32_t emit_number(assembly *s, opcode op, uint32_t a, uint32_t b, uint32_t c) {
  uint32_t known = folded(s, op, a, b, c);
  if (known == NO_VALUE) known = simpler(s, op, a, b);
  if (known != NO_VALUE) return known;
  bool commutes = op == OP_add || op == OP_mul, left = s->items[a].op == OP_CONSTANT, right = commutes && s->items[b].op == OP_CONSTANT;
  bool behind = commutes && (left != right ? left == (op == OP_add) : a > b);
  return share(s, behind ? (item){op, b, a, c} : (item){op, a, b, c});
}

// Operands that commute have one order: that of definition, with numbers in front of products and at the end of sums
uint32_t assembly_emit(assembly *s, opcode op, uint32_t a, uint32_t b, uint32_t c) {
  if (s->status != HML_OK) return 0;
  const unsigned n = instruction_rows[op].operands;
  const item *items = s->items;
  const bool numbers = items[a].op == OP_CONSTANT || (n > 1 && items[b].op == OP_CONSTANT) || (n > 2 && items[c].op == OP_CONSTANT);
  if (numbers || op == OP_neg) return emit_number(s, op, a, b, c);
  const bool behind = (op == OP_add || op == OP_mul) && a > b;
  return share(s, behind ? (item){op, b, a, c} : (item){op, a, b, c});
}

uint32_t assembly_copy(assembly *to, const assembly *from, uint32_t k, const uint32_t *map) {
  const item *e = &from->items[k];
  unsigned n = item_operands(e);
  if (e->op == OP_CONSTANT) return assembly_number(to, item_constant(e), assembly_rest(from, e));
  if (e->op == OP_INPUT) return assembly_input(to, e->a);
  return assembly_emit(to, (opcode)e->op, map[e->a], n > 1 ? map[e->b] : 0, n > 2 ? map[e->c] : 0);
}

// ---- signed values

value value_number(assembly *s, double x, double rest) {
  return (value){assembly_number(s, fabs(x), rest), signbit(x) != 0};
}

value value_constant(assembly *s, double x) {
  return value_number(s, x, 0);
}

value value_negated(value x) {
  x.negative = !x.negative;
  return x;
}

value value_add(assembly *s, value x, value y) {
  if (x.id == NO_VALUE) return y;
  if (y.id == NO_VALUE) return x;
  if (x.negative == y.negative) return (value){assembly_emit(s, OP_add, x.id, y.id, 0), x.negative};
  return (value){x.negative ? assembly_emit(s, OP_sub, y.id, x.id, 0) : assembly_emit(s, OP_sub, x.id, y.id, 0), false};
}

value value_mul(assembly *s, value x, value y) {
  if (x.id == NO_VALUE || y.id == NO_VALUE) return (value){NO_VALUE, false};
  return (value){assembly_emit(s, OP_mul, x.id, y.id, 0), x.negative != y.negative};
}

value value_div(assembly *s, value x, value y) {
  if (x.id == NO_VALUE) return x;
  return (value){assembly_emit(s, OP_div, x.id, y.id, 0), x.negative != y.negative};
}

uint32_t value_plain(assembly *s, value x) {
  if (x.id == NO_VALUE) return assembly_constant(s, 0);
  return x.negative ? assembly_emit(s, OP_neg, x.id, 0, 0) : x.id;
}

value value_of_item(assembly *s, uint32_t id) {
  const item *e = &s->items[id];
  if (e->op == OP_neg) return (value){e->a, true};
  if (e->op != OP_CONSTANT) return (value){id, false};
  double x = item_constant(e);
  return x == 0 ? (value){NO_VALUE, false} : value_number(s, x, assembly_rest(s, e));
}

// ---- a program as plain items

static uint32_t unfused(assembly *s, const instruction *i, uint32_t a, uint32_t b, uint32_t c) {
  switch (i->op) {
    case OP_madd: case OP_fma: return assembly_emit(s, OP_add, c, assembly_emit(s, OP_mul, a, b, 0), 0);
    case OP_nmadd: case OP_fnma: return assembly_emit(s, OP_sub, c, assembly_emit(s, OP_mul, a, b, 0), 0);
    case OP_msub: case OP_fms: return assembly_emit(s, OP_sub, assembly_emit(s, OP_mul, a, b, 0), c, 0);
    default: return assembly_emit(s, (opcode)i->op, a, b, c);
  }
}

hml_status assembly_of_program(assembly *s, const hml_program *p) {
  return assembly_add_program(s, p, s->outputs);
}

hml_status assembly_add_program(assembly *s, const hml_program *p, uint32_t *outputs) {
  uint32_t *inputs = hml_arena_alloc(&s->arena, ((size_t)p->n_in + 1) * sizeof *inputs);
  if (!inputs) return HML_MEMORY;
  for (uint32_t i = 0; i < p->n_in; i++) {
    HML_TRY(assembly_name(s, i, "", hml_program__input_name(p, i)));
    inputs[i] = assembly_input(s, i);
  }
  return assembly_apply_program(s, p, inputs, outputs);
}

hml_status assembly_apply_program(assembly *s, const hml_program *p, const uint32_t *inputs, uint32_t *outputs) {
  uint32_t *map = hml_arena_alloc(&s->arena, ((size_t)p->n_values + 1) * sizeof *map);   // items of the program's values
  if (!map) return HML_MEMORY;
  HML_TRY(assembly_expect(s, p->n_values + p->n_instructions / 2));      // multiply-adds are two items
  for (uint32_t k = 0; k < p->n_constants; k++) map[k] = assembly_number(s, p->constants[k], p->rests[k]);
  for (uint32_t k = 0; k < p->n_in; k++) map[p->n_constants + k] = inputs[k];
  for (uint32_t k = 0; k < p->n_instructions; k++) {
    const instruction *i = &p->instructions[k];
    unsigned n = instruction_rows[i->op].operands;
    uint32_t a = map[i->a], b = n > 1 ? map[i->b] : 0, c = n > 2 ? map[i->c] : 0;
    if (i->op == OP_sincos) {
      map[i->result] = assembly_emit(s, OP_sin, a, 0, 0);
      map[i->second] = assembly_emit(s, OP_cos, a, 0, 0);
    } else {
      map[i->result] = unfused(s, i, a, b, c);
    }
  }
  for (uint32_t i = 0; i < p->n_out; i++) outputs[i] = map[p->outputs[i]];
  return s->status;
}
