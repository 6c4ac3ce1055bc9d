// hoist.c: removes operations that depend on some inputs alone from a program, so that they are done once when these are set, not at every evaluation.
// The lean program reads the values taken out as inputs of its own. Operations stay as they were, so the results are the same bits.
#include "program_impl.h"

typedef struct hoist {
  hml_context *context;
  const hml_hoist_layout *layout;
  assembly whole;
  bool *still, *needed, *taken;        // depends on those inputs alone; by an output; leaves for the lean program   (n)
  uint32_t *number;                    // places of the removed results among the values         (n)
  uint32_t count, margins;             // values; margins of the lean program
  size_t n_out;                        // outputs before the margins
} hoist;

static void mark_still(hoist *h) {
  const hml_hoist_layout *l = h->layout;
  for (uint32_t k = 0; k < h->whole.n; k++) {
    const item *e = &h->whole.items[k];
    unsigned n = item_operands(e);
    if (e->op == OP_INPUT) h->still[k] = e->a >= l->first && e->a < l->first + l->count;
    else h->still[k] = (n < 1 || h->still[e->a]) && (n < 2 || h->still[e->b]) && (n < 3 || h->still[e->c]);
  }
}

static void take(hoist *h, uint32_t k) {
  if (!h->still[k] || h->taken[k] || h->whole.items[k].op >= OP_COUNT) return;
  h->taken[k] = true;
  h->number[k] = h->count++;
}

// What the moving part needs of the rest. Margins that do not move leave altogether
static void mark_taken(hoist *h) {
  const assembly *s = &h->whole;
  for (uint32_t i = 0; i < s->n_out; i++) {
    uint32_t k = s->outputs[i];
    bool margin = i >= h->n_out;
    if (margin && h->still[k]) continue;
    h->margins += margin;
    h->needed[k] = true;
    take(h, k);
  }
  for (uint32_t k = s->n; k-- > 0;) {
    const item *e = &s->items[k];
    unsigned n = h->needed[k] && !h->still[k] ? item_operands(e) : 0;
    const uint32_t operands[3] = {e->a, e->b, e->c};
    for (unsigned j = 0; j < n; j++) {
      h->needed[operands[j]] = true;
      take(h, operands[j]);
    }
  }
}

// A part of the whole program with its inputs first; map: room for the places of the whole program's items in it
static hml_status open_part(const hoist *h, assembly *to, size_t n_in, size_t n_out, uint32_t **map) {
  HML_TRY(assembly_init(to, h->context, n_in, n_out));
  for (uint32_t i = 0; i < to->n_in; i++)
    HML_TRY(assembly_name(to, i, "", i < h->whole.n_in ? h->whole.names[i] : i < h->layout->place ? "unused" : "by parameters"));
  *map = hml_arena_alloc(&to->arena, (h->whole.n + 1) * sizeof **map);
  return *map ? HML_OK : HML_MEMORY;
}

static hml_status write_lean(const hoist *h, hml_program **out) {
  const assembly *s = &h->whole;
  assembly to;
  uint32_t at = 0, *map;
  hml_status status = open_part(h, &to, h->layout->place + h->count, h->n_out + h->margins, &map);
  for (uint32_t k = 0; status == HML_OK && k < s->n; k++)
    if (h->needed[k]) map[k] = h->taken[k] ? assembly_input(&to, h->layout->place + h->number[k]) : assembly_copy(&to, s, k, map);
  for (uint32_t i = 0; status == HML_OK && i < s->n_out; i++)
    if (i < h->n_out || !h->still[s->outputs[i]]) to.outputs[at++] = map[s->outputs[i]];
  return assembly_finish(&to, status, out);
}

static hml_status write_fixed(const hoist *h, hml_program **out) {
  const assembly *s = &h->whole;
  assembly to;
  uint32_t at = h->count, *map;
  hml_status status = open_part(h, &to, s->n_in, h->count + h->layout->margins - h->margins, &map);
  for (uint32_t k = 0; status == HML_OK && k < s->n; k++) {
    if (h->still[k]) map[k] = assembly_copy(&to, s, k, map);
    if (h->taken[k]) to.outputs[h->number[k]] = map[k];
  }
  for (uint32_t i = (uint32_t)h->n_out; status == HML_OK && i < s->n_out; i++)
    if (h->still[s->outputs[i]]) to.outputs[at++] = map[s->outputs[i]];
  return assembly_finish(&to, status, out);
}

static hml_status separate(hoist *h, const hml_program *p, hml_hoisted *out) {
  HML_TRY(assembly_of_program(&h->whole, p));
  size_t n = (size_t)h->whole.n + 1;
  hml_arena *arena = &h->whole.arena;
  h->still = hml_arena_alloc(arena, n * sizeof *h->still);
  h->needed = hml_arena_alloc(arena, n * sizeof *h->needed);
  h->taken = hml_arena_alloc(arena, n * sizeof *h->taken);
  h->number = hml_arena_alloc(arena, n * sizeof *h->number);
  if (!h->still || !h->needed || !h->taken || !h->number) return HML_MEMORY;
  mark_still(h);
  mark_taken(h);
  if (h->count == 0 && h->margins == h->layout->margins) return HML_OK;
  HML_TRY(write_lean(h, &out->lean));
  HML_TRY(write_fixed(h, &out->fixed));
  out->place = h->layout->place;
  out->count = h->count;
  out->margins = h->margins;
  out->fixed_margins = h->layout->margins - h->margins;
  return HML_OK;
}

hml_status hml_program__hoist(hml_context *c, const hml_program *p, const hml_hoist_layout *l, hml_hoisted *out) {
  hoist h = {.context = c, .layout = l, .n_out = p->n_out - l->margins};
  *out = (hml_hoisted){.lean = NULL};
  hml_status status = assembly_init(&h.whole, c, p->n_in, p->n_out);
  if (status == HML_OK) status = separate(&h, p, out);
  assembly_free(&h.whole);
  if (status != HML_OK) hml_program__free_hoisted(out);
  return status;
}

void hml_program__free_hoisted(hml_hoisted *h) {
  hml_program_free(h->lean);
  hml_program_free(h->fixed);
  *h = (hml_hoisted){.lean = NULL};
}
