// places.c: where the values of a program have poles or lose smoothness: divisors and the arguments of roots, powers, logarithms and the
// like become the outputs of a program of their own, whose zeros are those places. Which of them a motion meets is not known here.
#include "program_impl.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// The kind of place of an operation where its witness vanishes, and the witness. The first argument is a, the second b
typedef enum witness { DIVISOR, RADICAND, BASE, ARGUMENT, COSINE, RADIUS, CUT, UNIT_GAP, ABOVE_ONE } witness;

typedef struct found {
  witness what;
  uint32_t a, b;                       // values of the program
  uint32_t result;
} found;

// Does a value depend on time or states alone (and parameters), and does it move?
enum { STILL, MOVES, FOREIGN };

static unsigned char *mark(const hml_program *p, size_t n_states, size_t first_foreign) {
  unsigned char *marks = hml_alloc(p->context, p->n_values + 1);
  for (uint32_t i = 0; marks && i < p->n_in; i++) marks[p->n_constants + i] = i <= n_states ? MOVES : i >= first_foreign ? FOREIGN : STILL;
  for (uint32_t k = 0; marks && k < p->n_instructions; k++) {
    const instruction *i = &p->instructions[k];
    const uint32_t operands[3] = {i->a, i->b, i->c};
    unsigned char most = STILL;
    for (unsigned j = 0; j < instruction_rows[i->op].operands; j++)
      if (marks[operands[j]] > most) most = marks[operands[j]];
    marks[i->result] = most;
    if (i->second != NO_VALUE) marks[i->second] = most;
  }
  return marks;
}

static bool whole_and_positive(const hml_program *p, uint32_t v) {
  return v < p->n_constants && p->constants[v] >= 0 && p->constants[v] == floor(p->constants[v]);
}

static const instruction *producer_of_value(const hml_program *p, uint32_t v) {
  uint32_t first = p->n_constants + p->n_in;
  return v < first ? NULL : &p->instructions[p->producer[v - first]];
}

enum { MOST_FACTORS = 8 };

// A product vanishes where a factor does, and a factor changes its sign where a square or a size only touches zero
static unsigned factors_of(const hml_program *p, uint32_t v, const unsigned char *marks, unsigned n, uint32_t *out) {
  const instruction *i = producer_of_value(p, v);
  if (marks[v] != MOVES || n == MOST_FACTORS) return n;
  if (i && (i->op == OP_neg || i->op == OP_abs)) return factors_of(p, i->a, marks, n, out);
  if (i && i->op == OP_mul && n + 2 <= MOST_FACTORS) {
    n = factors_of(p, i->a, marks, n, out);
    return i->b == i->a ? n : factors_of(p, i->b, marks, n, out);
  }
  out[n] = v;
  return n + 1;
}

// The witnesses of one instruction, at most MOST_FACTORS; how many
static unsigned witnesses_of(const hml_program *p, const instruction *i, const unsigned char *marks, found *out) {
  found f = {.a = i->a, .b = i->b, .result = i->result};
  unsigned n = 0, count;
  uint32_t factors[MOST_FACTORS];
#define ADD(kind) (f.what = kind, out[n++] = f)
  switch (i->op) {
    case OP_div:
      count = factors_of(p, i->b, marks, 0, factors);
      for (unsigned k = 0; k < count; k++) f.b = factors[k], ADD(DIVISOR);
      break;
    case OP_sqrt: if (marks[i->a] == MOVES) ADD(RADICAND); break;
    case OP_pow: if (marks[i->a] == MOVES && !whole_and_positive(p, i->b)) ADD(BASE); break;
    case OP_log: if (marks[i->a] == MOVES) ADD(ARGUMENT); break;
    case OP_tan: if (marks[i->a] == MOVES) ADD(COSINE); break;
    case OP_asin: case OP_acos: case OP_atanh: if (marks[i->a] == MOVES) ADD(UNIT_GAP); break;
    case OP_acosh: if (marks[i->a] == MOVES) ADD(ABOVE_ONE); break;
    case OP_atan2:
      if (marks[i->result] != MOVES) break;
      ADD(RADIUS);
      ADD(CUT);
      break;
    default: break;
  }
#undef ADD
  return n;
}

bool hml_program__is_entire(const hml_program *p, size_t first_parameter, size_t n_parameters) {
  unsigned char *moves = hml_alloc(p->context, p->n_values + 1);
  bool entire = moves != NULL;
  for (uint32_t i = 0; entire && i < p->n_in; i++) moves[p->n_constants + i] = i < first_parameter || i >= first_parameter + n_parameters;
  for (uint32_t k = 0; entire && k < p->n_instructions; k++) {
    const instruction *i = &p->instructions[k];
    const uint32_t operands[3] = {i->a, i->b, i->c};
    unsigned char any = 0;
    for (unsigned j = 0; j < instruction_rows[i->op].operands; j++) any |= moves[operands[j]];
    moves[i->result] = any;
    if (i->second != NO_VALUE) moves[i->second] = any;
    switch (i->op) {
      case OP_add: case OP_sub: case OP_mul: case OP_neg: case OP_madd: case OP_nmadd: case OP_msub: case OP_fma: case OP_fnma: case OP_fms:
      case OP_sin: case OP_cos: case OP_sincos: case OP_exp: break;
      case OP_div: entire = !moves[i->b]; break;
      case OP_pow: entire = !any || whole_and_positive(p, i->b); break;
      default: entire = !any;
    }
  }
  hml_dealloc(p->context, moves, p->n_values + 1);
  return entire;
}

static uint32_t emit_witness(assembly *s, const found *f, uint32_t a, uint32_t b, uint32_t result) {
  switch (f->what) {
    case DIVISOR: return b;
    case RADICAND: return result;      // a radicand that touches zero is a square: its root goes through like a distance
    case COSINE: return assembly_emit(s, OP_cos, a, 0, 0);
    case RADIUS: return assembly_emit(s, OP_sqrt, assembly_emit(s, OP_add, assembly_emit(s, OP_mul, a, a, 0), assembly_emit(s, OP_mul, b, b, 0), 0), 0, 0);
    case CUT: return assembly_emit(s, OP_sub, assembly_constant(s, acos(-1)), assembly_emit(s, OP_abs, result, 0, 0), 0);
    case UNIT_GAP: return assembly_emit(s, OP_sub, assembly_constant(s, 1), assembly_emit(s, OP_mul, a, a, 0), 0);
    case ABOVE_ONE: return assembly_emit(s, OP_sub, a, assembly_constant(s, 1), 0);
    default: return a;
  }
}

static hml_status write_program(hml_context *c, const hml_program *p, uint32_t n, const found *list, hml_places *out) {
  hml_program wanted = *p;             // the same values, other outputs
  wanted.n_out = 3 * n;
  wanted.outputs = hml_alloc(c, 3 * n * sizeof *wanted.outputs);
  if (!wanted.outputs) return HML_MEMORY;
  for (uint32_t k = 0; k < n; k++) {
    wanted.outputs[3 * k] = list[k].a;
    wanted.outputs[3 * k + 1] = list[k].what == DIVISOR || list[k].what == RADIUS ? list[k].b : list[k].a;
    wanted.outputs[3 * k + 2] = list[k].result;
  }
  assembly s;
  hml_status status = assembly_init(&s, c, p->n_in, 3 * n);
  if (status == HML_OK) status = assembly_of_program(&s, &wanted);
  uint32_t left = 0;
  for (uint32_t k = 0; status == HML_OK && k < n; k++) {
    const uint32_t *raw = s.outputs + 3 * k;
    uint32_t w = emit_witness(&s, &list[k], raw[0], raw[1], raw[2]), known = 0;
    while (known < left && s.outputs[known] != w) known++;             // one witness of several quotients
    if (known < left && list[k].what == DIVISOR) out->list[known].steep = false;   // a pole is more than that
    if (known < left) continue;
    s.outputs[left] = w;
    out->list[left++] = (hml_place){.value = list[k].what == DIVISOR ? list[k].b : list[k].what == RADICAND || list[k].what == CUT ? list[k].result : list[k].a,
                                    .what = list[k].what, .source = list[k].result, .jumps = list[k].what == CUT,
                                    .steep = list[k].what == RADICAND || list[k].what == BASE || list[k].what == UNIT_GAP || list[k].what == ABOVE_ONE,
                                    .smooth_beyond = list[k].what == DIVISOR || list[k].what == COSINE || list[k].what == ARGUMENT};
  }
  s.n_out = left;
  out->count = left;
  hml_dealloc(c, wanted.outputs, 3 * n * sizeof *wanted.outputs);
  return assembly_finish(&s, status, &out->program);
}

// Witnesses that vanish for no values of the inputs at all
static hml_status find_none(hml_context *c, hml_places *places) {
  const hml_program *p = places->program;
  const size_t values_size = (p->n_values + 1) * sizeof(hml_range), in_size = (p->n_in + 1) * sizeof(hml_range), out_size = (p->n_out + 1) * sizeof(hml_range);
  hml_range *values = hml_alloc(c, values_size), *in = hml_alloc(c, in_size), *out = hml_alloc(c, out_size);
  hml_status status = values && in && out ? HML_OK : HML_MEMORY;
  if (status == HML_OK) {
    for (uint32_t i = 0; i < p->n_in; i++) in[i] = (hml_range){-INFINITY, INFINITY};
    hml_program__range(p, in, values, out);
    for (size_t k = 0; k < places->count; k++) places->list[k].none = out[k].low > 0 || out[k].high < 0;
  }
  hml_dealloc(c, out, out_size);
  hml_dealloc(c, in, in_size);
  hml_dealloc(c, values, values_size);
  return status;
}

// fails: HML_MEMORY
hml_status hml_program__places(hml_context *c, const hml_program *p, size_t n_states, size_t first_foreign, hml_places *out) {
  *out = (hml_places){.context = c};
  unsigned char *marks = mark(p, n_states, first_foreign);
  size_t room = MOST_FACTORS * ((size_t)p->n_instructions + 1);
  found *list = hml_alloc(c, room * sizeof *list);
  uint32_t n = 0;
  for (uint32_t k = 0; marks && list && k < p->n_instructions; k++) n += witnesses_of(p, &p->instructions[k], marks, list + n);
  hml_status status = marks && list ? HML_OK : HML_MEMORY;
  if (status == HML_OK && n) {
    out->room = n;
    out->list = hml_alloc(c, n * sizeof *out->list);
    status = out->list ? write_program(c, p, n, list, out) : HML_MEMORY;
    if (status == HML_OK) status = find_none(c, out);
  }
  hml_dealloc(c, marks, p->n_values + 1);
  hml_dealloc(c, list, room * sizeof *list);
  if (status != HML_OK) hml_program__free_places(out);
  return status;
}

void hml_program__free_places(hml_places *places) {
  hml_program_free(places->program);
  hml_dealloc(places->context, places->list, places->room * sizeof *places->list);
  *places = (hml_places){.program = NULL};
}

// "cos(theta) = 0"
void hml_program__describe_place(const hml_program *p, const hml_place *place, size_t capacity, char *text) {
  static const struct { const char *before, *after; } words[] = {
      [DIVISOR] = {"", " = 0"}, [RADICAND] = {"", " = 0"}, [BASE] = {"", " = 0"}, [ARGUMENT] = {"", " = 0"}, [COSINE] = {"cos(", ") = 0"},
      [RADIUS] = {"both arguments of atan2 vanish, ", " = 0"}, [CUT] = {"", " jumps"}, [UNIT_GAP] = {"", " is 1 or -1"}, [ABOVE_ONE] = {"", " = 1"}};
  char named[300];
  describe_value(p, place->value, named, sizeof named);
  snprintf(text, capacity, "%s%s%s", words[place->what].before, named, words[place->what].after);
}

// Does output `out` of the program read the operation of that place?
bool hml_program__reads_place(hml_context *c, const hml_program *p, const hml_place *place, size_t out) {
  bool *reads = hml_alloc(c, (p->n_values + 1) * sizeof *reads), result = false;
  if (!reads) return false;
  reads[place->source] = true;
  for (uint32_t k = 0; k < p->n_instructions; k++) {
    const instruction *i = &p->instructions[k];
    const uint32_t operands[3] = {i->a, i->b, i->c};
    for (unsigned j = 0; j < instruction_rows[i->op].operands; j++)
      if (reads[operands[j]]) reads[i->result] = true;
    if (i->second != NO_VALUE && reads[i->result]) reads[i->second] = true;
  }
  result = reads[p->outputs[out]];
  hml_dealloc(c, reads, (p->n_values + 1) * sizeof *reads);
  return result;
}

// ---- poles that reach the outputs

static bool holds_zero(hml_range a) {
  return a.low <= 0 && a.high >= 0;
}

// Logarithms and powers above -1 have integrals through their zero: a motion at a speed passes them.
// Is the result of an instruction unbounded, for certain, where one of its operands vanishes or is unbounded?
static bool is_unbounded(const instruction *i, const hml_range *values, const unsigned char *unbounded) {
  const bool a = unbounded[i->a], b = unbounded[i->b], c = unbounded[i->c];
  const bool a_clear = !holds_zero(values[i->a]) || a, b_clear = !holds_zero(values[i->b]) || b;
  switch (i->op) {
    case OP_div: return !b && a_clear && (a || holds_zero(values[i->b]));
    case OP_pow: return !a && !b && holds_zero(values[i->a]) && values[i->b].high <= -1;
    case OP_tan: return !a && isinf(values[i->result].high);
    case OP_add: case OP_sub: return a != b;
    case OP_neg: case OP_abs: return a;
    case OP_mul: return (a && b_clear) || (b && a_clear);
    case OP_madd: case OP_nmadd: case OP_msub: case OP_fma: case OP_fnma: case OP_fms:
      return ((a && b_clear) || (b && a_clear)) ? !c : c && !a && !b;
    default: return false;
  }
}

hml_status hml_program__unbounded(hml_context *c, const hml_program *p, const hml_range *in, bool *outputs) {
  const size_t values_size = (p->n_values + 1) * sizeof(hml_range), ranges_size = (p->n_out + 1) * sizeof(hml_range);
  hml_range *values = hml_alloc(c, values_size), *out = hml_alloc(c, ranges_size);
  unsigned char *unbounded = hml_alloc(c, p->n_values + 1);
  hml_status status = values && out && unbounded ? HML_OK : HML_MEMORY;
  if (status == HML_OK) {
    hml_program__range(p, in, values, out);
    memset(unbounded, 0, p->n_values + 1);
    for (uint32_t k = 0; k < p->n_instructions; k++) {
      const instruction *i = &p->instructions[k];
      unbounded[i->result] = is_unbounded(i, values, unbounded);
    }
    for (uint32_t k = 0; k < p->n_out; k++) outputs[k] = unbounded[p->outputs[k]];
  }
  hml_dealloc(c, unbounded, p->n_values + 1);
  hml_dealloc(c, out, ranges_size);
  hml_dealloc(c, values, values_size);
  return status;
}
