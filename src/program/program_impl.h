// program_impl.h: layout of programs and of programs in the making, shared only inside this room.
#ifndef HML_PROGRAM_IMPL_H
#define HML_PROGRAM_IMPL_H

#include "program.h"

#define NO_VALUE UINT32_MAX

// Instructions: rows of functions.def (so that a function is its own opcode), then rows of instructions.def
typedef enum opcode {
#define INS(name, operands, value) OP_##name,
#define PAIR(name, value, second) OP_##name,
#define FUN(name, arity, value, da, db, symmetry, domain, latex, help) OP_##name,
#include "expr/functions.def"
#include "instructions.def"
#undef INS
#undef PAIR
#undef FUN
  OP_COUNT,
  OP_HALT = OP_COUNT,                  // ends the stream of the interpreter
  OP_CONSTANT,                         // the following rows occur in assemblies only
  OP_INPUT,
  OP_SECOND,                           // the other result of a pair; computed by item a
  OP_DEAD
} opcode;

typedef struct instruction_row {
  const char *name;
  unsigned operands, results;
  const char *text;                    // the value as text in a, b, c
} instruction_row;
extern const instruction_row instruction_rows[OP_COUNT];

// ---- a program -----------------------------------------------------------------------------------------------------
// Values are numbered: constants, inputs, results in the order of the instructions. Every value has one definition.
typedef struct instruction {
  uint32_t op, a, b, c;                // operands the row does not have are 0
  uint32_t result, second;             // second result of a pair, else NO_VALUE
} instruction;

// Two orders of the same instructions: `instructions` as derived (near operands; for emitters, listings, derivatives)
// and `stream` for the interpreter: runs of equal opcodes {op, n, n times (result, [second,] a, b, c)}, ended by
// OP_HALT, on slots of the work array: constants, inputs, then slots that are used again once their value is dead.
struct hml_program {
  hml_context *context;                // whose allocator gave the block
  size_t size;                         // of the block that holds all of this
  hml_native *native;                  // NULL: interpreted
  hml_native *entry;                   // code of a right-hand side; NULL: none
  hml_foreign_code code;               // machine code for hml_program_eval; NULL: interpreted
  uint32_t n_in, n_out, n_constants, n_instructions, n_values;
  uint32_t work_size, stream_length;
  double cost;                         // hml_program__cost
  double *constants;                   // (n_constants)
  double *rests;                       // each number is constant*(1 + rest), which quadruple precision sees   (n_constants)
  instruction *instructions;           // (n_instructions)
  uint32_t *producer;                  // instruction behind a result   (n_values - n_constants - n_in)
  uint32_t *outputs;                   // values                        (n_out)
  uint32_t *stream;                    //                               (stream_length)
  uint32_t *order;                     // instruction at each step of the stream   (n_instructions)
  uint32_t *output_slots;              // (n_out)
  uint32_t *names;                     // where each input's text starts in texts  (n_in)
  char *texts;
};

// ---- native.c: code of a right-hand side, as hml_native__new
hml_status hml_native__new_entry(hml_context *c, const hml_program *p, const hml_entry_layout *l, hml_native **out);
hml_entry_code hml_native__entry(const hml_native *n);

// ---- a program in the making ---------------------------------------------------------------------------------------
// Item k computes value k from earlier values. Constants keep the bits of their number in a and b, and in c where the relative rest stands that a double leaves
// of it, so that 104 bits of the number are known; inputs their index in a. A pair names its first and second value in b and c: one of them is its own, the other an OP_SECOND.
typedef struct item {
  uint32_t op, a, b, c;
} item;

// 0 for constants, inputs and the like
static inline unsigned item_operands(const item *e) {
  return e->op < OP_COUNT ? instruction_rows[e->op].operands : 0;
}

typedef struct assembly {
  hml_context *context;
  hml_arena arena;                     // holds everything below
  item *items;
  uint32_t n, capacity;
  uint32_t *index, index_capacity;     // hash table of items, k + 1; capacity is a power of two
  double *rests;                       // of constants that are no doubles, each once; c of the item is the place + 1
  uint32_t n_rests, *rest_index, rests_capacity;      // hash table of rests, place + 1, of twice that capacity
  uint32_t n_in, n_out;
  uint32_t *outputs;                   // values                        (n_out)
  const char **names;                  // of the inputs                 (n_in)
  bool contracts;                      // a*b + c becomes one rounding: where speed counts and no other program need give the same bits
  hml_status status;                   // the first failure; sticky, so that formulas need one check at the end
} assembly;

// Is the operation a table of measured data, or a derivative of one?
// Continuous, with a formula on each side of the zero of its operand or of their difference
static inline bool is_corner(const instruction *i) {
  return i->op == OP_abs || i->op == OP_min || i->op == OP_max;
}

static inline bool is_tabled(uint32_t op) {
  return op >= OP_tabled && op <= OP_tabled_jerk;
}

// A value with a sign in front: signs travel with values until somebody must see them
typedef struct value {
  uint32_t id;                         // NO_VALUE: structural zero
  bool negative;
} value;

hml_status assembly_init(assembly *s, hml_context *c, size_t n_in, size_t n_out);
void assembly_free(assembly *s);
hml_status assembly_name(assembly *s, size_t input, const char *prefix, const char *name);
hml_status assembly_expect(assembly *s, uint32_t items);            // room for so many more of them
// Equal items are shared and constants folded; a failure leaves 0 and a status
uint32_t assembly_constant(assembly *s, double x);
uint32_t assembly_number(assembly *s, double x, double rest);       // x*(1 + rest); a rest of 2^-104 is rounding
uint32_t assembly_input(assembly *s, size_t i);
uint32_t assembly_emit(assembly *s, opcode op, uint32_t a, uint32_t b, uint32_t c);
uint32_t assembly_copy(assembly *to, const assembly *from, uint32_t k, const uint32_t *map);   // item k of another assembly; map: its operands here
double item_constant(const item *e);
double assembly_rest(const assembly *s, const item *e);             // of a constant among its items
hml_status assembly_add_program(assembly *s, const hml_program *p, uint32_t *outputs);   // its outputs as items; inputs are shared
hml_status assembly_apply_program(assembly *s, const hml_program *p, const uint32_t *inputs, uint32_t *outputs);   // its outputs for items as inputs
hml_status assembly_of_program(assembly *s, const hml_program *p);  // as plain arithmetic, with its names; the first outputs are set

// Signed arithmetic; structural zeros are allowed for add, mul and negated
value value_constant(assembly *s, double x);
value value_number(assembly *s, double x, double rest);             // x*(1 + rest)
value value_add(assembly *s, value x, value y);
value value_mul(assembly *s, value x, value y);
value value_div(assembly *s, value x, value y);
value value_negated(value x);
uint32_t value_plain(assembly *s, value x);                         // with its sign computed; a zero becomes a constant
value value_of_item(assembly *s, uint32_t id);                      // its sign in front; the number zero becomes structural

// lower.c: values of the expressions, given those of some nodes (symbols as a rule)
hml_status lower_expressions(assembly *s, size_t n_given, const hml_expr *given, const value *given_values,
                             size_t n, const hml_expr *e, value *out);
// partials.c: the derivative of function f by its argument k (0 or 1) as items with inputs a, b and the result f; kept in the arena of `user`
typedef struct partial {
  item *items;                         // NULL: not yet made
  double *rests;                       // of its constants; NULL: these are doubles       (n)
  uint32_t n, *map;                    // (n) scratch of a use
  value result;
  bool zero;
} partial;
hml_status lower_partial(assembly *user, opcode f, unsigned k, partial *out);
// derive.c: derivatives that follow the items [0, n) of an assembly; what they need is written behind these
typedef struct sweep {
  assembly *s;
  uint32_t n;
  value *rate;                         // of each item: tangent or adjoint; NO_VALUE: zero   (n)
  bool *active;                        // adjoint: depends on an active input               (n)
  partial partials[HML_FUN_COUNT][2];
} sweep;
hml_status sweep_start(sweep *d, assembly *s, uint32_t n);           // before it: all zero. Nothing is active, all rates are zero
hml_status sweep_forward(sweep *d);                                  // the rates of the inputs are set
hml_status sweep_backward(sweep *d);                                 // the active inputs are marked, rates are the weights of the items
value sweep_partial(sweep *d, uint32_t k, unsigned which);           // of item k by its operand

// factor.c: common factors taken out of sums, but for those that the outputs `kept` contain; writes s anew into `to`, which
// has been initialised and named
hml_status factor_sums(const assembly *s, assembly *to, size_t n_kept, const size_t *kept);
// share.c: sums that share their parts; writes s anew into `to`, which has been initialised. The parameters are inputs
hml_status share_sums(const assembly *s, assembly *to, size_t first_parameter, size_t n_parameters);
// merge.c: items proved equal become one; writes s anew into `to`, which has been initialised
hml_status merge_equal(const assembly *s, assembly *to);
// optimise.c: fuses, pairs, removes unused items
hml_status optimise(assembly *s);
// schedule.c: the program of an optimised assembly; without the stream of the interpreter and what belongs to it, of which other programs are made
hml_status schedule(assembly *s, hml_program **out);
hml_status list_instructions(assembly *s, hml_program **out);
hml_status assembly_finish(assembly *s, hml_status status, hml_program **out);   // if status is HML_OK: optimised and scheduled; frees s
hml_status assembly_finish_list(assembly *s, hml_status status, hml_program **out);   // the same for a program that is never run: without a stream
// verify.c: fails with HML_INTERNAL where an invariant does not hold
hml_status verify_assembly(assembly *s, const char *after);
hml_status verify_program(hml_context *c, const hml_program *p);
// interpret.c
// quad.c: what the double `result` of such an instruction leaves of its value for numbers x*(1 + rest), relative; 0 where quadruple precision is missing
double hml_quad__rest(opcode op, double result, const double x[3], const double rests[3]);
double instruction_value(opcode op, double a, double b, double c);              // of instructions with one result
void interpret_stream(const uint32_t *stream, double *work);
void interpret_load(const hml_program *p, const double *in, double *work);
// listing.c
void describe_value(const hml_program *p, uint32_t v, char *buffer, size_t capacity);   // as an expression, cut when deep
// range.c: of the listed instructions of p, in the order of their computation. program_values: at one point, the lower ends of `in`, without what rounding
// may change: each range is a number, or everything where there is none
void program_ranges(const hml_program *p, size_t n, const instruction *list, const hml_range *in, hml_range *values);
void program_values(const hml_program *p, size_t n, const instruction *list, const hml_range *in, hml_range *values);

#endif
