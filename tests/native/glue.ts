// Generates the C code between `host.c` and the functions that wasm2c generates from the core. `host.c` handles only
// values and bytes, but each function from wasm2c has its own parameters.

import { MAX_FLAT_PARAMS, type Flat } from "../../core/bindgen/layout.js";
import type { Door, Doors } from "./doors.js";

/** The name of the module in wasm2c: `-n core`. */
export const MODULE = "core";

const C_TYPE: Record<Flat, string> = { i32: "u32", i64: "u64", f32: "f32", f64: "f64" };

/** Returns the text of the C file. */
export function glue(doors: Doors): string {
  const imports = doors.imports.map((door, index) => importFunction(doors, door, index));
  const exports = doors.exports.map((door, index) => callCase(doors, door, index));
  const releases = doors.exports.map(releaseCase);
  const none = doors.imports.map(() => ", NULL").join("");
  return `#include "host.h"

Z_${MODULE}_instance_t core;

${nameList("import", doors.imports)}
${nameList("export", doors.exports)}
${imports.join("\n")}
void begin_core(void) {
  static bool is_there = false;
  if (is_there) Z_${MODULE}_free(&core);
  Z_${MODULE}_instantiate(&core${none});
  Z_${MODULE}Z__initialize(&core);
  is_there = true;
}

uint64_t call_core(uint32_t which, const uint64_t *values) {
  switch (which) {
${exports.join("")}  }
  return 0;
}

void release_result(uint32_t which, uint64_t result) {
  switch (which) {
${releases.join("")}  }
}
`;
}

function nameList(kind: string, doors: Door[]): string {
  const lines = doors.map(({ name }) => `  ${JSON.stringify(name)},\n`).join("");
  return `const char *const ${kind}_names[] = {\n${lines}};\nconst uint32_t ${kind}_count = ${doors.length};\n`;
}

function importFunction({ layouts }: Doors, { from, func }: Door, index: number): string {
  const flats = parameters(layouts, func);
  const params = flats.map((flat, i) => `, ${C_TYPE[flat]} v${i}`).join("");
  const values = flats.map((_, i) => `v${i}`).join(", ");
  return `void Z_${mangled(from)}Z_${mangled(func.name)}(struct Z_${mangled(from)}_instance_t *self${params}) {
  (void)self;
  const uint64_t values[] = {${values}};
  on_import(${index}, values, ${flats.length});
}
`;
}

function callCase({ layouts }: Doors, door: Door, index: number): string {
  const values = parameters(layouts, door.func).map((flat, i) => `, (${C_TYPE[flat]})values[${i}]`);
  const call = `Z_${MODULE}Z_${mangled(door.name)}(&core${values.join("")})`;
  const isVoid = door.func.result === undefined;
  return `    case ${index}:\n${isVoid ? `      ${call};\n      return 0` : `      return ${call}`};\n`;
}

function releaseCase({ after }: Door, index: number): string {
  if (after === null) return "";
  return `    case ${index}:\n      Z_${MODULE}Z_${mangled(after)}(&core, (u32)result);\n      break;\n`;
}

function parameters(layouts: Doors["layouts"], { params }: Door["func"]): Flat[] {
  const flats = params.flatMap(({ type }) => layouts.flat(type));
  return flats.length > MAX_FLAT_PARAMS ? ["i32"] : flats;
}

/** The name in C, mangled in the same way as by wasm2c. */
function mangled(name: string): string {
  const code = (character: string): string => `Z${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, "0")}`;
  return name.replace(/[^\w]|Z/g, code);
}
