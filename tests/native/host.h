// Between host.c and the C that glue.ts makes of the boundary: which functions the core has, and how they are called.

#ifndef HOST_H
#define HOST_H

#include <stdint.h>

#include "core.h"

/* The instance that is there. */
extern Z_core_instance_t core;

extern const char *const import_names[];
extern const char *const export_names[];
extern const uint32_t import_count;
extern const uint32_t export_count;

/* Makes `core` a new instance. */
void begin_core(void);

/* Calls an export with these values. Returns what it returns, or 0. */
uint64_t call_core(uint32_t which, const uint64_t *values);

/* The core may have back what an export has returned. */
void release_result(uint32_t which, uint64_t result);

/* The core calls an import with so many values. */
void on_import(uint32_t which, const uint64_t *values, uint32_t count);

#endif
