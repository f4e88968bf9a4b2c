// Builds a native program from the core: wasm2c turns the wasm into C, and gcc compiles it together with `host.c`.

import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { findProgram, must } from "../support/commands.js";
import type { Doors } from "./doors.js";
import { glue, MODULE } from "./glue.js";

const SOURCES = fileURLToPath(new URL(".", import.meta.url));
/** Holds the last compiled core, because the code takes gcc a quarter of a minute. */
const KEPT = fileURLToPath(new URL("../../build/native", import.meta.url));
/** Debian's runtime files for wasm2c's C. */
const RUNTIME = "/usr/share/wabt/wasm2c";
/** Compiling takes far longer than running. */
const UNOPTIMIZED = "-O0";
/** An initial content of the memory, as wasm2c writes it. */
const CONTENT = /^static (const u8 \w+\[\]) = (\{[^}]*\};)$/gm;

/** A program of a core. */
export interface Program {
  readonly path: string;
  /** The code of its core in C. */
  readonly source: string;
  /** The same as an object file. */
  readonly object: string;
}

/** Why the program cannot be built on this machine; null if it can. */
export function reasonForNoProgram(): string | null {
  if (findProgram("wasm2c") === null || !existsSync(RUNTIME)) return "wasm2c is not installed (Debian: wabt)";
  if (findProgram("gcc") === null) return "gcc is not installed";
  if (!existsSync("/usr/include/stdlib.h")) return "C has no headers here (Debian: libc6-dev)";
  return null;
}

/**
 * Builds the program in the given directory. `other`: a program made before. If its core has the same code, only the
 * content of the memory is compiled.
 */
export async function makeProgram(
  wasm: Uint8Array,
  doors: Doors,
  directory: string,
  other: Program | null = null,
): Promise<Program> {
  mkdirSync(directory, { recursive: true });
  const place = (name: string): string => join(directory, name);
  const source = await sourceOf(wasm, place);
  writeFileSync(place("glue.c"), glue(doors));
  const includes = ["-I", directory, "-I", SOURCES, "-I", RUNTIME];
  const own = ["-std=gnu11", "-Wall", "-Wextra", "-Werror"];
  const compile = async (name: string, from: string, flags: string[]): Promise<string> => {
    await must(["gcc", UNOPTIMIZED, ...flags, ...includes, "-c", from, "-o", place(name)]);
    return place(name);
  };
  const object = other?.source === source ? other.object : await compiled(place("core.c"), includes);
  const objects = [
    await compile("host.o", join(SOURCES, "host.c"), own),
    await compile("glue.o", place("glue.c"), own),
    await compile("runtime.o", join(RUNTIME, "wasm-rt-impl.c"), ["-w"]),
    await compile("contents.o", place("contents.c"), own),
  ];
  await must(["gcc", ...objects, object, "-lm", "-o", place("replays")]);
  return { path: place("replays"), source, object };
}

/** The core as an object file: that of an earlier run, if the compiler and all that it reads are the same. */
async function compiled(source: string, includes: readonly string[]): Promise<string> {
  const text = `${source}.i`;
  // Assertions name their file.
  const places = ["-P", `-fmacro-prefix-map=${dirname(source)}=.`];
  await must(["gcc", "-E", ...places, ...includes, source, "-o", text]);
  const flags = [UNOPTIMIZED, "-w"];
  const hash = createHash("sha256")
    .update(await must(["gcc", "--version"]))
    .update(flags.join(" "));
  const object = join(KEPT, `${hash.update(readFileSync(text)).digest("hex")}.o`);
  if (existsSync(object)) return object;
  rmSync(KEPT, { recursive: true, force: true });
  mkdirSync(KEPT, { recursive: true });
  const draft = `${object}.${process.pid}`;
  await must(["gcc", ...flags, "-c", text, "-o", draft], { timeoutMs: 300_000 });
  renameSync(draft, object);
  return object;
}

/** Writes the core as `core.h`, `core.c` and `contents.c`. Resolves to the code in `core.c`. */
async function sourceOf(wasm: Uint8Array, place: (name: string) => string): Promise<string> {
  writeFileSync(place("core.wasm"), wasm);
  await must(["wasm2c", place("core.wasm"), "-n", MODULE, "-o", place("core.c")]);
  const text = readFileSync(place("core.c"), "utf8");
  const code = text.replaceAll(CONTENT, "extern $1;");
  const contents = ["typedef unsigned char u8;"];
  for (const [, name, bytes] of text.matchAll(CONTENT)) contents.push(`extern ${name};`, `${name} = ${bytes}`);
  writeFileSync(place("core.c"), code);
  writeFileSync(place("contents.c"), `${contents.join("\n")}\n`);
  return code;
}
