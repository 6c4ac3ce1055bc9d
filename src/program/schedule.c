// schedule.c: from an optimised assembly to a program: numbers its values, orders the interpreter's stream in runs of equal
// opcodes, gives slots of the work array to results and takes them back when the value is dead.
//
// The stream is made by list scheduling: of all instructions whose operands are there, those with the opcode that is
// ready most often go next, with all that become ready meanwhile. Only instructions within a window of the order of
// derivation compete, so that few values live at a time and the work array stays in the first cache.
#include "program_impl.h"

#include <string.h>

#define WINDOW 2048u

// ---- numbering

typedef struct counts {
  uint32_t constants, instructions, results;
  size_t names;                        // bytes of the texts of the inputs
} counts;

static counts count(const assembly *s) {
  counts n = {0};
  for (uint32_t k = 0; k < s->n; k++) {
    uint32_t op = s->items[k].op;
    n.constants += op == OP_CONSTANT;
    n.instructions += op < OP_COUNT;
    n.results += op < OP_COUNT ? instruction_rows[op].results : 0;
  }
  for (uint32_t i = 0; i < s->n_in; i++) n.names += strlen(s->names[i]) + 1;
  return n;
}

// Where the parts of the block begin; the stream is as long as if no two instructions shared a run
static hml_program *allocate(hml_context *c, uint32_t n_in, uint32_t n_out, const counts *n) {
  size_t words = (size_t)n->results + n_out + (2 + 6 * (size_t)n->instructions + 2) + n->instructions + n_out + n_in;
  size_t size = sizeof(hml_program) + 2 * n->constants * sizeof(double) + n->instructions * sizeof(instruction)
                + words * sizeof(uint32_t) + n->names;
  hml_program *p = hml_realloc(c, NULL, 0, size);            // all that is read is written below
  if (!p) return NULL;
  *p = (hml_program){.context = c, .size = size, .n_in = n_in, .n_out = n_out};
  p->n_constants = n->constants;
  p->n_instructions = n->instructions;
  p->n_values = n->constants + n_in + n->results;
  p->constants = (double *)(void *)(p + 1);
  p->rests = p->constants + n->constants;
  p->instructions = (instruction *)(void *)(p->rests + n->constants);
  p->producer = (uint32_t *)(void *)(p->instructions + n->instructions);
  p->outputs = p->producer + n->results;
  p->order = p->outputs + n_out;
  p->output_slots = p->order + n->instructions;
  p->names = p->output_slots + n_out;
  p->stream = p->names + n_in;
  p->texts = (char *)(p->stream + 2 + 6 * (size_t)n->instructions + 2);
  return p;
}

static void copy_names(hml_program *p, const assembly *s) {
  uint32_t at = 0;
  for (uint32_t i = 0; i < s->n_in; i++) {
    size_t size = strlen(s->names[i]) + 1;
    memcpy(p->texts + at, s->names[i], size);
    p->names[i] = at;
    at += (uint32_t)size;
  }
}

// Items to instructions; number[k] is the value of item k in the program
static void renumber(hml_program *p, const assembly *s, uint32_t *number) {
  uint32_t constants = 0, first = p->n_constants + p->n_in, next = first, at = 0;
  for (uint32_t k = 0; k < s->n; k++) {
    const item *e = &s->items[k];
    if (e->op == OP_CONSTANT) {
      p->constants[constants] = item_constant(e);
      p->rests[constants] = assembly_rest(s, e);
      number[k] = constants++;
    } else if (e->op == OP_INPUT) {
      number[k] = p->n_constants + e->a;
    } else if (e->op < OP_COUNT) {
      unsigned n = item_operands(e);
      instruction *i = &p->instructions[at];
      *i = (instruction){e->op, number[e->a], n > 1 ? number[e->b] : 0, n > 2 ? number[e->c] : 0, next, NO_VALUE};
      p->producer[next++ - first] = at;
      number[k] = i->result;
      if (e->op == OP_sincos) {
        number[e->b] = i->result;
        number[e->c] = i->second = next;
        p->producer[next++ - first] = at;
      }
      at++;
    }
  }
  for (uint32_t i = 0; i < p->n_out; i++) p->outputs[i] = number[s->outputs[i]];
}

// ---- order of the stream

typedef struct queue {
  uint32_t head, tail, length;         // of instructions; links in `next`
} queue;

typedef struct scheduler {
  const hml_program *p;
  uint32_t *missing;                   // operands of an instruction not yet there
  uint32_t *users, *next_user;         // edges 3*instruction + operand, by value; each + 1
  uint32_t *next;                      // in the queue; + 1
  queue ready[OP_COUNT];
  uint64_t waiting;                    // bit of each instruction whose queue is not empty
  uint32_t first, end;                 // instructions [first, end) are in the window
} scheduler;

static uint32_t operand_of(const instruction *i, unsigned k) {
  return k == 0 ? i->a : k == 1 ? i->b : i->c;
}

static void enqueue(scheduler *d, uint32_t i) {
  uint32_t op = d->p->instructions[i].op;
  queue *q = &d->ready[op];
  d->waiting |= UINT64_C(1) << op;
  if (q->length++ == 0) q->head = i;
  else d->next[q->tail] = i + 1;
  q->tail = i;
  d->next[i] = 0;
}

static uint32_t dequeue(scheduler *d, queue *q) {
  uint32_t i = q->head;
  q->head = d->next[i] - 1;
  q->length--;
  return i;
}

// Links every instruction to the results it needs
static hml_status link_users(scheduler *d, hml_arena *arena) {
  const hml_program *p = d->p;
  uint32_t first = p->n_constants + p->n_in;
  d->missing = hml_arena_alloc(arena, (p->n_instructions + 1) * sizeof *d->missing);
  d->next = hml_arena_raw(arena, (p->n_instructions + 1) * sizeof *d->next);
  d->users = hml_arena_alloc(arena, (p->n_values + 1) * sizeof *d->users);
  d->next_user = hml_arena_raw(arena, (3 * (size_t)p->n_instructions + 1) * sizeof *d->next_user);
  if (!d->missing || !d->next || !d->users || !d->next_user) return HML_MEMORY;
  for (uint32_t i = p->n_instructions; i-- > 0;)
    for (unsigned k = instruction_rows[p->instructions[i].op].operands; k-- > 0;) {
      uint32_t v = operand_of(&p->instructions[i], k);
      if (v < first) continue;
      d->missing[i]++;
      d->next_user[3 * i + k] = d->users[v];
      d->users[v] = 3 * i + k + 1;
    }
  return HML_OK;
}

static void announce(scheduler *d, uint32_t v) {
  if (v == NO_VALUE) return;
  for (uint32_t edge = d->users[v]; edge; edge = d->next_user[edge - 1]) {
    uint32_t user = (edge - 1) / 3;
    if (--d->missing[user] == 0 && user < d->end) enqueue(d, user);
  }
}

_Static_assert(OP_COUNT <= 64, "a bit for each instruction");

// The longest queue, the first of equal ones; NULL: all are empty
static queue *fullest(scheduler *d) {
  queue *best = NULL;
  for (uint64_t left = d->waiting; left; left &= left - 1) {
    queue *q = &d->ready[__builtin_ctzll(left)];
    if (!best || q->length > best->length) best = q;
  }
  return best;
}

static void order_stream(scheduler *d, uint32_t *order) {
  uint32_t at = 0, n = d->p->n_instructions;
  for (d->first = 0; d->first < n; d->first = d->end) {
    d->end = n - d->first > WINDOW ? d->first + WINDOW : n;
    for (uint32_t i = d->first; i < d->end; i++)
      if (d->missing[i] == 0) enqueue(d, i);
    for (queue *q = fullest(d); q; q = fullest(d)) {
      while (q->length > 0) {
        order[at] = dequeue(d, q);
        const instruction *i = &d->p->instructions[order[at++]];
        announce(d, i->result);
        announce(d, i->second);
      }
      d->waiting &= ~(UINT64_C(1) << (q - d->ready));
    }
  }
}

// ---- slots

typedef struct slots {
  uint32_t *of;                        // slot of a value
  uint32_t *last;                      // step after the last use of a value; UINT32_MAX: an output
  uint32_t *free, n_free, top;         // slots to use again; the first slot never used
  uint32_t *made;                      // step of a result
} slots;

static hml_status find_last_uses(slots *w, const hml_program *p, hml_arena *arena) {
  uint32_t first = p->n_constants + p->n_in;
  w->of = hml_arena_raw(arena, (p->n_values + 1) * sizeof *w->of);
  w->last = hml_arena_alloc(arena, (p->n_values + 1) * sizeof *w->last);
  w->free = hml_arena_raw(arena, (p->n_values + 1) * sizeof *w->free);
  w->made = hml_arena_raw(arena, (p->n_values + 1) * sizeof *w->made);
  if (!w->of || !w->last || !w->free || !w->made) return HML_MEMORY;
  for (uint32_t step = 0; step < p->n_instructions; step++) {
    const instruction *i = &p->instructions[p->order[step]];
    for (unsigned k = 0; k < instruction_rows[i->op].operands; k++) w->last[operand_of(i, k)] = step + 1;
  }
  for (uint32_t i = 0; i < p->n_out; i++) w->last[p->outputs[i]] = UINT32_MAX;
  for (uint32_t v = 0; v < first; v++) {
    w->of[v] = v;                      // constants and inputs keep their places
    w->last[v] = UINT32_MAX;
  }
  w->top = first;
  return HML_OK;
}

static void release(slots *w, uint32_t v, uint32_t step) {
  if (w->last[v] != step + 1) return;
  w->last[v] = 0;                      // once, even if it is two operands of this instruction
  w->free[w->n_free++] = w->of[v];
}

static uint32_t take(slots *w, uint32_t v) {
  return w->of[v] = w->n_free > 0 ? w->free[--w->n_free] : w->top++;
}

// A result may take the slot of an operand that dies here: operands are read before results are written
static uint32_t *write_step(hml_program *p, slots *w, uint32_t step, uint32_t *at) {
  const instruction *i = &p->instructions[p->order[step]];
  unsigned operands = instruction_rows[i->op].operands;
  uint32_t source[3];
  for (unsigned k = 0; k < operands; k++) source[k] = w->of[operand_of(i, k)];
  for (unsigned k = 0; k < operands; k++) release(w, operand_of(i, k), step);
  *at++ = take(w, i->result);
  w->made[i->result] = step;
  if (i->second != NO_VALUE) *at++ = take(w, i->second), w->made[i->second] = step;
  for (unsigned k = 0; k < operands; k++) *at++ = source[k];
  return at;
}

// Sines of sines: arguments of a run of pairs are read before its first result is written
static bool waits_for_run(const hml_program *p, const slots *w, uint32_t step, uint32_t begun) {
  const instruction *i = &p->instructions[p->order[step]];
  return i->op == OP_sincos && i->a >= p->n_constants + p->n_in && w->made[i->a] >= begun;
}

static void write_stream(hml_program *p, slots *w) {
  uint32_t *at = p->stream, *length = NULL, op = OP_HALT, begun = 0;
  for (uint32_t step = 0; step < p->n_instructions; step++) {
    if (p->instructions[p->order[step]].op != op || waits_for_run(p, w, step, begun)) {
      begun = step;
      *at++ = op = p->instructions[p->order[step]].op;
      length = at++;
      *length = 0;
    }
    ++*length;
    at = write_step(p, w, step, at);
  }
  *at++ = OP_HALT;
  *at++ = 0;
  p->stream_length = (uint32_t)(at - p->stream);
  p->work_size = w->top;
  for (uint32_t i = 0; i < p->n_out; i++) p->output_slots[i] = w->of[p->outputs[i]];
}

static double cost_of(const hml_program *p) {
  double sum = 0;
  for (uint32_t k = 0; k < p->n_instructions; k++) {
    uint32_t op = p->instructions[k].op;
    bool cheap = op == OP_abs || op == OP_min || op == OP_max || op == OP_sign;
    sum += op == OP_div || op == OP_sqrt ? 5 : (op < HML_FUN_COUNT && !cheap) || op == OP_pow || op == OP_sincos ? 20 : 1;
  }
  return sum;
}

hml_status list_instructions(assembly *s, hml_program **out) {
  counts n = count(s);
  uint32_t *number = hml_arena_alloc(&s->arena, (s->n + 1) * sizeof *number);
  hml_program *p = number ? allocate(s->context, s->n_in, s->n_out, &n) : NULL;
  if (!p) return HML_MEMORY;
  copy_names(p, s);
  renumber(p, s, number);
  *out = p;
  return HML_OK;
}

hml_status schedule(assembly *s, hml_program **out) {
  hml_program *p;
  HML_TRY(list_instructions(s, &p));
  scheduler d = {.p = p};
  slots w = {0};
  hml_status status = link_users(&d, &s->arena);
  if (status == HML_OK) order_stream(&d, p->order);
  if (status == HML_OK) status = find_last_uses(&w, p, &s->arena);
  if (status == HML_OK) write_stream(p, &w);
  p->cost = cost_of(p);
#ifndef NDEBUG
  if (status == HML_OK) status = verify_program(s->context, p);
#endif
  if (status == HML_OK) *out = p;
  else hml_program_free(p);
  return status;
}

// ---- getters

void hml_program_free(hml_program *p) {
  if (!p) return;
  hml_native__free(p->native);
  hml_native__free(p->entry);
  hml_dealloc(p->context, p, p->size);
}

hml_status hml_program__compile(hml_program *p) {
  if (!p->native) HML_TRY(hml_native__new(p->context, p, 1, &p->native));
  p->code = p->native ? hml_native__code(p->native) : NULL;
  return HML_OK;
}

hml_status hml_program__compile_entry(hml_program *p, const hml_entry_layout *l) {
  return p->entry ? HML_OK : hml_native__new_entry(p->context, p, l, &p->entry);
}

hml_entry_code hml_program__entry(const hml_program *p) {
  return p->entry ? hml_native__entry(p->entry) : NULL;
}

void hml_program__set_code(hml_program *p, hml_foreign_code code) {
  p->code = code ? code : p->native ? hml_native__code(p->native) : NULL;
}

double hml_program__cost(const hml_program *p) {
  return p->cost;
}

bool hml_program__is_native(const hml_program *p) {
  return p->native != NULL;
}

size_t hml_program_inputs(const hml_program *p) {
  return p->n_in;
}

size_t hml_program_outputs(const hml_program *p) {
  return p->n_out;
}

size_t hml_program_operations(const hml_program *p) {
  return p->n_instructions;
}

size_t hml_program_work_size(const hml_program *p) {
  size_t size = p->work_size;
  const hml_native *codes[] = {p->native, p->entry};
  for (int k = 0; k < 2; k++)
    if (codes[k] && hml_native__work_size(codes[k]) > size) size = hml_native__work_size(codes[k]);
  return size;
}

const char *hml_program__input_name(const hml_program *p, size_t i) {
  return p->texts + p->names[i];
}
