// emit_x86.c: machine code for x86-64 with AVX2 (1 or 4 lanes) or AVX-512 (8 lanes).
//
// One pass over the instructions in the order of gather.c. A value is in a register, in its home in memory, or in both. The home of a
// constant is the pool, of an input `in`, of an output `out`, of any other value a slot of `work`. If no register is free, the value whose
// next use is farthest leaves its register (Belady's rule) and is stored in its home. Calls preserve no vector register, so all values that
// are used later are stored before them. Sines and cosines of up to eight angles that do not wait for each other take one call.
// The code of a right-hand side (hml_entry_code) reads its states where the caller has them. It sums 0 times each state and rate in a register
// of its own; the sum is 0 if all of them are finite and not a number otherwise.
// The processor fetches long straight code at so many bytes a cycle, so that its time goes with its length. A displacement of one byte reaches 256 bytes:
// base registers point into the middle of what it reaches, and registers that nothing else uses point at other parts of memory that are read often (windows).
// Where the processor has AVX-512, one lane and four lanes use its 32 registers too, and its short displacements, which count in vectors.
// Encodings: Intel 64 and IA-32 Architectures Software Developer's Manual, volume 2, 2.3 (VEX) and 2.7 (EVEX).
#include "emit.h"

#if defined __x86_64__ && defined __linux__
#include <math.h>
#include <string.h>

#define NEVER UINT32_MAX
#define NO_SLOT UINT32_MAX
enum { MOST_REGISTERS = 32, RAX = 0, IN = 3, STACK = 4, OUT = 5, MARGINS = 12, STATES = 13, POOL = 14, WORK = 15 };   // rbx, rsp, rbp, r12 to r15
enum { SHORT = 128 };                  // bytes that a short displacement reaches back, and ahead; with EVEX vectors
enum { WINDOWS = 9, TOUCHES = 64, OFTEN = 3 };   // uses without a call between them from which on a window pays
static const unsigned window_registers[WINDOWS] = {0, 1, 2, 6, 7, 8, 9, 10, 11};   // calls preserve none of them; the first ones make shorter code
enum { LEAST_CODE = 512, BYTES = 9 };   // of code; about as many take an instruction
enum { FINITE = 15 };                  // the register of the sum of zeros

typedef struct home {
  unsigned base;
  uint32_t index;                      // in vectors
} home;

// 2 SHORT bytes of memory behind a base register
typedef struct part_of_memory {
  unsigned base;
  int64_t number;
} part_of_memory;

typedef struct window {
  part_of_memory part;
  uint64_t used;                       // at the last use the clock was there; 0: the register points nowhere
} window;

typedef struct touched {
  part_of_memory part;
  uint32_t times;
  size_t window;                       // the one it had last
} touched;

typedef struct emitter {
  hml_emission *e;
  const hml_program *p;
  hml_arena arena;
  unsigned registers, masks;           // vectors in front of the constants in the pool
  bool many;                           // the 32 registers of AVX-512 for vectors shorter than its own
  int64_t bias[16];                    // bytes by which a base register points behind the start of its array
  bool windowed;
  window windows[WINDOWS];
  touched touches[TOUCHES];            // parts read since the last call; of those that share a place the latest
  uint64_t clock;                      // uses of parts so far
  size_t bytes;                        // of one vector
  uint32_t held[MOST_REGISTERS];       // value in a register
  uint32_t empty;                      // registers without one, as bits
  uint32_t *next;                      // next use of a value as seen from here                    (n_values)
  uint32_t *after;                     // next use of the value behind operand k of instruction i  (3 n_instructions)
  int8_t *in_register;                 // -1: none                                                 (n_values)
  bool *at_home;                       // memory holds it                                          (n_values)
  home *homes;                         // of values that have one                                  (n_values)
  bool *has_home;
  bool *summed;                        // 0 times the value is part of the sum of zeros            (n_values)
  uint32_t *rate_at;                   // of a state: the rate that it is, + 1; 0: none            (n_values)
  uint32_t *free_slots, n_free;
  uint32_t pinned;                     // registers the present instruction needs
  hml_status status;
} emitter;

typedef struct operand {
  bool memory;
  unsigned reg;
  unsigned base;                       // of memory, with its offset
  int64_t offset;
} operand;

// ---- bytes

static hml_status enlarge(hml_emission *e, size_t capacity) {
  unsigned char *larger = hml_realloc(e->context, e->code, e->capacity, capacity);
  if (!larger) return HML_MEMORY;
  e->code = larger;
  e->capacity = capacity;
  return HML_OK;
}

// Where the next n bytes go, at most LEAST_CODE
static inline unsigned char *take(emitter *m, size_t n) {
  hml_emission *e = m->e;
  if (e->capacity - e->size < n && enlarge(e, 2 * e->capacity) != HML_OK) {
    m->status = HML_MEMORY;
    e->size = 0;                       // the rest is not used
  }
  unsigned char *place = e->code + e->size;
  e->size += n;
  return place;
}

static void put(emitter *m, unsigned byte) {
  *take(m, 1) = (unsigned char)byte;
}

static inline void put_bytes(emitter *m, size_t n, const unsigned char *bytes) {
  memcpy(take(m, n), bytes, n);
}

static void put_32(emitter *m, uint32_t x) {
  memcpy(take(m, sizeof x), &x, sizeof x);
}

static void put_64(emitter *m, uint64_t x) {
  memcpy(take(m, sizeof x), &x, sizeof x);
}

static int64_t offset_of(const emitter *m, home h) {
  return (int64_t)h.index * (int64_t)m->bytes - m->bias[h.base];
}

static bool is_short(int64_t offset) {
  return offset >= -128 && offset < 128;
}

// modrm and displacement. Short displacements count in units: of one byte, of EVEX of what it reads
static void put_operand(emitter *m, unsigned reg, operand x, int64_t unit) {
  if (!x.memory) {
    put(m, 0xC0 | (reg & 7) << 3 | (x.reg & 7));
    return;
  }
  const int64_t offset = x.offset;
  const bool reaches = offset % unit == 0 && is_short(offset / unit);
  if (offset > INT32_MAX) m->status = hml_fail(m->e->context, HML_LIMIT, "program: too long for machine code");
  const uint32_t displacement = reaches ? (uint32_t)(offset / unit) : (uint32_t)offset;
  unsigned char bytes[6] = {(unsigned char)((reaches ? 0x40u : 0x80u) | (reg & 7) << 3 | (x.base & 7)), 0x24};
  const size_t at = (x.base & 7) == STACK ? 2 : 1, size = at + (reaches ? 1 : sizeof displacement);   // rsp and r12 take a byte more
  memcpy(bytes + at, &displacement, sizeof displacement);
  put_bytes(m, sizeof bytes, bytes);
  m->e->size -= sizeof bytes - size;
}

enum { P_NONE = 0, P_66 = 1, P_F3 = 2, P_F2 = 3 };

// Of short vectors: for registers above 15, and for memory that is near enough in units of vectors only. unit: bytes that it reads
static bool takes_evex(const emitter *m, unsigned d, unsigned s, operand x, int64_t unit) {
  if (!m->many) return m->e->lanes == 8;
  if (d > 15 || s > 15 || (!x.memory && x.reg > 15)) return true;
  if (!x.memory) return false;
  return !is_short(x.offset) && x.offset % unit == 0 && is_short(x.offset / unit);
}

// map: 1 of the codes behind 0F, 2 of those behind 0F 38
static void evex(emitter *m, unsigned map, unsigned prefix, unsigned code, unsigned d, unsigned s, operand x, int64_t unit) {
  const unsigned rm = x.memory ? x.base : x.reg, b = rm >> 3 & 1, high = x.memory ? 0 : rm >> 4 & 1;
  const unsigned length = m->e->lanes == 8 ? 0x40 : m->e->lanes == 4 ? 0x20 : 0;
  const unsigned char bytes[] = {0x62, (unsigned char)((~d >> 3 & 1) << 7 | (high ^ 1) << 6 | (b ^ 1) << 5 | (~d >> 4 & 1) << 4 | map),
                                 (unsigned char)(0x84 | (~s & 15) << 3 | prefix), (unsigned char)(length | (~s >> 4 & 1) << 3), (unsigned char)code};
  put_bytes(m, sizeof bytes, bytes);
  put_operand(m, d, x, unit);
}

// d = s (code) x of doubles: F2 prefix on one lane, 66 on several. two: s is used
static void vector_op(emitter *m, unsigned prefix, unsigned code, unsigned d, unsigned s, bool two, operand x) {
  const unsigned rm = x.memory ? x.base : x.reg;
  const int64_t unit = prefix == P_F2 || m->e->lanes > 1 ? (int64_t)m->bytes : 16;          // masks of one lane are read in pairs
  if (takes_evex(m, d, two ? s : 0, x, unit)) {
    evex(m, 1, prefix, code, d, two ? s : 0, x, unit);
    return;
  }
  if (rm < 8) {                                                                             // the short form has no bit for a register above 7 there
    const unsigned char bytes[] = {0xC5, (unsigned char)((~d >> 3 & 1) << 7 | (two ? ~s & 15 : 15) << 3 | (m->e->lanes == 4) << 2 | prefix), (unsigned char)code};
    put_bytes(m, sizeof bytes, bytes);
    put_operand(m, d, x, 1);
    return;
  }
  const unsigned char bytes[] = {0xC4, (unsigned char)((~d >> 3 & 1) << 7 | 0x40 | 1),
                                 (unsigned char)((two ? ~s & 15 : 15) << 3 | (m->e->lanes == 4) << 2 | prefix), (unsigned char)code};
  put_bytes(m, sizeof bytes, bytes);
  put_operand(m, d, x, 1);
}

// d = +-(s x) +- d with one rounding: 231 forms, always of doubles
static void fused_op(emitter *m, unsigned code, unsigned d, unsigned s, operand x) {
  const unsigned rm = x.memory ? x.base : x.reg, form = code + (m->e->lanes == 1);     // the forms of one double are the next ones
  if (takes_evex(m, d, s, x, (int64_t)m->bytes)) {
    evex(m, 2, P_66, form, d, s, x, (int64_t)m->bytes);
    return;
  }
  const unsigned char bytes[] = {0xC4, (unsigned char)((~d >> 3 & 1) << 7 | 0x40 | (~rm >> 3 & 1) << 5 | 2),
                                 (unsigned char)(0x80 | (~s & 15) << 3 | (m->e->lanes == 4) << 2 | P_66), (unsigned char)form};
  put_bytes(m, sizeof bytes, bytes);
  put_operand(m, d, x, 1);
}

static operand in_reg(unsigned reg) {
  return (operand){.reg = reg};
}

static void point_at(emitter *m, unsigned general, unsigned base, int64_t offset) {   // lea general, [base + offset]
  put(m, 0x48 | (general >> 3) << 2 | (base >> 3 & 1));
  put(m, 0x8D);
  put(m, 0x80 | (general & 7) << 3 | (base & 7));
  if ((base & 7) == STACK) put(m, 0x24);
  put_32(m, (uint32_t)(int32_t)offset);
}

static bool same_part(part_of_memory a, part_of_memory b) {
  return a.base == b.base && a.number == b.number;
}

static void close_windows(emitter *m) {
  memset(m->windows, 0, sizeof m->windows);
  memset(m->touches, 0, sizeof m->touches);
}

static size_t unused_for_longest(const emitter *m) {
  size_t oldest = 0;
  for (size_t i = 1; i < WINDOWS; i++)
    if (m->windows[i].used < m->windows[oldest].used) oldest = i;
  return oldest;
}

// The window of a part, WINDOWS: it has none. One that is used often gets a register: a free one, or that of the window unused for longest
static size_t window_of(emitter *m, part_of_memory part) {
  touched *t = &m->touches[((uint64_t)part.number * 4 + (part.base & 3)) % TOUCHES];
  m->clock++;
  if (!same_part(t->part, part)) *t = (touched){part, 0, 0};
  window *w = &m->windows[t->window];
  if (w->used && same_part(w->part, part)) {
    w->used = m->clock;
    return t->window;
  }
  if (++t->times < OFTEN) return WINDOWS;
  t->times = 0;
  t->window = unused_for_longest(m);
  m->windows[t->window] = (window){part, m->clock};
  point_at(m, window_registers[t->window], part.base, part.number * 2 * SHORT);
  return t->window;
}

static operand in_memory(emitter *m, home h) {
  operand x = {.memory = true, .base = h.base, .offset = offset_of(m, h)};
  if (!m->windowed || is_short(x.offset) || x.offset > INT32_MAX / 2) return x;
  const part_of_memory part = {h.base, (x.offset + SHORT) / (2 * SHORT)};
  const size_t i = window_of(m, part);
  if (i == WINDOWS) return x;
  x.base = window_registers[i];
  x.offset -= part.number * 2 * SHORT;
  return x;
}

static unsigned arithmetic_prefix(const emitter *m) {
  return m->e->lanes == 1 ? P_F2 : P_66;
}

static void load(emitter *m, unsigned d, home h) {
  vector_op(m, arithmetic_prefix(m), 0x10, d, 0, false, in_memory(m, h));
}

static void store(emitter *m, unsigned s, home h) {
  vector_op(m, arithmetic_prefix(m), 0x11, s, 0, false, in_memory(m, h));
}

static void move(emitter *m, unsigned d, unsigned s) {
  if (d != s) vector_op(m, P_66, 0x28, d, 0, false, in_reg(s));
}

static void load_address(emitter *m, unsigned general, home h) {
  point_at(m, general, h.base, offset_of(m, h));
}

static const home sum_of_zeros = {STACK, 0};

static void call(emitter *m, const void *function) {                   // mov rax, imm64; call rax
  uint64_t address = 0;
  memcpy(&address, &function, sizeof function);
  if (m->e->entry) store(m, FINITE, sum_of_zeros);
  put(m, 0x48), put(m, 0xB8);
  put_64(m, address);
  put(m, 0xFF), put(m, 0xD0);
  close_windows(m);
  if (m->e->entry) load(m, FINITE, sum_of_zeros);
}

enum { ADD = 0x58, MUL = 0x59, SUB = 0x5C, DIV = 0x5E, SQRT = 0x51, XOR = 0x57, COMPARE = 0x2E, MULTIPLY_ADD = 0xB8 };

static operand zeros(emitter *m) {
  return in_memory(m, (home){POOL, m->masks + m->p->n_constants});
}

static void sum_zero(emitter *m, unsigned reg) {
  fused_op(m, MULTIPLY_ADD, FINITE, reg, zeros(m));
}

static bool has_margins(const emitter *m) {
  return m->p->n_out > m->e->entry->rates;
}

// Copies t and the states into `in`, and states that are rates too, as velocities are, to where these belong. Single numbers: a pair that is read right after one of its numbers was written waits for the write to end.
static void begin_entry(emitter *m) {
  static const unsigned char saved[] = {0x53, 0x55, 0x41, 0x55, 0x41, 0x56, 0x41, 0x57},                // push rbx rbp r13 r14 r15
                             with_margins[] = {0x41, 0x54, 0x48, 0x83, 0xEC, 0x08, 0x4D, 0x89, 0xC4},     // push r12; sub rsp, 8; r12 = r8
                             without[] = {0x48, 0x83, 0xEC, 0x10},                                        // sub rsp, 16: room for the sum over calls
                             arguments[] = {0x48, 0x89, 0xD3, 0x48, 0x89, 0xF5, 0x49, 0x89, 0xCF, 0x49, 0x89, 0xFD,   // rbx = rdx, rbp = rsi, r15 = rcx, r13 = rdi
                                            0x49, 0xBE};                                                  // mov r14, imm64
  const uint32_t n = (uint32_t)m->e->entry->states;
  put_bytes(m, sizeof saved, saved);
  if (has_margins(m)) put_bytes(m, sizeof with_margins, with_margins);
  else put_bytes(m, sizeof without, without);
  put_bytes(m, sizeof arguments, arguments);
  put_64(m, (uint64_t)(uintptr_t)m->e->pool);
  store(m, 0, (home){IN, 0});
  vector_op(m, P_66, XOR, FINITE, FINITE, true, in_reg(FINITE));
  sum_zero(m, 0);
  for (uint32_t i = 0; i < n; i++) {
    load(m, 1, (home){STATES, i});
    store(m, 1, (home){IN, 1 + i});
    sum_zero(m, 1);
    const uint32_t v = m->p->n_constants + 1 + i;
    if (m->rate_at[v]) store(m, 1, (home){OUT, m->rate_at[v] - 1});
    m->summed[v] = true;
  }
}

static void end_entry(emitter *m) {
  static const unsigned char verdict[] = {0x0F, 0x9B, 0xC0, 0x0F, 0xB6, 0xC0},                           // setnp al; movzx eax, al
                             with_margins[] = {0x48, 0x83, 0xC4, 0x08, 0x41, 0x5C},                       // add rsp, 8; pop r12
                             without[] = {0x48, 0x83, 0xC4, 0x10},                                        // add rsp, 16
                             back[] = {0x41, 0x5F, 0x41, 0x5E, 0x41, 0x5D, 0x5D, 0x5B, 0xC3};             // pop r15 r14 r13 rbp rbx; ret
  vector_op(m, P_66, COMPARE, FINITE, 0, false, zeros(m));
  put_bytes(m, sizeof verdict, verdict);
  if (has_margins(m)) put_bytes(m, sizeof with_margins, with_margins);
  else put_bytes(m, sizeof without, without);
  put_bytes(m, sizeof back, back);
}

static void begin(emitter *m) {
  static const unsigned char prologue[] = {0x53, 0x55, 0x41, 0x56, 0x41, 0x57, 0x48, 0x83, 0xEC, 0x08,   // push rbx rbp r14 r15; sub rsp, 8
                                           0x48, 0x89, 0xFB, 0x48, 0x89, 0xF5, 0x49, 0x89, 0xD7,         // mov rbx, rdi; rbp, rsi; r15, rdx
                                           0x49, 0xBE};                                                  // mov r14, imm64
  put_bytes(m, sizeof prologue, prologue);
  put_64(m, (uint64_t)((uintptr_t)m->e->pool + (uintptr_t)m->bias[POOL]));
  if (m->bias[WORK]) point_at(m, WORK, WORK, m->bias[WORK]);
  if (m->bias[OUT]) point_at(m, OUT, OUT, m->bias[OUT]);
}

static void end_lanes(emitter *m) {
  if (m->e->lanes > 1) put(m, 0xC5), put(m, 0xF8), put(m, 0x77);       // vzeroupper
}

static void end(emitter *m) {
  static const unsigned char epilogue[] = {0x48, 0x83, 0xC4, 0x08, 0x41, 0x5F, 0x41, 0x5E, 0x5D, 0x5B, 0xC3};
  end_lanes(m);
  put_bytes(m, sizeof epilogue, epilogue);
}

// ---- registers and homes

static home home_of(emitter *m, uint32_t v) {
  if (!m->has_home[v]) {
    m->homes[v] = (home){WORK, m->n_free > 0 ? m->free_slots[--m->n_free] : m->e->slots++};
    m->has_home[v] = true;
  }
  return m->homes[v];
}

static void send_home(emitter *m, uint32_t v) {
  if (m->at_home[v]) return;
  store(m, (unsigned)m->in_register[v], home_of(m, v));
  m->at_home[v] = true;
}

static void leave_register(emitter *m, unsigned r) {
  if (m->held[r] == NO_VALUE) return;
  m->in_register[m->held[r]] = -1;
  m->held[r] = NO_VALUE;
  m->empty |= UINT32_C(1) << r;
}

// Gives back the register of a value nobody needs any more
static void forget_register(emitter *m, uint32_t v) {
  if (m->next[v] == NEVER && m->in_register[v] >= 0) leave_register(m, (unsigned)m->in_register[v]);
}

// The slot too: only when the code that reads it has been written
static void forget(emitter *m, uint32_t v) {
  if (m->next[v] != NEVER) return;
  forget_register(m, v);
  if (m->has_home[v] && m->homes[v].base == WORK) {
    m->free_slots[m->n_free++] = m->homes[v].index;
    m->has_home[v] = m->at_home[v] = false;
  }
}

static bool any_free(const emitter *m) {
  return (m->empty & ~m->pinned) != 0;
}

static void hold(emitter *m, unsigned r, uint32_t v) {
  m->held[r] = v;
  m->in_register[v] = (int8_t)r;
  m->empty &= ~(UINT32_C(1) << r);
}

// The register whose value is needed last, the first of equal ones
static unsigned farthest(const emitter *m) {
  unsigned best = MOST_REGISTERS;
  uint32_t latest = 0;
  for (unsigned r = 0; r < m->registers; r++) {
    if (m->pinned >> r & 1) continue;
    uint32_t next = m->next[m->held[r]];
    if (best == MOST_REGISTERS || next > latest) best = r, latest = next;
  }
  return best;
}

// A register nobody needs now; pinned for the rest of the instruction
static unsigned claim(emitter *m) {
  unsigned r;
  if (any_free(m)) {
    r = (unsigned)__builtin_ctz(m->empty & ~m->pinned);
  } else {
    r = farthest(m);
    if (m->next[m->held[r]] != NEVER) send_home(m, m->held[r]);
    leave_register(m, r);
  }
  m->pinned |= UINT32_C(1) << r;
  return r;
}

static unsigned fetch(emitter *m, uint32_t v) {
  if (m->in_register[v] < 0) {
    unsigned r = claim(m);
    load(m, r, m->homes[v]);
    hold(m, r, v);
  }
  m->pinned |= UINT32_C(1) << m->in_register[v];
  return (unsigned)m->in_register[v];
}

// As the last operand of an instruction: from memory where it is used only here or no register is free
static operand last_operand(emitter *m, uint32_t v, uint32_t later) {
  if (m->in_register[v] >= 0 || (later != NEVER && any_free(m))) return in_reg(fetch(m, v));
  return in_memory(m, m->homes[v]);
}

// The value v was made in register r
static void define(emitter *m, uint32_t v, unsigned r) {
  hold(m, r, v);
  if (m->has_home[v]) send_home(m, v);                                 // an output
  if (m->has_home[v] && m->homes[v].base == OUT && m->e->entry) {
    sum_zero(m, r);
    m->summed[v] = true;
  }
  if (m->next[v] == NEVER) forget(m, v);
}

// ---- instructions

static void into(emitter *m, unsigned d, uint32_t v) {
  if (m->in_register[v] >= 0) move(m, d, (unsigned)m->in_register[v]);
  else load(m, d, m->homes[v]);
}

// Before instruction k is written: values that it uses for the last time leave their registers
static void release_registers(emitter *m, uint32_t k) {
  const instruction *i = &m->p->instructions[k];
  unsigned n = instruction_rows[i->op].operands;
  const uint32_t v[3] = {i->a, i->b, i->c};
  for (unsigned o = 0; o < n; o++) m->next[v[o]] = m->after[3 * k + o];
  for (unsigned o = 0; o < n; o++) forget_register(m, v[o]);
}

// It has been written
static void release_operands(emitter *m, uint32_t k) {
  const instruction *i = &m->p->instructions[k];
  const uint32_t v[3] = {i->a, i->b, i->c};
  release_registers(m, k);
  for (unsigned o = 0; o < instruction_rows[i->op].operands; o++) forget(m, v[o]);
}

static void binary(emitter *m, uint32_t k, unsigned code, bool commutes) {
  const instruction *i = &m->p->instructions[k];
  uint32_t a = i->a, b = i->b;
  unsigned behind = 1;
  if (commutes && m->in_register[a] < 0 && m->in_register[b] >= 0) a = i->b, b = i->a, behind = 0;
  unsigned s = fetch(m, a);
  operand x = last_operand(m, b, m->after[3 * k + behind]);
  m->pinned = 0;
  release_registers(m, k);
  unsigned d = claim(m);
  vector_op(m, arithmetic_prefix(m), code, d, s, true, x);
  release_operands(m, k);
  define(m, i->result, d);
}

// a*b into a register of its own, then with c
static void multiply_add(emitter *m, uint32_t k) {
  const instruction *i = &m->p->instructions[k];
  uint32_t a = i->a, b = i->b;
  unsigned behind = 1;
  if (m->in_register[a] < 0 && m->in_register[b] >= 0) a = i->b, b = i->a, behind = 0;
  unsigned s = fetch(m, a);
  operand x = last_operand(m, b, m->after[3 * k + behind]);
  unsigned product = claim(m);
  vector_op(m, arithmetic_prefix(m), MUL, product, s, true, x);
  m->pinned = UINT32_C(1) << product;
  operand c = i->op == OP_nmadd ? in_reg(fetch(m, i->c)) : last_operand(m, i->c, m->after[3 * k + 2]);
  if (i->op == OP_nmadd) vector_op(m, arithmetic_prefix(m), SUB, product, c.reg, true, in_reg(product));
  else vector_op(m, arithmetic_prefix(m), i->op == OP_madd ? ADD : SUB, product, product, true, c);
  release_operands(m, k);
  define(m, i->result, product);
}

// The third operand turns into the result where it is not needed any more
static void fused(emitter *m, uint32_t k) {
  const instruction *i = &m->p->instructions[k];
  uint32_t a = i->a, b = i->b, c = i->c;
  unsigned behind = 1, d;
  if (m->in_register[a] < 0 && m->in_register[b] >= 0) a = i->b, b = i->a, behind = 0;
  if (m->in_register[c] >= 0) m->pinned |= UINT32_C(1) << m->in_register[c];
  unsigned s = fetch(m, a);
  operand x = last_operand(m, b, m->after[3 * k + behind]);
  if (m->in_register[c] >= 0 && m->after[3 * k + 2] == NEVER && c != a && c != b) {
    d = (unsigned)m->in_register[c];
    leave_register(m, d);
  } else {
    d = claim(m);
    into(m, d, c);
  }
  fused_op(m, i->op == OP_fma ? 0xB8 : i->op == OP_fnma ? 0xBC : 0xBA, d, s, x);
  release_operands(m, k);
  define(m, i->result, d);
}

static void unary(emitter *m, uint32_t k) {
  const instruction *i = &m->p->instructions[k];
  bool root = i->op == OP_sqrt;
  unsigned s = fetch(m, i->a);
  m->pinned = 0;
  release_registers(m, k);
  unsigned d = claim(m);
  home mask = {POOL, i->op == OP_neg ? 0 : m->masks / 2};
  bool wide = m->e->lanes == 8 || m->many;                              // the integer forms belong to the foundation of AVX-512
  if (root) vector_op(m, arithmetic_prefix(m), SQRT, d, m->e->lanes == 1 ? s : 0, m->e->lanes == 1, in_reg(s));
  else vector_op(m, P_66, i->op == OP_neg ? (wide ? 0xEF : 0x57) : (wide ? 0xDB : 0x54), d, s, true, in_memory(m, mask));
  release_operands(m, k);
  define(m, i->result, d);
}

// Everything that is needed after instruction k goes home; `too`: its operands as well
static void clear_registers(emitter *m, uint32_t k, bool too) {
  const instruction *i = &m->p->instructions[k];
  const uint32_t v[3] = {i->a, i->b, i->c};
  unsigned n = instruction_rows[i->op].operands;
  for (unsigned r = 0; r < m->registers; r++) {
    if (m->held[r] == NO_VALUE) continue;
    bool operand_here = false;
    uint32_t later = m->next[m->held[r]];
    for (unsigned o = 0; o < n; o++)
      if (v[o] == m->held[r]) operand_here = true, later = m->after[3 * k + o];
    if (later != NEVER || (too && operand_here)) send_home(m, m->held[r]);
  }
}

static void empty_registers(emitter *m) {
  for (unsigned r = 0; r < m->registers; r++) leave_register(m, r);
}

// A function whose arguments and result travel in registers
static void call_in_registers(emitter *m, uint32_t k, const void *function) {
  const instruction *i = &m->p->instructions[k];
  bool two = instruction_rows[i->op].operands == 2;
  clear_registers(m, k, false);
  if (two && m->in_register[i->b] == 0) {
    unsigned spare = m->in_register[i->a] == 2 ? 3 : 2;                 // whatever was there is at home, or b
    into(m, spare, i->b);
    into(m, 0, i->a);
    move(m, 1, spare);
  } else {
    into(m, 0, i->a);
    if (two && i->a == i->b) move(m, 1, 0);
    else if (two) into(m, 1, i->b);
  }
  call(m, function);
  empty_registers(m);
  release_operands(m, k);
  define(m, i->result, 0);
}

// A function that works on memory: result(s) get homes
static void result_home(emitter *m, uint32_t v, home *h) {
  *h = home_of(m, v);
  m->at_home[v] = true;
}

static void call_lanewise(emitter *m, uint32_t k, const void *function) {
  const instruction *i = &m->p->instructions[k];
  bool two = instruction_rows[i->op].operands == 2;
  home result;
  clear_registers(m, k, true);
  empty_registers(m);
  result_home(m, i->result, &result);
  load_address(m, 7, m->homes[i->a]);                                   // rdi
  load_address(m, 6, m->homes[two ? i->b : i->a]);                      // rsi
  load_address(m, 2, result);                                           // rdx
  end_lanes(m);
  call(m, function);
  release_operands(m, k);
  forget(m, i->result);
}

static const void *address_of(hml_circle_function function) {
  const void *address;
  memcpy(&address, &function, sizeof address);
  return address;
}

// Its sine and cosine come back in registers
static void circle_of_one(emitter *m, uint32_t k) {
  const instruction *i = &m->p->instructions[k];
  clear_registers(m, k, false);
  into(m, 0, i->a);
  call(m, address_of((hml_circle_function)hml_circle__of));
  empty_registers(m);
  release_operands(m, k);
  define(m, i->result, i->op == OP_cos);
  if (i->op == OP_sincos) define(m, i->second, 1);
}

// Arguments of a group in registers 0, 1, ...; one that would be overwritten before its turn comes from its home
static void group_arguments(emitter *m, const uint32_t *members, uint32_t count, uint32_t width) {
  for (uint32_t j = 0; j < count; j++) {
    const uint32_t v = m->p->instructions[members[j]].a;
    const int r = m->in_register[v];
    if (r < 0 || r == (int)j || r >= (int)width) continue;
    send_home(m, v);
    leave_register(m, (unsigned)r);
  }
  for (uint32_t j = 0; j < count; j++) into(m, j, m->p->instructions[members[j]].a);
  for (uint32_t j = count; j < width; j++) move(m, j, 0);
}

static void free_slot(emitter *m, uint32_t slot) {
  m->free_slots[m->n_free++] = slot;
}

// The result v of a group is in a slot: its home, if it is no output
static void take_result(emitter *m, uint32_t v, uint32_t slot) {
  if (m->has_home[v]) {
    load(m, 0, (home){WORK, slot});
    store(m, 0, m->homes[v]);
    free_slot(m, slot);
  } else {
    m->homes[v] = (home){WORK, slot};
    m->has_home[v] = true;
  }
  m->at_home[v] = true;
  forget(m, v);
}

// Sines, then cosines, come back in slots side by side
static void circle_of_group(emitter *m, const uint32_t *members, uint32_t count) {
  const uint32_t width = count == 2 ? 2 : count <= 4 ? 4 : 8, slots = m->e->slots;
  m->e->slots += 2 * width;
  for (uint32_t j = 0; j < count; j++) m->next[m->p->instructions[members[j]].a] = m->after[3 * members[j]];
  for (unsigned r = 0; r < m->registers; r++)
    if (m->held[r] != NO_VALUE && m->next[m->held[r]] != NEVER) send_home(m, m->held[r]);
  group_arguments(m, members, count, width);
  empty_registers(m);
  load_address(m, 7, (home){WORK, slots});
  load_address(m, 6, (home){WORK, slots + width});
  call(m, address_of(hml_circle__of_registers(width)));
  for (uint32_t j = 0; j < width; j++) {
    const instruction *i = j < count ? &m->p->instructions[members[j]] : NULL;
    if (i) forget(m, i->a);
    if (i && i->op != OP_cos) take_result(m, i->result, slots + j);
    else free_slot(m, slots + j);
    if (i && i->op != OP_sin) take_result(m, i->op == OP_cos ? i->result : i->second, slots + width + j);
    else free_slot(m, slots + width + j);
  }
}

// Of one vector, with one number for each lane
static void circle_of_lanes(emitter *m, uint32_t k) {
  const instruction *i = &m->p->instructions[k];
  const bool both = i->op == OP_sincos;
  home first, second = {WORK, 0};
  clear_registers(m, k, false);
  into(m, 0, i->a);
  empty_registers(m);
  result_home(m, i->result, &first);
  if (both) result_home(m, i->second, &second);
  else second.index = m->n_free > 0 ? m->free_slots[--m->n_free] : m->e->slots++;
  load_address(m, i->op == OP_cos ? 6 : 7, first);
  load_address(m, i->op == OP_cos ? 7 : 6, second);
  call(m, address_of(hml_circle__of_vector(m->e->lanes)));
  if (!both) free_slot(m, second.index);
  release_operands(m, k);
  forget(m, i->result);
  if (both) forget(m, i->second);
}

static void circles(emitter *m, const uint32_t *members, uint32_t count) {
  m->pinned = 0;
  if (m->e->lanes == 1 && count > 1) {
    circle_of_group(m, members, count);
    return;
  }
  for (uint32_t j = 0; j < count; j++) m->e->lanes == 1 ? circle_of_one(m, members[j]) : circle_of_lanes(m, members[j]);
}

static void function_call(emitter *m, uint32_t k) {
  const instruction *i = &m->p->instructions[k];
  const void *address;
  if (m->e->lanes == 1) {
    hml_scalar_function f = hml_emit__scalar(i->op);
    memcpy(&address, &f, sizeof address);
    call_in_registers(m, k, address);
    return;
  }
  void *vector = hml_emit__vector(i->op, m->e->lanes);
  if (vector) {
    call_in_registers(m, k, vector);
    return;
  }
  hml_lane_function f = hml_emit__lanewise(i->op, m->e->lanes);
  memcpy(&address, &f, sizeof address);
  call_lanewise(m, k, address);
}

static void emit(emitter *m, uint32_t k) {
  m->pinned = 0;
  switch (m->p->instructions[k].op) {
    case OP_add: binary(m, k, ADD, true); break;
    case OP_mul: binary(m, k, MUL, true); break;
    case OP_sub: binary(m, k, SUB, false); break;
    case OP_div: binary(m, k, DIV, false); break;
    case OP_madd: case OP_nmadd: case OP_msub: multiply_add(m, k); break;
    case OP_fma: case OP_fnma: case OP_fms: fused(m, k); break;
    case OP_neg: case OP_sqrt: case OP_abs: unary(m, k); break;
    default: function_call(m, k);
  }
}

// ---- a program

static void *scratch(emitter *m, size_t count, size_t size) {
  void *block = hml_arena_alloc(&m->arena, (count + 1) * size);
  if (!block) m->status = HML_MEMORY;
  return block;
}

// For lists that are written before they are read
static void *unset(emitter *m, size_t count, size_t size) {
  void *block = hml_arena_raw(&m->arena, (count + 1) * size);
  if (!block) m->status = HML_MEMORY;
  return block;
}

// Times are places in the order of writing
static void find_uses(emitter *m, const hml_emit_order *o) {
  const hml_program *p = m->p;
  for (uint32_t v = 0; v < p->n_values; v++) m->next[v] = NEVER;
  for (uint32_t place = p->n_instructions; place-- > 0;) {
    const uint32_t k = o->order[place];
    const instruction *i = &p->instructions[k];
    const uint32_t v[3] = {i->a, i->b, i->c};
    unsigned n = instruction_rows[i->op].operands;
    for (unsigned j = 0; j < n; j++) m->after[3 * k + j] = m->next[v[j]];
    for (unsigned j = 0; j < n; j++) m->next[v[j]] = place;
  }
}

static home input_home(const emitter *m, uint32_t i) {
  const hml_entry_layout *l = m->e->entry;
  return l && i > 0 && i <= l->states ? (home){STATES, i - 1} : (home){IN, i};
}

static home output_home(const emitter *m, uint32_t i) {
  const hml_entry_layout *l = m->e->entry;
  return l && i >= l->rates ? (home){MARGINS, i - (uint32_t)l->rates} : (home){OUT, i};
}

static void give_homes(emitter *m) {
  const hml_program *p = m->p;
  uint32_t first = p->n_constants + p->n_in;
  for (uint32_t v = 0; v < first; v++) {
    m->homes[v] = v < p->n_constants ? (home){POOL, m->masks + v} : input_home(m, v - p->n_constants);
    m->has_home[v] = m->at_home[v] = true;
  }
  for (uint32_t i = p->n_out; i-- > 0;) {
    if (p->outputs[i] < first) continue;
    m->homes[p->outputs[i]] = output_home(m, i);
    m->has_home[p->outputs[i]] = true;
  }
  for (uint32_t v = 0; v < p->n_values; v++) m->in_register[v] = -1;
  for (unsigned r = 0; r < MOST_REGISTERS; r++) m->held[r] = NO_VALUE;
  m->empty = UINT32_MAX >> (MOST_REGISTERS - m->registers);
}

static void find_rates(emitter *m) {
  const hml_entry_layout *l = m->e->entry;
  const uint32_t first = m->p->n_constants + 1;
  for (uint32_t i = 0; l && i < l->rates; i++)
    if (m->p->outputs[i] >= first && m->p->outputs[i] < first + l->states) m->rate_at[m->p->outputs[i]] = i + 1;
}

static bool same_home(home a, home b) {
  return a.base == b.base && a.index == b.index;
}

static bool is_finite_constant(const emitter *m, uint32_t v) {
  return v < m->p->n_constants && isfinite(m->p->constants[v]);
}

// Outputs that are constants, inputs, or other outputs too; rates that no register held, as those which a function wrote
static void copy_outputs(emitter *m) {
  empty_registers(m);
  for (uint32_t i = 0; i < m->p->n_out; i++) {
    const uint32_t v = m->p->outputs[i];
    const home from = m->homes[v], to = output_home(m, i);
    const bool in_sum = !m->e->entry || to.base != OUT || m->summed[v] || is_finite_constant(m, v);
    if ((same_home(from, to) || m->rate_at[v] == i + 1) && in_sum) continue;
    load(m, 0, from);
    if (!same_home(from, to)) store(m, 0, to);
    if (!in_sum) sum_zero(m, 0);
    m->summed[v] |= !in_sum;
  }
}

hml_status hml_emit__x86(hml_emission *e, const hml_program *p) {
  unsigned wide = e->lanes < 2 ? 2 : e->lanes;
  const bool many = e->lanes < 8 && !e->entry && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl"), all = many || e->lanes == 8;
  emitter m = {.e = e, .p = p, .many = many, .windowed = !all && !e->entry, .registers = all ? 32 : e->entry ? FINITE : 16, .masks = 2 * wide / e->lanes, .bytes = 8 * (size_t)e->lanes};
  if (all) m.bias[WORK] = SHORT * 8 * (int64_t)e->lanes;
  if (m.windowed) m.bias[WORK] = m.bias[OUT] = m.bias[POOL] = SHORT;
  hml_arena_init(&m.arena, e->context);
  m.next = unset(&m, p->n_values, sizeof *m.next);
  m.after = unset(&m, 3 * (size_t)p->n_instructions, sizeof *m.after);
  m.in_register = unset(&m, p->n_values, sizeof *m.in_register);
  m.at_home = scratch(&m, p->n_values, sizeof *m.at_home);
  m.has_home = scratch(&m, p->n_values, sizeof *m.has_home);
  m.homes = scratch(&m, p->n_values, sizeof *m.homes);
  m.free_slots = unset(&m, 4 * (size_t)p->n_values + 2 * HML_EMIT_GROUP, sizeof *m.free_slots);   // a group of 5 values takes 16
  m.summed = scratch(&m, p->n_values, sizeof *m.summed);
  m.rate_at = scratch(&m, p->n_values, sizeof *m.rate_at);
  if (m.status == HML_OK) m.status = enlarge(e, LEAST_CODE + BYTES * (size_t)p->n_instructions);
  hml_emit_order order;
  if (m.status == HML_OK) m.status = hml_emit__order(p, &m.arena, &order);
  if (m.status == HML_OK) {
    find_uses(&m, &order);
    find_rates(&m);
    give_homes(&m);
    if (e->entry) begin_entry(&m);
    else begin(&m);
    for (uint32_t k = 0; k < p->n_instructions && m.status == HML_OK;) {
      const uint32_t count = order.together[k];
      if (count > 0) circles(&m, order.order + k, count);
      else emit(&m, order.order[k]);
      k += count > 0 ? count : 1;
    }
    if (m.status == HML_OK) copy_outputs(&m);
    if (e->entry) end_entry(&m);
    else end(&m);
  }
  hml_arena_free(&m.arena);
  return m.status;
}
#endif
