// Builds a native program from the core: wasm2c turns the wasm into C, and gcc compiles it together with `host.c`.

import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { findProgram, must } from "../support/commands.js";
import type { Doors } from "./doors.js";
import { glue, MODULE } from "./glue.js";

const SOURCES = fileURLToPath(new URL(".", import.meta.url));
/** Debian's runtime files for wasm2c's C. */
const RUNTIME = "/usr/share/wabt/wasm2c";

/** Why the program cannot be built on this machine; null if it can. */
export function reasonForNoProgram(): string | null {
  if (findProgram("wasm2c") === null || !existsSync(RUNTIME)) return "wasm2c is not installed (Debian: wabt)";
  if (findProgram("gcc") === null) return "gcc is not installed";
  if (!existsSync("/usr/include/stdlib.h")) return "C has no headers here (Debian: libc6-dev)";
  return null;
}

/** Builds the program in the given directory. Resolves to the program's path. */
export async function makeProgram(wasm: Uint8Array, doors: Doors, directory: string): Promise<string> {
  mkdirSync(directory, { recursive: true });
  const place = (name: string): string => join(directory, name);
  writeFileSync(place("core.wasm"), wasm);
  writeFileSync(place("glue.c"), glue(doors));
  await must(["wasm2c", place("core.wasm"), "-n", MODULE, "-o", place("core.c")]);
  const includes = ["-I", directory, "-I", SOURCES, "-I", RUNTIME];
  const own = ["-std=gnu11", "-Wall", "-Wextra", "-Werror"];
  const compile = (name: string, source: string, flags: string[]): Promise<string> =>
    must(["gcc", "-O0", ...flags, ...includes, "-c", source, "-o", place(name)], { timeoutMs: 300_000 });
  await compile("host.o", join(SOURCES, "host.c"), own);
  await compile("glue.o", place("glue.c"), own);
  await compile("runtime.o", join(RUNTIME, "wasm-rt-impl.c"), ["-w"]);
  // Compiling takes far longer than running, so optimization is off.
  await compile("core.o", place("core.c"), ["-w"]);
  const objects = ["host.o", "glue.o", "runtime.o", "core.o"].map(place);
  await must(["gcc", ...objects, "-lm", "-o", place("replays")]);
  return place("replays");
}
