// shelf.c: a lock and a context for what is made once and kept with a model. The memory comes from a context of the shelf's own: that of the model belongs to
// another thread, that of a workspace may be freed before the model. Only the holder of the lock touches what is kept.
#include "mechanics_impl.h"

hml_status hml_shelf__open(hml_context *c, const char *what, hml_shelf *out) {
  out->context = hml_context_new(NULL, NULL);
  if (out->context && pthread_mutex_init(&out->lock, NULL) == 0) return HML_OK;
  hml_context_free(out->context);
  return hml_fail(c, HML_MEMORY, "not enough memory for the %s of a model", what);
}

void hml_shelf__close(hml_shelf *s) {
  pthread_mutex_destroy(&s->lock);
  hml_context_free(s->context);
}

void hml_shelf__enter(hml_shelf *s, hml_context *c) {
  pthread_mutex_lock(&s->lock);
  hml_context_set_interrupt_flag(s->context, hml_context_interrupt_flag(c));
}

hml_status hml_shelf__leave(hml_shelf *s, hml_context *c, hml_status status) {
  if (status != HML_OK) hml_fail(c, status, "%s", hml_context_error(s->context)->message);
  hml_context_clear_error(s->context);
  hml_context_set_interrupt_flag(s->context, NULL);
  pthread_mutex_unlock(&s->lock);
  return status;
}
