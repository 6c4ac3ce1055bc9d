// standalone_driver.c: runs a fuzz target without a fuzzing engine: over the files given, or over every file of the folders given, and over
// -runs=N changed copies of each, always the same ones. On a failure the input is in the file crash-input.
#include <dirent.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MOST = 1 << 20 };

static uint8_t original[MOST], data[2 * MOST];
static size_t size;
static uint64_t state = 1;

// splitmix64
static uint64_t draw(uint64_t below) {
  uint64_t z = state += UINT64_C(0x9E3779B97F4A7C15);
  z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
  return (z ^ (z >> 31)) % below;
}

static void put(size_t at, const void *bytes, size_t n) {
  if (at + n > size) size = at + n;
  memcpy(data + at, bytes, n);
}

// One change: a bit, a number, a digit, bytes that go, come again or are cut off
static void change(void) {
  static const char *const words[] = {"-1", "1e300", "nan", "99999999999", "0", "\"", "[", "{", "}", "null", "\n", "\n\n", ": ", ",", "\\u0000", "'", "("};
  static const uint8_t numbers[][8] = {{0}, {255, 255, 255, 255, 255, 255, 255, 255}, {0, 0, 0, 128}, {255, 255, 255, 127}, {1}, {0, 0, 1}};
  size_t at = size ? draw(size) : 0, n = 1 + draw(16);
  switch (draw(7)) {
    case 0: if (size) data[at] ^= (uint8_t)(1u << draw(8)); break;
    case 1: if (size) data[at] = (uint8_t)draw(256); break;
    case 2: put(at, numbers[draw(sizeof numbers / sizeof *numbers)], (size_t[]){1, 2, 4, 8}[draw(4)]); break;
    case 3: {
      const char *word = words[draw(sizeof words / sizeof *words)];
      put(at, word, strlen(word));
      break;
    }
    case 4:
      if (at + n > size) n = size - at;
      memmove(data + at, data + at + n, size - at - n);
      size -= n;
      break;
    case 5:
      if (at + n > size || size > MOST) break;
      memmove(data + at + n, data + at, size - at);
      size += n;
      break;
    default: if (draw(8) == 0) size = at; break;
  }
}

static void save_input(int signal_number) {
  FILE *file = fopen("crash-input", "wb");
  if (file) {
    fwrite(data, 1, size, file);
    fclose(file);
  }
  signal(signal_number, SIG_DFL);
  raise(signal_number);
}

static int run_file(const char *path, int runs) {
  FILE *file = fopen(path, "rb");
  if (!file) return 0;
  size_t whole = fread(original, 1, sizeof original, file);
  fclose(file);
  for (int i = 0; i <= runs; i++) {
    memcpy(data, original, whole);
    size = whole;
    for (uint64_t k = i ? 1 + draw(4) : 0; k > 0; k--) change();
    // a copy of its own size, so that sanitizers see what lies behind it
    uint8_t *exact = malloc(size + 1);
    if (!exact) abort();
    memcpy(exact, data, size);
    LLVMFuzzerTestOneInput(exact, size);
    free(exact);
  }
  return 1 + runs;
}

int main(int argc, char **argv) {
  int count = 0, runs = 0;
  signal(SIGABRT, save_input);
  signal(SIGSEGV, save_input);
  signal(SIGALRM, save_input);
  for (int i = 1; i < argc; i++) {
    if (strncmp(argv[i], "-runs=", 6) == 0) {
      runs = atoi(argv[i] + 6);
      continue;
    }
    DIR *folder = opendir(argv[i]);
    if (!folder) {
      count += run_file(argv[i], runs);
      continue;
    }
    for (const struct dirent *entry; (entry = readdir(folder)) != NULL;) {
      char path[4096];
      if (entry->d_name[0] == '.') continue;
      snprintf(path, sizeof path, "%s/%s", argv[i], entry->d_name);
      alarm(120);                      // none takes that long
      count += run_file(path, runs);
    }
    closedir(folder);
  }
  printf("%d inputs\n", count);
  return count > 0 ? 0 : 1;
}
