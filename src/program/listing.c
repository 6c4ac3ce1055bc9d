// listing.c: programs as readable text, and the trace that names the first line whose result is not finite.
#include "program_impl.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEPTH 4                         // levels of operands written out in a trace

// Text goes to a growing text (listings) or to a buffer of fixed size, where it is cut (traces)
typedef struct sink {
  const hml_program *p;
  hml_text *text;
  char *buffer;
  size_t capacity, length;
} sink;

static void put_n(sink *out, const char *s, size_t n) {
  if (out->text) {
    hml_text_put_n(out->text, s, n);
    return;
  }
  if (out->capacity == 0) return;
  size_t room = out->capacity - 1 - out->length;
  if (n > room) n = room;
  memcpy(out->buffer + out->length, s, n);
  out->length += n;
  out->buffer[out->length] = '\0';
}

static void put(sink *out, const char *s) {
  put_n(out, s, strlen(s));
}

// The shortest text that reads back as the same number
static void put_number(sink *out, double x) {
  char text[40];
  for (int digits = 6; digits <= 17; digits++) {
    snprintf(text, sizeof text, "%.*g", digits, x);
    if (strtod(text, NULL) == x) break;
  }
  put(out, isnan(x) ? "nan" : text);
}

static uint32_t first_result(const hml_program *p) {
  return p->n_constants + p->n_in;
}

static const instruction *producer_of(const hml_program *p, uint32_t v) {
  return v < first_result(p) ? NULL : &p->instructions[p->producer[v - first_result(p)]];
}

static void put_name(sink *out, uint32_t v) {
  char text[32];
  const hml_program *p = out->p;
  if (v < p->n_constants) put_number(out, p->constants[v]);
  else if (v < first_result(p)) put(out, hml_program__input_name(p, v - p->n_constants));
  else put_n(out, text, (size_t)snprintf(text, sizeof text, "t%u", v - first_result(p) + 1));
}

// ---- one line: the row's text with operands in place of a, b, c

static bool is_call(const char *text) {
  return strchr(text, '(') != NULL;
}

static void put_value(sink *out, uint32_t v, unsigned depth);

// An operand inside a formula; bare inside the parentheses of a call
static void put_operand(sink *out, uint32_t v, unsigned depth, bool bare) {
  const instruction *i = producer_of(out->p, v);
  bool negative = v < out->p->n_constants && out->p->constants[v] < 0;
  bool brackets = !bare && (negative || (i && depth > 1 && !is_call(instruction_rows[i->op].text)));
  if (brackets) put(out, "(");
  if (depth == 0) put_name(out, v);
  else if (depth == 1 && i) put(out, "...");
  else put_value(out, v, depth - 1);
  if (brackets) put(out, ")");
}

// depth 0: operands by name
static void put_formula(sink *out, const char *text, const instruction *i, unsigned depth) {
  for (const char *at = text; *at; at++) {
    bool letter = *at >= 'a' && *at <= 'c' && !isalnum((unsigned char)at[1]) && (at == text || !isalnum((unsigned char)at[-1]));
    if (letter) put_operand(out, *at == 'a' ? i->a : *at == 'b' ? i->b : i->c, depth, is_call(text));
    else put_n(out, at, 1);
  }
}

// The table of measured data that the instruction reads; NULL: none
static const char *table_of(const hml_program *p, const instruction *i) {
  return is_tabled(i->op) && i->a < p->n_constants ? hml_tabled__name(p->constants[i->a]) : NULL;
}

// Measured data by their name, derivatives with primes
static void put_call(sink *out, const instruction *i, unsigned depth) {
  const char *table = table_of(out->p, i);
  if (!table) {
    put_formula(out, instruction_rows[i->op].text, i, depth);
    return;
  }
  put(out, table);
  for (unsigned order = i->op - OP_tabled; order > 0; order--) put(out, "'");
  put(out, "(");
  put_operand(out, i->b, depth, true);
  put(out, ")");
}

static void put_value(sink *out, uint32_t v, unsigned depth) {
  const instruction *i = producer_of(out->p, v);
  if (!i) put_name(out, v);
  else if (i->op != OP_sincos) put_call(out, i, depth);
  else put_formula(out, v == i->result ? "sin(a)" : "cos(a)", i, depth);
}

void describe_value(const hml_program *p, uint32_t v, char *buffer, size_t capacity) {
  sink out = {.p = p, .buffer = buffer, .capacity = capacity};
  if (capacity > 0) buffer[0] = '\0';
  put_value(&out, v, DEPTH);
}

// ---- listings

static void put_names_of_inputs(sink *out) {
  put(out, "in");
  for (uint32_t i = 0; i < out->p->n_in; i++) {
    put(out, i == 0 ? " " : ", ");
    put(out, hml_program__input_name(out->p, i));
  }
  put(out, "\n");
}

char *hml_program_list(hml_context *c, const hml_program *p) {
  hml_text text;
  hml_text_init(&text, c);
  sink out = {.p = p, .text = &text};
  put_names_of_inputs(&out);
  for (uint32_t k = 0; k < p->n_instructions; k++) {
    const instruction *i = &p->instructions[k];
    put_name(&out, i->result);
    if (i->second != NO_VALUE) {
      put(&out, ", ");
      put_name(&out, i->second);
    }
    put(&out, " = ");
    put_call(&out, i, 0);
    put(&out, "\n");
  }
  for (uint32_t i = 0; i < p->n_out; i++) {
    hml_text_format(&text, "out%u = ", i + 1);
    put_name(&out, p->outputs[i]);
    put(&out, "\n");
  }
  return hml_text_take(&text);
}

// ---- traces

// Slots of the step that just ran: results, then operands
typedef struct step {
  const instruction *i;
  const uint32_t *slots;
} step;

static void put_verdict(sink *out, double x) {
  if (isfinite(x)) {
    put(out, " is ");
    put_number(out, x);
  } else {
    put(out, isnan(x) ? " is not a number" : " is infinite");
  }
}

// Data have no value beyond their points
static void put_ends(sink *out, const instruction *i) {
  double ends[2];
  if (!table_of(out->p, i) || !hml_tabled__ends(out->p->constants[i->a], ends)) return;
  put(out, "; the points of the data reach from ");
  put_number(out, ends[0]);
  put(out, " to ");
  put_number(out, ends[1]);
}

// "log(x - 2*y) is not a number where x - 2*y = -3"
static void describe_step(sink *out, const step *now, uint32_t v, double result, const double *operands) {
  const instruction_row *row = &instruction_rows[now->i->op];
  const uint32_t values[3] = {now->i->a, now->i->b, now->i->c};
  put_value(out, v, DEPTH);
  put_verdict(out, result);
  const char *before = " where ";
  for (unsigned k = 0; k < row->operands; k++) {
    if (values[k] < out->p->n_constants || (k > 0 && values[k] == values[0]) || (k > 1 && values[k] == values[1])) continue;
    put(out, before);
    put_value(out, values[k], DEPTH - 1);
    put(out, " = ");
    put_number(out, operands[k]);
    before = ", ";
  }
  put_ends(out, now->i);
}

// Runs one step alone; true if its result is not finite, then described. A bad operand is an input: results were looked at before.
static bool trace_step(sink *out, const step *now, double *work) {
  const instruction_row *row = &instruction_rows[now->i->op];
  const uint32_t values[3] = {now->i->a, now->i->b, now->i->c};
  unsigned size = row->operands + row->results;
  double operands[3];
  uint32_t alone[9] = {now->i->op, 1};
  for (unsigned k = 0; k < row->operands; k++) {
    operands[k] = work[now->slots[row->results + k]];
    if (isfinite(operands[k])) continue;
    put_name(out, values[k]);
    put_verdict(out, operands[k]);
    return true;
  }
  memcpy(alone + 2, now->slots, size * sizeof *alone);
  alone[2 + size] = OP_HALT;
  interpret_stream(alone, work);
  for (unsigned r = 0; r < row->results; r++) {
    if (isfinite(work[now->slots[r]])) continue;
    describe_step(out, now, r == 0 ? now->i->result : now->i->second, work[now->slots[r]], operands);
    return true;
  }
  return false;
}

// ---- values that an expression does not have

// From finite operands; what is infinite for its size alone is beyond the range of doubles, not a pole
static bool lacks_value(const instruction *i, const double *operands, double result) {
  if (isnan(result)) return true;
  if (isfinite(result)) return false;
  return i->op == OP_log || i->op == OP_atanh || (i->op == OP_div && operands[1] == 0) || (i->op == OP_pow && operands[0] == 0);
}

static bool find_pole(sink *out, const step *now, double *work) {
  const instruction_row *row = &instruction_rows[now->i->op];
  const unsigned size = row->operands + row->results;
  double operands[3];
  uint32_t alone[9] = {now->i->op, 1};
  bool known = true;
  for (unsigned k = 0; k < row->operands; k++) {
    operands[k] = work[now->slots[row->results + k]];
    known = known && isfinite(operands[k]);
  }
  memcpy(alone + 2, now->slots, size * sizeof *alone);
  alone[2 + size] = OP_HALT;
  interpret_stream(alone, work);
  double result = work[now->slots[0]];
  if (!known || !lacks_value(now->i, operands, result)) return false;
  describe_step(out, now, now->i->result, result, operands);
  return true;
}

// The first value so large that a few products of such values leave the range of doubles: "exp(1000*x) is 2e+211 where 1000*x = 487"
static bool find_large(sink *out, const step *now, double *work) {
  const instruction_row *row = &instruction_rows[now->i->op];
  const unsigned size = row->operands + row->results;
  double operands[3];
  uint32_t alone[9] = {now->i->op, 1};
  for (unsigned k = 0; k < row->operands; k++) operands[k] = work[now->slots[row->results + k]];
  memcpy(alone + 2, now->slots, size * sizeof *alone);
  alone[2 + size] = OP_HALT;
  interpret_stream(alone, work);
  double result = work[now->slots[0]];
  if (!(fabs(result) > 1e30)) return false;
  describe_step(out, now, now->i->result, result, operands);
  return true;
}

// Runs the program, shows each step to visit, and stops at the first that it says true of
static bool visit_steps(sink *out, const double *in, double *work, bool (*visit)(sink *, const step *, double *)) {
  const hml_program *p = out->p;
  if (out->capacity > 0) out->buffer[0] = '\0';
  interpret_load(p, in, work);
  uint32_t k = 0;
  for (const uint32_t *s = p->stream; s[0] != OP_HALT;) {
    const instruction_row *row = &instruction_rows[s[0]];
    uint32_t n = s[1];
    for (s += 2; n > 0; n--, s += row->operands + row->results)
      if (visit(out, &(step){&p->instructions[p->order[k++]], s}, work)) return true;
  }
  return false;
}

// Has every such instruction a value where its operands are finite? A sum that is too large is infinite, but no pole
static bool always_has_value(uint32_t op) {
  switch (op) {
    case OP_add: case OP_sub: case OP_mul: case OP_neg: case OP_madd: case OP_nmadd: case OP_msub: case OP_fma: case OP_fnma: case OP_fms:
    case OP_sincos: return true;
    default: return false;
  }
}

enum { MOST_TOGETHER = 1024 };          // words of a stream

// Instructions that run without being looked at, until one must be or the room ends
typedef struct together {
  uint32_t words[MOST_TOGETHER + 2], n;
} together;

static void run_together(together *t, double *work) {
  if (t->n == 0) return;
  t->words[t->n] = OP_HALT;
  t->words[t->n + 1] = 0;
  interpret_stream(t->words, work);
  t->n = 0;
}

static void add_group(together *t, uint32_t op, uint32_t n, uint32_t width, const uint32_t *slots, double *work) {
  while (n > 0) {
    if (t->n + 2 + width > MOST_TOGETHER) run_together(t, work);
    uint32_t room = (MOST_TOGETHER - t->n - 2) / width, count = n < room ? n : room;
    t->words[t->n] = op;
    t->words[t->n + 1] = count;
    memcpy(t->words + t->n + 2, slots, (size_t)count * width * sizeof *slots);
    t->n += 2 + count * width;
    slots += (size_t)count * width;
    n -= count;
  }
}

bool hml_program__pole(const hml_program *p, const double *in, double *work, char *what, size_t capacity) {
  sink out = {.p = p, .buffer = what, .capacity = capacity};
  together t = {.n = 0};
  if (capacity > 0) what[0] = '\0';
  interpret_load(p, in, work);
  uint32_t k = 0;
  for (const uint32_t *s = p->stream; s[0] != OP_HALT;) {
    const instruction_row *row = &instruction_rows[s[0]];
    const uint32_t op = s[0], n = s[1], width = row->operands + row->results;
    s += 2;
    if (always_has_value(op)) add_group(&t, op, n, width, s, work);
    else run_together(&t, work);
    for (uint32_t i = 0; i < n && !always_has_value(op); i++)
      if (find_pole(&out, &(step){&p->instructions[p->order[k + i]], s + (size_t)i * width}, work)) return true;
    k += n;
    s += (size_t)n * width;
  }
  return false;
}

bool hml_program__large(const hml_program *p, const double *in, double *work, char *what, size_t capacity) {
  sink out = {.p = p, .buffer = what, .capacity = capacity};
  return visit_steps(&out, in, work, find_large);
}

int hml_program_trace(const hml_program *p, const double *in, double *work, char *what, size_t capacity) {
  sink out = {.p = p, .buffer = what, .capacity = capacity};
  if (visit_steps(&out, in, work, trace_step)) return 1;
  // outputs that are inputs or constants
  for (uint32_t i = 0; i < p->n_out; i++) {
    if (isfinite(work[p->output_slots[i]])) continue;
    put_name(&out, p->outputs[i]);
    put_verdict(&out, work[p->output_slots[i]]);
    return 1;
  }
  return 0;
}
