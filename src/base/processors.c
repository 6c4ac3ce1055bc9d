// processors.c: how many processors there are for this process.
#include "base/base.h"

#include <sched.h>
#include <unistd.h>

unsigned hml_processors(void) {
  cpu_set_t allowed;
  long n = sched_getaffinity(0, sizeof allowed, &allowed) == 0 ? CPU_COUNT(&allowed) : sysconf(_SC_NPROCESSORS_ONLN);
  return n < 1 ? 1 : (unsigned)n;
}
