// A host of the core without JavaScript: wasm2c turns the core into C, which is compiled into this program. The program
// reads a file in the format of exchange.ts and makes the calls in it. It compares the core's import calls and results
// with the file, byte by byte. The exit code is 0 if they are all the same. Otherwise the exit code is 1, and the first
// difference goes to standard error.

#include "host.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "wasm-rt-impl.h"

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "values and addresses are copied as they lie in memory: little-endian"
#endif

/* The largest number of values in a call. */
#define MOST_VALUES 16
#define SLOT 8

/* Where the bytes of a block are: in `values`, or, if that is NULL, at `address` in the core's memory. */
struct place {
  uint8_t *values;
  uint32_t address;
  uint32_t size;
};

static const uint8_t *file;
static size_t file_size;
static size_t file_at;

/* For error messages: the label of the current call, and the function whose values are being compared. */
static uint32_t label_length;
static const char *label = "";
static const char *what = "";

static uint32_t calls;
static uint32_t imports;
static uint64_t compared;

static void fail(const char *format, ...) {
  va_list values;
  va_start(values, format);
  fprintf(stderr, "%.*s: %s: ", (int)label_length, label, what);
  vfprintf(stderr, format, values);
  fprintf(stderr, "\n");
  va_end(values);
  exit(1);
}

/* ---- The file ---- */

static const uint8_t *take(uint32_t length) {
  if (length > file_size - file_at) fail("the file ends within something");
  const uint8_t *bytes = file + file_at;
  file_at += length;
  return bytes;
}

static uint32_t take_u32(void) {
  uint32_t value;
  memcpy(&value, take(sizeof value), sizeof value);
  return value;
}

static uint32_t take_index(uint32_t count) {
  uint32_t index = take_u32();
  if (index >= count) fail("the file names function %" PRIu32 " of %" PRIu32, index, count);
  return index;
}

/* ---- Blocks ---- */

/* Reads the align and the size of a block of values, of which there may be at most `most`. */
static struct place place_of_values(uint64_t *values, uint32_t most) {
  uint32_t align = take_u32();
  uint32_t size = take_u32();
  if (align != SLOT || size > most * SLOT) fail("%" PRIu32 " bytes of values are too many", size);
  return (struct place){.values = (uint8_t *)values, .size = size};
}

/* Do not keep the result across a call of the core: the core's memory may move. */
static uint8_t *bytes_of(struct place place, uint32_t at, uint32_t length) {
  if ((uint64_t)at + length > place.size) fail("byte %" PRIu32 " is outside of its block", at);
  if (place.values != NULL) return place.values + at;
  wasm_rt_memory_t *memory = Z_coreZ_memory(&core);
  if ((uint64_t)place.address + place.size > memory->size) fail("address %" PRIu32 " is outside", place.address);
  return memory->data + place.address + at;
}

static uint32_t pass_block(void);

static void fill(struct place place) {
  for (uint32_t left = take_u32(); left > 0; left--) {
    uint32_t at = take_u32();
    uint32_t length = take_u32();
    const uint8_t *bytes = take(length);
    memcpy(bytes_of(place, at, length), bytes, length);
  }
  for (uint32_t left = take_u32(); left > 0; left--) {
    uint32_t at = take_u32();
    uint32_t address = pass_block();
    memcpy(bytes_of(place, at, sizeof address), &address, sizeof address);
  }
}

/* Puts a block into the core's memory. Returns its address. */
static uint32_t pass_block(void) {
  uint32_t align = take_u32();
  uint32_t size = take_u32();
  uint32_t address = Z_coreZ_cabi_realloc(&core, 0, 0, align, size);
  if (address % align != 0) fail("the core gave room at %" PRIu32 ", not a multiple of %" PRIu32, address, align);
  fill((struct place){.address = address, .size = size});
  return address;
}

static void compare_part(struct place place) {
  uint32_t at = take_u32();
  uint32_t length = take_u32();
  const uint8_t *given = bytes_of(place, at, length);
  const uint8_t *expected = take(length);
  compared += length;
  if (memcmp(given, expected, length) == 0) return;
  uint32_t i = 0;
  while (given[i] == expected[i]) i++;
  fail("byte %" PRIu32 " of %" PRIu32 " is %d, not %d", at + i, place.size, given[i], expected[i]);
}

/* Compares the core's bytes at `place` with the next block of the file, whose align and size were read already. */
static void compare(struct place place) {
  for (uint32_t left = take_u32(); left > 0; left--) compare_part(place);
  for (uint32_t left = take_u32(); left > 0; left--) {
    uint32_t at = take_u32();
    uint32_t address;
    memcpy(&address, bytes_of(place, at, sizeof address), sizeof address);
    uint32_t align = take_u32();
    uint32_t size = take_u32();
    if (address % align != 0) fail("address %" PRIu32 " is not a multiple of %" PRIu32, address, align);
    compare((struct place){.address = address, .size = size});
  }
}

/* ---- Calls ---- */

void on_import(uint32_t which, const uint64_t *values, uint32_t count) {
  what = import_names[which];
  if (*take(1) != 'I') fail("the recording has no more import calls");
  uint32_t expected = take_index(import_count);
  if (expected != which) fail("the recording has a call of %s here", import_names[expected]);
  uint64_t given[MOST_VALUES];
  memcpy(given, values, count * sizeof *values);
  struct place place = place_of_values(given, count);
  if (place.size != count * SLOT) fail("%" PRIu32 " values, not %" PRIu32, count, place.size / SLOT);
  compare(place);
  imports++;
}

static void make_call(void) {
  label_length = take_u32();
  label = (const char *)take(label_length);
  uint32_t which = take_index(export_count);
  what = export_names[which];
  wasm_rt_trap_t trap = wasm_rt_impl_try();
  if (trap != WASM_RT_TRAP_NONE) fail("the core traps: %s", wasm_rt_strerror(trap));
  uint64_t values[MOST_VALUES];
  fill(place_of_values(values, MOST_VALUES));
  uint64_t result = call_core(which, values);
  what = export_names[which];
  if (*take(1) != 'R') fail("the recording has more import calls");
  compare(place_of_values(&result, 1));
  release_result(which, result);
  calls++;
}

static void replay(void) {
  for (;;) {
    switch (*take(1)) {
      case 'N':
        begin_core();
        break;
      case 'C':
        make_call();
        break;
      case 'E':
        return;
      default:
        fail("the file is not one of an exchange");
    }
  }
}

static void read_file(const char *path) {
  FILE *from = fopen(path, "rb");
  if (from == NULL || fseek(from, 0, SEEK_END) != 0) fail("%s cannot be read", path);
  file_size = (size_t)ftell(from);
  rewind(from);
  uint8_t *bytes = malloc(file_size);
  if (bytes == NULL || fread(bytes, 1, file_size, from) != file_size) fail("%s cannot be read", path);
  fclose(from);
  file = bytes;
}

int main(int count, char **arguments) {
  what = arguments[0];
  if (count != 2) fail("the path of a file is wanted");
  read_file(arguments[1]);
  wasm_rt_init();
  Z_core_init_module();
  replay();
  printf("%" PRIu32 " calls, %" PRIu32 " imports, %" PRIu64 " bytes\n", calls, imports, compared);
  return 0;
}
