// bind_mpi.c: several processes under mpirun (-DHAMEL_MPI=ON): number of this process, and one text from each process to all.
#include "bind.h"

#ifdef HAMEL_MPI
#include <limits.h>
#include <mpi.h>
#include <stdlib.h>

static void finish(void) {
  int over = 0;
  MPI_Finalized(&over);
  if (!over) MPI_Finalize();
}

static void begin(void) {
  int begun = 0;
  MPI_Initialized(&begun);
  if (begun) return;
  MPI_Init(NULL, NULL);
  atexit(finish);
}

// mpi() -> our number from 0, how many we are
static int who(lua_State *L) {
  int rank, size;
  begin();
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  lua_pushinteger(L, rank);
  lua_pushinteger(L, size);
  return 2;
}

// mpi_share(text) -> list of the texts of all processes, in their order; every process must call it
static int share(lua_State *L) {
  size_t length;
  const char *text = luaL_checklstring(L, 1, &length);
  int size, own = (int)length, total = 0;
  begin();
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (length > INT_MAX / 2) return hml_bind__error(L, "mpi: a part of %d megabytes is too large to share; take more processes, or files (--out)", (int)(length >> 20));
  int *lengths = lua_newuserdatauv(L, (size_t)size * sizeof *lengths, 0), *from = lua_newuserdatauv(L, (size_t)size * sizeof *from, 0);
  MPI_Allgather(&own, 1, MPI_INT, lengths, 1, MPI_INT, MPI_COMM_WORLD);
  for (int i = 0; i < size; i++) {
    if (lengths[i] > INT_MAX - total) return hml_bind__error(L, "mpi: the table is too large to share; take files (--out)");
    from[i] = total;
    total += lengths[i];
  }
  char *all = lua_newuserdatauv(L, (size_t)total + 1, 0);
  MPI_Allgatherv(text, own, MPI_CHAR, all, lengths, from, MPI_CHAR, MPI_COMM_WORLD);
  lua_createtable(L, size, 0);
  for (int i = 0; i < size; i++) {
    lua_pushlstring(L, all + from[i], (size_t)lengths[i]);
    lua_rawseti(L, -2, i + 1);
  }
  return 1;
}

void hml_bind_mpi(lua_State *L) {
  static const luaL_Reg functions[] = {{"mpi", who}, {"mpi_share", share}, {NULL, NULL}};
  // without a launcher nothing is begun
  if (getenv("OMPI_COMM_WORLD_SIZE") || getenv("PMI_SIZE") || getenv("PMIX_RANK")) luaL_setfuncs(L, functions, 0);
}
#else
void hml_bind_mpi(lua_State *L) {
  (void)L;
}
#endif
