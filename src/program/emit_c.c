// emit_c.c: a program as a C function. Compiled without contraction of a*b + c it gives the bits of the interpreter.
#include "program_impl.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

#define LONG_PROGRAM 2000              // more results are kept in the work array: compilers are slow on very many variables
#define CHUNK 500                      // and the statements in functions of this length

// Functions of a and b as C text, from the rows
static const char *const function_text[OP_COUNT] = {
#define FUN(name, arity, value, da, db, symmetry, domain, latex, help) [OP_##name] = #value,
#include "expr/functions.def"
#undef FUN
};

typedef struct writer {
  hml_text *out;
  const hml_program *p;
  bool is_long;
} writer;

static void put_value(writer *w, uint32_t v) {
  const hml_program *p = w->p;
  uint32_t first = p->n_constants + p->n_in;
  if (v < p->n_constants) {
    double x = p->constants[v];
    hml_text_format(w->out, x < 0 ? "(%.17g%s)" : "%.17g%s", x, x == floor(x) && fabs(x) < 1e15 ? ".0" : "");
  } else if (v < first) {
    hml_text_format(w->out, "in[%u]", v - p->n_constants);
  } else {
    hml_text_format(w->out, w->is_long ? "w[%u]" : "t%u", v - first + (w->is_long ? 0 : 1));
  }
}

static void put_formula(writer *w, const instruction *i) {
  const char *text = instruction_rows[i->op].text;
  if (function_text[i->op] || i->op == OP_sqrt || i->op == OP_pow) {
    hml_text_put(w->out, function_text[i->op] ? "f_" : "");
    hml_text_format(w->out, "%s(", instruction_rows[i->op].name);
    put_value(w, i->a);
    if (instruction_rows[i->op].operands > 1) hml_text_put(w->out, ", "), put_value(w, i->b);
    hml_text_put(w->out, ")");
    return;
  }
  for (const char *at = text; *at; at++) {
    bool letter = *at >= 'a' && *at <= 'c' && !isalnum((unsigned char)at[1]) && (at == text || !isalnum((unsigned char)at[-1]));
    if (letter) put_value(w, *at == 'a' ? i->a : *at == 'b' ? i->b : i->c);
    else hml_text_put_n(w->out, at, 1);
  }
}

static void put_result(writer *w, uint32_t v) {
  hml_text_put(w->out, w->is_long ? "  " : "  double ");
  put_value(w, v);
  hml_text_put(w->out, " = ");
}

static void put_instruction(writer *w, const instruction *i) {
  if (i->op == OP_sincos) {
    hml_text_format(w->out, "  const hml_circle c%u = hml_circle_of(", i->result), put_value(w, i->a), hml_text_put(w->out, ");\n");
    put_result(w, i->result);
    hml_text_format(w->out, "c%u.sine;\n", i->result);
    put_result(w, i->second);
    hml_text_format(w->out, "c%u.cosine", i->result);
  } else {
    put_result(w, i->result);
    put_formula(w, i);
  }
  hml_text_put(w->out, ";\n");
}

// Sine and cosine, once for all programs in a file, indented by their braces
static void put_circle(writer *w) {
  int depth = 0;
  hml_text_put(w->out, "#ifndef HML_CIRCLE\n#define HML_CIRCLE\n/* sine and cosine by sums and products alone, which have the same bits on every machine */\n"
                       "#include <stdbool.h>\n#include <stdint.h>\n");
  for (const char *const *line = hml_circle__text; *line; line++) {
    hml_text_format(w->out, "%*s%s\n", 2 * (depth - (**line == '}')), "", *line);
    for (const char *at = *line; *at; at++) depth += (*at == '{') - (*at == '}');
  }
  hml_text_put(w->out, "#endif\n\n");
}

static void put_functions(writer *w) {
  bool used[OP_COUNT] = {false};
  for (uint32_t k = 0; k < w->p->n_instructions; k++) used[w->p->instructions[k].op] = true;
  if (used[OP_sin] || used[OP_cos] || used[OP_sincos]) put_circle(w);
  for (unsigned op = 0; op < OP_COUNT; op++)
    if (used[op] && function_text[op])
      hml_text_format(w->out, "static double f_%s(double a%s) { return %s; }\n", instruction_rows[op].name,
                      instruction_rows[op].operands > 1 ? ", double b" : "", function_text[op]);
}

static void put_outputs(writer *w) {
  for (uint32_t i = 0; i < w->p->n_out; i++) {
    hml_text_format(w->out, "  out[%u] = ", i);
    put_value(w, w->p->outputs[i]);
    hml_text_put(w->out, ";\n");
  }
}

static void put_chunks(writer *w, const char *name) {
  const hml_program *p = w->p;
  uint32_t chunks = 0;
  for (uint32_t k = 0; k < p->n_instructions; k += CHUNK, chunks++) {
    hml_text_format(w->out, "static void %s_%u(const double *in, double *w) {\n  (void)in;\n", name, chunks);
    for (uint32_t i = k; i < p->n_instructions && i < k + CHUNK; i++) put_instruction(w, &p->instructions[i]);
    hml_text_put(w->out, "}\n\n");
  }
  hml_text_format(w->out, "void %s(const double *in, double *out, double *work) {\n  double w[%u];\n  (void)work;\n", name,
                  p->n_values - p->n_constants - p->n_in);
  for (uint32_t k = 0; k < chunks; k++) hml_text_format(w->out, "  %s_%u(in, w);\n", name, k);
  put_outputs(w);
  hml_text_put(w->out, "}\n");
}

// void name(const double *in, double *out, double *work); in: the inputs in their order; work is not used. Needs math.h.
// NULL when out of memory, and for a program with measured data
char *hml_program_c(hml_context *c, const hml_program *p, const char *name) {
  for (uint32_t k = 0; k < p->n_instructions; k++)
    if (is_tabled(p->instructions[k].op))
      return hml_fail_null(c, HML_UNSUPPORTED, "the equations contain measured data, which are not written out as C");
  hml_text text;
  hml_text_init(&text, c);
  writer w = {&text, p, p->n_instructions > LONG_PROGRAM};
  put_functions(&w);
  if (w.is_long) {
    put_chunks(&w, name);
    return hml_text_take(&text);
  }
  hml_text_format(&text, "void %s(const double *in, double *out, double *work) {\n  (void)in;\n  (void)work;\n", name);
  for (uint32_t k = 0; k < p->n_instructions; k++) put_instruction(&w, &p->instructions[k]);
  put_outputs(&w);
  hml_text_put(&text, "}\n");
  return hml_text_take(&text);
}
