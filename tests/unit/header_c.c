// hamel.h compiles alone, strictly, as C.
#include "hamel.h"

int header_is_usable(void);
int header_is_usable(void) {
  return HML_OK;
}
