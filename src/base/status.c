// status.c: raising failures, first one wins, memory and interrupts over others; texts of the rows of HML_STATUS_ROWS.
#include "base.h"

#include "context_impl.h"

#include <stdio.h>

static const struct {
  const char *name, *what, *advice;
} rows[] = {
#define ROW(name, what, advice) {#name, what, advice},
    HML_STATUS_ROWS(ROW)
#undef ROW
};

static bool known(hml_status status) {
  return (unsigned)status < HML_STATUS_COUNT;
}

const char *hml_status_name(hml_status status) {
  return known(status) ? rows[status].name : "UNKNOWN";
}

const char *hml_status_what(hml_status status) {
  return known(status) ? rows[status].what : "unknown status";
}

const char *hml_status_advice(hml_status status) {
  return known(status) ? rows[status].advice : "";
}

static bool must_end(hml_status status) { return status == HML_MEMORY || status == HML_INTERRUPTED; }

// A failure that is forgiven must not hide one that is not
static void raise_first(hml_context *c, hml_status status, const char *format, va_list arguments) {
  if (c->error.status != HML_OK && (must_end(c->error.status) || !must_end(status))) return;
  c->error.status = status;
  vsnprintf(c->error.message, sizeof c->error.message, format, arguments);
  hml_text__plain_nan(c->error.message);
}

hml_status hml_fail(hml_context *c, hml_status status, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  raise_first(c, status, format, arguments);
  va_end(arguments);
  return status;
}

void *hml_fail_null(hml_context *c, hml_status status, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  raise_first(c, status, format, arguments);
  va_end(arguments);
  return NULL;
}

bool hml_failed(const hml_context *c) {
  return c->error.status != HML_OK;
}

bool hml_must_end(const hml_context *c) {
  return must_end(c->error.status);
}

bool hml_forgive(hml_context *c) {
  if (hml_must_end(c)) return false;
  hml_context_clear_error(c);
  return true;
}

hml_status hml_forgiven(hml_context *c) {
  return hml_forgive(c) ? HML_OK : c->error.status;
}

const hml_error *hml_context_error(const hml_context *c) {
  return &c->error;
}

void hml_context_clear_error(hml_context *c) {
  c->error.status = HML_OK;
  c->error.message[0] = '\0';
}
