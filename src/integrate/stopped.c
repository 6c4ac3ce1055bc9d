// stopped.c: the message of a run that stopped: where, then why. Reasons that name the same time do not say it twice.
#include "integrate/integrate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool ends_with(const char *text, size_t length, const char *end) {
  const size_t of_end = strlen(end);
  return length >= of_end && memcmp(text + length - of_end, end, of_end) == 0;
}

static bool starts_with(const char *text, const char *start) {
  return strncmp(text, start, strlen(start)) == 0;
}

// May the words from `from` to `end`, which name the time, be left out? Widens them to the separators that go with them. Times of an interval stay
static bool may_go(const char *why, size_t *from, size_t *end) {
  const char *behind = why + *end;
  const bool at = ends_with(why, *from, "at "), apposition = ends_with(why, *from, ", ");
  if (*behind && !strchr(":;, )", *behind)) return false;
  if (starts_with(behind, " and ") || starts_with(behind, " to ") || starts_with(behind, " or ")) return false;
  if (at) *from -= 3;
  if (*from && why[*from - 1] != ' ' && why[*from - 1] != '(') return false;
  if (*from == 0 || ends_with(why, *from, ": ") || ends_with(why, *from, "(")) {              // a clause begins with it
    if (!at && *from) return false;
    while (why[*end] && strchr(":, ", why[*end])) (*end)++;
    return true;
  }
  *from -= ends_with(why, *from, ", ") ? 2 : 1;
  return at || apposition;
}

// Where a text names the time t for the first time, as "at t = 0" does
static bool names_time(const char *why, double t, size_t *from, size_t *end) {
  char text[40];
  snprintf(text, sizeof text, "t = %.10g", t);
  const size_t length = strlen(text);
  for (const char *name = strstr(why, text); name; name = strstr(name + 1, text)) {
    *from = (size_t)(name - why);
    *end = *from + length;
    if (may_go(why, from, end)) return true;
  }
  return false;
}

void hml_stopped(char *out, size_t capacity, double t, const char *why) {
  size_t from = 0, end = 0;
  if (!names_time(why, t, &from, &end) || !(from || why[end])) from = end = 0;
  snprintf(out, capacity, "stopped at t = %.15g: %.*s%s", t, (int)from, why, why + end);
}
