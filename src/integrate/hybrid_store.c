// hybrid_store.c: a run with contacts and events as bytes: sizes, numbers of its end, contacts there, records with modes.
#include "integrate/hybrid.h"

#include <math.h>
#include <string.h>

typedef struct ending {
  double duration, reacted_at, ended_at, depth, deepest_at, deep_allowed;
  uint64_t deep_gap;
  hml_digit_looks digits;
} ending;

enum { SIZES = 8 };

static void sizes_of(const hml_hybrid *h, uint64_t sizes[SIZES]) {
  const hml_hybrid_shape *s = h->shape;
  const size_t of[SIZES] = {s->n_state, s->model.multipliers, s->sizes.gaps, s->sizes.slips, s->sizes.tangents, s->sizes.frictions, s->n_events, sizeof(void *)};
  for (size_t i = 0; i < SIZES; i++) sizes[i] = of[i];
}

static hml_record_sizes record_sizes(const hml_hybrid *h) {
  const hml_hybrid_shape *s = h->shape;
  return (hml_record_sizes){s->n_state, s->n_state + s->sizes.rows + s->model.multipliers, s->n_events, s->sizes.gaps, s->sizes.frictions};
}

static void put(hml_text *out, const void *data, size_t size) {
  if (size) hml_text_put_n(out, data, size);
}

hml_status hml_hybrid_store(hml_hybrid *h, const void **block, size_t *size) {
  hml_text *out = &h->stored;
  const hml_deepest *d = &h->worst;
  const ending e = {h->duration, h->reacted_at, h->ended_at, d->depth, d->t, d->allowed, d->gap, h->digits};
  uint64_t sizes[SIZES], resting = isnan(h->ended_at) ? 0 : h->resting.length;
  *block = NULL;
  *size = 0;
  if (h->stepped || !h->kept)
    return hml_fail(h->context, HML_UNSUPPORTED, "run: the contacts of %s cannot be stored", h->stepped ? "time stepping" : "a run that did not keep its steps");
  hml_text_free(out);
  hml_text_init(out, h->context);
  sizes_of(h, sizes);
  put(out, sizes, sizeof sizes);
  put(out, &e, sizeof e);
  put(out, h->allowed, h->shape->sizes.gaps * sizeof *h->allowed);
  put(out, &resting, sizeof resting);
  put(out, h->resting.data, resting);
  hml_records__store(h->records, h->contacts, record_sizes(h), out);
  if (out->failed) return HML_MEMORY;
  *block = out->data;
  *size = out->length;
  return HML_OK;
}

static bool is_possible_look(const hml_digit_looks *d) {
  return d->worst.part >= 0 && d->worst.span >= 0 && d->stride > 0;
}

static bool is_possible(const hml_hybrid *h, const ending *e) {
  return isfinite(e->duration) && isfinite(e->depth) && isfinite(e->deepest_at) && e->deep_allowed > 0 && is_possible_look(&e->digits) && (e->deep_gap < h->shape->sizes.gaps || e->depth == 0);
}

static hml_status take_resting(hml_hybrid *h, hml_reader *in) {
  uint64_t length;
  hml_reader__take(in, &length, sizeof length);
  in->failed = in->failed || (size_t)(in->end - in->at) < length;
  if (in->failed) return HML_OK;
  h->resting.length = 0;
  put(&h->resting, in->at, length);
  in->at += length;
  return h->resting.failed ? HML_MEMORY : HML_OK;
}

hml_status hml_hybrid_restore(hml_hybrid *h, const void *block, size_t size) {
  hml_reader in = {block, (const char *)block + size, false};
  uint64_t sizes[SIZES], own[SIZES];
  ending e;
  hml_hybrid__forget(h, HML_KEEP_STEPS, 0);
  h->ended_at = NAN;
  h->kept = true;
  sizes_of(h, own);
  hml_reader__take(&in, sizes, sizeof sizes);
  if (in.failed || memcmp(sizes, own, sizeof own) != 0) return hml_fail(h->context, HML_ARGUMENT, "run: the stored contacts are of another system, or of another machine");
  hml_reader__take(&in, &e, sizeof e);
  hml_reader__take(&in, h->allowed, h->shape->sizes.gaps * sizeof *h->allowed);
  in.failed = in.failed || !is_possible(h, &e);
  if (!in.failed) HML_TRY(take_resting(h, &in));
  if (!in.failed) HML_TRY(hml_records__restore(h->records, h->contacts, record_sizes(h), &in));
  if (in.failed || in.at != in.end) {
    hml_records__begin(h->records, HML_KEEP_STEPS);
    return hml_fail(h->context, HML_ARGUMENT, "run: the stored contacts are damaged");
  }
  h->duration = e.duration, h->reacted_at = e.reacted_at, h->ended_at = e.ended_at;
  h->worst = (hml_deepest){e.deep_gap, e.deepest_at, e.depth, e.deep_allowed};
  h->digits = e.digits;
  return HML_OK;
}
