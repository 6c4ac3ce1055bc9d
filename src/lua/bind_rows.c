// bind_rows.c: the lists of hamel.h as lists of names in Lua, so that each is written once.
#include "bind.h"

static void set_list(lua_State *L, const char *key, const char *const *names, size_t n) {
  lua_createtable(L, (int)n, 0);
  for (size_t i = 0; i < n; i++) {
    lua_pushstring(L, names[i]);
    lua_rawseti(L, -2, (lua_Integer)i + 1);
  }
  lua_setfield(L, -2, key);
}

// statuses: name -> what the status means
static void set_statuses(lua_State *L) {
  lua_createtable(L, 0, HML_STATUS_COUNT);
  for (int i = 0; i < HML_STATUS_COUNT; i++) {
    lua_pushstring(L, hml_status_what((hml_status)i));
    lua_setfield(L, -2, hml_status_name((hml_status)i));
  }
  lua_setfield(L, -2, "statuses");
}

// rows: { counters =, run_options =, keepings =, record_kinds =, contact_states =, impact_laws =, pressings =, statuses = }
void hml_bind_rows(lua_State *L) {
#define COUNTER(name) #name,
#define OPTION(type, name) #name,
#define LIST(key, ...)                                              \
  do {                                                              \
    static const char *const names[] = {__VA_ARGS__};               \
    set_list(L, key, names, sizeof names / sizeof *names);          \
  } while (0)
  lua_newtable(L);
  LIST("counters", HML_COUNTERS(COUNTER));
  LIST("run_options", HML_RUN_OPTIONS(OPTION));
  LIST("keepings", HML_KEEPINGS(HML_BIND_NAME));
  LIST("record_kinds", HML_RECORD_KINDS(HML_BIND_NAME));
  LIST("contact_states", HML_CONTACT_STATES(HML_BIND_NAME));
  LIST("impact_laws", HML_IMPACT_LAWS(HML_BIND_NAME));
  LIST("pressings", HML_PRESSINGS(HML_BIND_NAME));
#undef COUNTER
#undef OPTION
#undef LIST
  set_statuses(L);
  lua_setfield(L, -2, "rows");
}
