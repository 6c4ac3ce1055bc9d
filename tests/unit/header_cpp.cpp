// hamel.h compiles alone, strictly, as C++.
#include "hamel.h"

int header_is_usable_in_cpp();
int header_is_usable_in_cpp() {
  return HML_OK;
}
