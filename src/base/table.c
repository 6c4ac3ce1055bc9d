// table.c: memo tables from pointers to values; open addressing, memory from an arena.
#include "base.h"

void hml_table_init(hml_table *t, hml_arena *arena) {
  *t = (hml_table){.arena = arena};
}

static size_t hash_pointer(const void *key) {
  uint64_t h = (uint64_t)(uintptr_t)key >> 4;
  h *= UINT64_C(0x9E3779B97F4A7C15);
  return (size_t)(h ^ (h >> 29));
}

static struct hml_table_slot *find(const hml_table *t, const void *key) {
  size_t i = hash_pointer(key) & (t->capacity - 1);
  while (t->slots[i].key && t->slots[i].key != key) i = (i + 1) & (t->capacity - 1);
  return &t->slots[i];
}

bool hml_table_get(const hml_table *t, const void *key, uintptr_t *value) {
  if (t->capacity == 0) return false;
  const struct hml_table_slot *slot = find(t, key);
  if (!slot->key) return false;
  *value = slot->value;
  return true;
}

static hml_status grow(hml_table *t) {
  hml_table bigger = {.arena = t->arena, .capacity = t->capacity ? 4 * t->capacity : 32, .count = t->count};
  bigger.slots = hml_arena_alloc(t->arena, bigger.capacity * sizeof *bigger.slots);
  if (!bigger.slots) return HML_MEMORY;
  for (size_t i = 0; i < t->capacity; i++)
    if (t->slots[i].key) *find(&bigger, t->slots[i].key) = t->slots[i];
  *t = bigger;
  return HML_OK;
}

hml_status hml_table_put(hml_table *t, const void *key, uintptr_t value) {
  if (2 * (t->count + 1) > t->capacity) HML_TRY(grow(t));
  struct hml_table_slot *slot = find(t, key);
  if (!slot->key) t->count++;
  *slot = (struct hml_table_slot){key, value};
  return HML_OK;
}
