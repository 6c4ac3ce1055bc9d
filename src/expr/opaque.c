// opaque.c: functions that are known by name alone, such as a potential V(r): atoms of the algebra with a chain rule.
//
// V(x, y) is a call whose operands are the name, the arguments, and how often the function is differentiated by each of them; mixed derivatives
// commute. No row of functions.def, so no instruction: programs refuse it until it is defined.
#include "expr_impl.h"

#include <math.h>
#include <string.h>

bool hml_opaque__is(hml_expr e) { return e->kind == HML_CALL && e->function == HML_FUN_opaque; }
size_t hml_opaque__arity(hml_expr call) { return (call->count - 1) / 2; }
const char *hml_opaque__name(hml_expr call) { return node_name(node_operands(call)[0]); }

unsigned hml_opaque__order(hml_expr call, size_t i) {
  int64_t order = 0;
  hml_integer_value(node_operands(call)[1 + hml_opaque__arity(call) + i], &order);
  return (unsigned)order;
}

unsigned hml_opaque__total_order(hml_expr call) {
  unsigned total = 0;
  for (size_t i = 0; i < hml_opaque__arity(call); i++) total += hml_opaque__order(call, i);
  return total;
}

// Distinct symbols, which name the partial derivatives
bool hml_opaque__of_symbols(hml_expr call) {
  for (size_t i = 1; i <= hml_opaque__arity(call); i++) {
    if (node_operands(call)[i]->kind != HML_SYMBOL) return false;
    for (size_t j = 1; j < i; j++)
      if (node_operands(call)[i] == node_operands(call)[j]) return false;
  }
  return true;
}

static bool names_a_function(const char *name) { return hml_function_find(name) >= 0 || strcmp(name, "sqrt") == 0 || strcmp(name, "diff") == 0; }

hml_expr hml_opaque(hml_context *c, const char *name, size_t n, const hml_expr *arguments) {
  size_t tables;
  if (n < 1 || n > HML_OPAQUE_ARGUMENTS)
    return hml_fail_null(c, HML_ARGUMENT, "function '%.60s': 1 to %d arguments, not %zu", name, HML_OPAQUE_ARGUMENTS, n);
  if (names_a_function(name)) return hml_fail_null(c, HML_ARGUMENT, "'%.60s' is a function of the library; choose another name", name);
  if (hml_tabled__find(name, strlen(name), &tables) > 0) return hml_fail_null(c, HML_ARGUMENT, "'%.60s' is the name of measured data; choose another name", name);
  if (!hml_symbol(c, name, 0, 0)) return NULL;                         // a name that no symbol can have
  hml_expr operands[1 + 2 * HML_OPAQUE_ARGUMENTS] = {node_symbol(c, name, strlen(name), HML_FUNCTION_NAME, 0)};
  for (size_t i = 0; i < n; i++) {
    operands[1 + i] = arguments[i];
    operands[1 + n + i] = hml_integer(c, 0);
  }
  return hml_opaque__call(c, 1 + 2 * n, operands);
}

hml_expr hml_opaque__call(hml_context *c, size_t n, const hml_expr *operands) {
  bool fine = n >= 3 && n % 2 == 1 && n <= 1 + 2 * HML_OPAQUE_ARGUMENTS;
  for (size_t i = 0; i < n; i++)
    if (!operands[i]) return NULL;
  fine = fine && operands[0]->kind == HML_SYMBOL && (operands[0]->flags & HML_FUNCTION_NAME);
  for (size_t i = 1 + n / 2; fine && i < n; i++) {
    int64_t order;
    fine = hml_integer_value(operands[i], &order) && order >= 0;
    if (fine && order > HML_OPAQUE_ORDER)
      return hml_fail_null(c, HML_LIMIT, "a derivative of '%.60s' of order %lld: %d is the highest", node_name(operands[0]), (long long)order, HML_OPAQUE_ORDER);
  }
  if (!fine) return hml_fail_null(c, HML_ARGUMENT, "a function by name has a name, arguments, and the order of its derivative by each");
  return node_compound(c, HML_CALL, HML_FUN_opaque, n, operands);
}

hml_expr hml_opaque__partial(hml_context *c, hml_expr call, size_t operand) {
  size_t n = hml_opaque__arity(call);
  if (operand == 0 || operand > n) return hml_integer(c, 0);
  hml_expr operands[1 + 2 * HML_OPAQUE_ARGUMENTS];
  memcpy(operands, node_operands(call), call->count * sizeof *operands);
  operands[n + operand] = hml_integer(c, (int64_t)hml_opaque__order(call, operand - 1) + 1);
  return hml_opaque__call(c, call->count, operands);
}

hml_status hml_opaque__refuse(hml_context *c, hml_expr call) {
  char text[80];
  hml_expr__brief(c, call, 70, text);
  const char *name = hml_opaque__name(call);
  return hml_fail(c, HML_UNSUPPORTED, "the function '%s' in %s has no formula: give it by S:define(%s, ...), in an expression by e:define(%s, ...)", name,
                  text, name, name);
}

// ---- one function of that name, to disprove identities: three waves whose rates and phases follow from the name

enum { WAVES = 3 };

static double drawn(uint64_t *state) {
  *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return 0.5 + (double)(*state >> 52) / 4096.0;
}

double hml_opaque__sample(hml_expr call, const double *x, double slope[HML_OPAQUE_ARGUMENTS], double *size) {
  size_t n = hml_opaque__arity(call);
  unsigned total = hml_opaque__total_order(call);
  uint64_t state = node_operands(call)[0]->hash;
  double sum = 0;
  *size = 0;
  for (size_t i = 0; i < n; i++) slope[i] = 0;
  for (int wave = 0; wave < WAVES; wave++) {
    double phase = drawn(&state), height = 1, reach = phase, rate[HML_OPAQUE_ARGUMENTS];
    for (size_t i = 0; i < n; i++) {
      rate[i] = drawn(&state);
      phase += rate[i] * x[i];
      reach += rate[i] * fabs(x[i]);
      height *= pow(rate[i], hml_opaque__order(call, i));
    }
    const double turned[] = {cos(phase), -sin(phase), -cos(phase), sin(phase)};
    sum += height * turned[total % 4];
    *size += height * (1 + reach);
    for (size_t i = 0; i < n; i++) slope[i] += height * rate[i];
  }
  return sum;
}
