// Builds the core: WIT → bindings → wasm → component → JavaScript glue. The output goes to `build/`: to `bindings/` for
// the compiler, and to `core/` for the hosts.

import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { type CodecOptions, writeCodecs } from "./bindgen/codecs.js";
import { writeCommands } from "./bindgen/commands.js";
import { buildComponent } from "./bindgen/componentize.js";
import { writeForms } from "./bindgen/forms.js";
import { embedModules } from "./embed.js";
import { writeEnumWords } from "./enum-words.js";
import { writeRecordTypes } from "./record-types.js";

export interface BuildCoreOptions {
  /** The repository. */
  root: string;
  /** Optimizes for speed. Without it, the compiler runs quickly and keeps names. */
  release: boolean;
  /** Output folder of glue and wasm. The default is `build/core`. */
  outDir?: string;
}

/** A trace holds the values that enter the core, so these types need codecs. */
const CODECS: CodecOptions = {
  from: "../../hosts/trace/codec.js",
  types: ["input", "options", "stored", "journal-end", "inventory"],
  recurring: ["request.headers"],
};

/** Tests write these as text. */
const FORMS = ["failure"];

/** Resolves to the size of the core's wasm in bytes. */
export async function buildCore({ root, release, outDir = "build/core" }: BuildCoreOptions): Promise<number> {
  const words = await writeEnumWords(root);
  const records = await writeRecordTypes(root);
  const wasm = await buildComponent({
    wit: await readWorld(join(root, "core/wit")),
    baseDir: root,
    bindings: "build/bindings",
    runtime: join(root, "core/bindgen/runtime"),
    implementation: () => "../../core/assembly/engine",
    collect: "collect",
    collectSlice: "collect-slice",
    snapshot: { take: "snapshot", restore: "restore", secrets: ["credentials", "web-credentials"] },
    outDir: join(root, outDir),
    name: "core",
    release,
    hostFiles: (world) => ({
      "codecs.ts": writeCodecs(world, CODECS),
      "commands.ts": writeCommands(world, "command"),
      "forms.ts": writeForms(world, FORMS),
      "enum-words.ts": words,
      "record-types.ts": records,
    }),
  });
  await embedModules(join(root, outDir));
  return wasm.length;
}

/** The WIT files of a folder as one text. The world comes first, since it names the package. */
export async function readWorld(folder: string): Promise<string> {
  const names = (await readdir(folder)).filter((name) => name.endsWith(".wit")).sort();
  const ordered = ["world.wit", ...names.filter((name) => name !== "world.wit")];
  const texts = await Promise.all(ordered.map((name) => readFile(join(folder, name), "utf8")));
  return texts.join("\n");
}
