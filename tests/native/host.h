// The interface between host.c and the C code that glue.ts generates: which functions the core imports and exports, and
// how they are called.

#ifndef HOST_H
#define HOST_H

#include <stdint.h>

#include "core.h"

/* The current instance of the core. */
extern Z_core_instance_t core;

extern const char *const import_names[];
extern const char *const export_names[];
extern const uint32_t import_count;
extern const uint32_t export_count;

/* Frees the previous instance, if there is one, and creates a new one in `core`. */
void begin_core(void);

/* Calls an export with these values. Returns its result, or 0 if it has none. */
uint64_t call_core(uint32_t which, const uint64_t *values);

/* Lets the core free the memory of an export's result. */
void release_result(uint32_t which, uint64_t result);

/* Called when the core calls an import. `count` is the number of values. */
void on_import(uint32_t which, const uint64_t *values, uint32_t count);

#endif
