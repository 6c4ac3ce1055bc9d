// standalone_driver.c: runs a fuzz target over the files given, or over every file of the folders given, without a fuzzing engine.
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int run_file(const char *path) {
  static uint8_t data[1 << 20];
  FILE *file = fopen(path, "rb");
  if (!file) return 0;
  size_t size = fread(data, 1, sizeof data, file);
  fclose(file);
  LLVMFuzzerTestOneInput(data, size);
  return 1;
}

int main(int argc, char **argv) {
  int count = 0;
  for (int i = 1; i < argc; i++) {
    DIR *folder = opendir(argv[i]);
    if (!folder) {
      count += run_file(argv[i]);
      continue;
    }
    for (const struct dirent *entry; (entry = readdir(folder)) != NULL;) {
      char path[4096];
      if (entry->d_name[0] == '.') continue;
      snprintf(path, sizeof path, "%s/%s", argv[i], entry->d_name);
      count += run_file(path);
    }
    closedir(folder);
  }
  printf("%d inputs\n", count);
  return count > 0 ? 0 : 1;
}
