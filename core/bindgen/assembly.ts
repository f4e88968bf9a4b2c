// Generates the AssemblyScript side of a world: its types, a module for each imported interface, and the entry module
// with the core's exports.

import { flatValues, loadFlat, signature, storeFlat } from "./flat.js";
import { Layouts, MAX_FLAT_PARAMS, MAX_FLAT_RESULTS } from "./layout.js";
import { MemoryWriter } from "./memory.js";
import { pascal, variable } from "./names.js";
import { spell } from "./spelling.js";
import { namesOf, writeTypes } from "./types.js";
import type { Func, Interface, Type, World } from "./world.js";

export interface BindingsOptions {
  /** The module that implements an exported interface, as an import path from the generated files. */
  implementation: (exported: string) => string;
  /** Name of the exported function that collects garbage. It is generated, not implemented. */
  collect?: string;
  /** `func(most: u32) -> bool`: a slice of a collection (`runtime/collector.ts`). It is generated, not implemented. */
  collectSlice?: string;
  /** The exported functions that take and restore a snapshot of an instance. */
  snapshot?: SnapshotFunctions;
}

export interface SnapshotFunctions {
  /** `func() -> list<u8>`. Its implementation returns nothing: it only drops what the snapshot must not contain. */
  take: string;
  /** `func(snapshot: list<u8>)`. It is generated, not implemented. */
  restore: string;
  /** The records of texts whose objects are blanked in a snapshot. */
  secrets: readonly string[];
}

export interface Bindings {
  /** Sources by file name. The files of the folder `runtime/` belong in the same folder. */
  files: Map<string, string>;
  /** The component model's names for the entry's exports, which are not valid names in AssemblyScript. */
  exportNames: Map<string, string>;
}

/** The entry module is `exports.ts`. */
export function generateBindings(world: World, options: BindingsOptions): Bindings {
  return new Generator(world, options).generate();
}

const RUNTIME = ["allocate", "liftBytes", "liftString", "lowerBytes", "lowerString"];
const HEADER = "// Generated from the WIT world by core/bindgen.\n\n";

class Generator {
  readonly #layouts: Layouts;
  readonly #memory: MemoryWriter;
  readonly #typeNames: string[];
  readonly #exportNames = new Map<string, string>();

  constructor(
    readonly world: World,
    readonly options: BindingsOptions,
  ) {
    this.#layouts = new Layouts(world);
    this.#memory = new MemoryWriter(this.#layouts);
    this.#typeNames = ["Box", "Result", "Tuple2", ...[...world.types.values()].flatMap(namesOf)];
  }

  generate(): Bindings {
    const files = new Map([["types.ts", HEADER + writeTypes(this.#layouts)]]);
    for (const name of this.world.imports) files.set(`${name}.ts`, this.#importedModule(this.#interface(name)));
    files.set("exports.ts", this.#entry(this.world.exports.map((name) => this.#interface(name))));
    files.set("lift.ts", this.#module(this.#memory.lifts().join("\n")));
    files.set("lower.ts", this.#module(this.#memory.lowers().join("\n")));
    return { files, exportNames: this.#exportNames };
  }

  #interface(name: string): Interface {
    const found = this.world.interfaces.get(name);
    if (!found) throw new Error(`the world names interface ${name}, which is not defined`);
    return found;
  }

  #importedModule(imported: Interface): string {
    return this.#module(imported.functions.map((func) => this.#importedFunction(imported.name, func)).join("\n"));
  }

  /** A module, with imports for the names that its body uses. */
  #module(body: string, imports = ""): string {
    const used = new Set(body.match(/\b[A-Za-z]\w*/g));
    const declared = new Set(Array.from(body.matchAll(/^export function (\w+)/gm), (match) => match[1]));
    const functions = (prefix: string): string[] =>
      [...used].filter(
        (name) => new RegExp(`^${prefix}[A-Z]`).test(name) && !declared.has(name) && !RUNTIME.includes(name),
      );
    const line = (names: string[], from: string): string =>
      names.length > 0 ? `import { ${names.join(", ")} } from "./${from}";\n` : "";
    return [
      HEADER,
      line(RUNTIME.filter((name) => used.has(name)), "runtime"),
      line(functions("lift"), "lift"),
      line(functions("lower"), "lower"),
      line(this.#typeNames.filter((name) => used.has(name)), "types"),
      `${imports}\n${body}`,
    ].join(""); // prettier-ignore
  }

  /** Parameters go through a static area, since the host never calls the core during a call from the core. */
  #importedFunction(interfaceName: string, func: Func): string {
    const name = variable(func.name);
    const types = func.params.map((param) => param.type);
    const { at, end } = this.#layouts.offsets(types);
    const values = flatValues(this.#layouts, types);
    const spilled = values.length > MAX_FLAT_PARAMS;
    const params = func.params.map((param) => `${variable(param.name)}: ${spell(this.#layouts, param.type)}`);
    const lowers = func.params.map((param, i) => this.#memory.lower(param.type, "at", at[i]!, variable(param.name)));
    const passed = spilled ? "at" : values.map((value) => value.name).join(", ");
    return `// @ts-ignore: decorator
@external("${this.world.package}/${interfaceName}", "${func.name}")
declare function imported${pascal(func.name)}(${spilled ? "at: usize" : signature(values)}): void;

${func.doc.map((line) => `/// ${line}\n`).join("")}export function ${name}(${params.join(", ")}): void {
  const at = memory.data(${Math.max(end, 8)}, 8);
${lowers.map((line) => `  ${line}\n`).join("")}${spilled ? "" : loadFlat(this.#layouts, types)}  imported${pascal(func.name)}(${passed});
}
`;
  }

  #entry(exported: Interface[]): string {
    const imports = exported.map((one) => {
      const names = one.functions.filter((func) => this.#isImplemented(func)).map((func) => variable(func.name));
      return `import { ${names.join(", ")} } from "${this.options.implementation(one.name)}";\n`;
    });
    imports.push(
      `import { wipeFree } from "./blocks";\nimport { collectAll, collectSlice } from "./collector";\nimport "./extent";\n`,
    );
    if (this.options.snapshot) imports.push(`import * as snapshots from "./snapshot";\n`);
    const inPlace = this.options.snapshot ? RESTORE_IN_PLACE : "";
    const functions = exported.flatMap((one) => one.functions.map((func) => this.#exportedFunction(one.name, func)));
    const body = `export { cabi_realloc } from "./runtime";
export { sliceWork } from "./collector";
export { allocated } from "./heap";
export { trapped } from "./trap";

// Set during a call, and forever if a call failed, so that no later call uses half-finished state.
let busy = false;

function enter(): void {
  if (busy) throw new Error("a call is under way, or one has failed");
  busy = true;
}

// Collects garbage and overwrites it with zeros. The host can then return pages of zeros to the system without
// changing what the memory contains.
export function collectAndWipe(): void {
  enter();
  collectAll();
  wipeFree();
  busy = false;
}

${inPlace}${functions.join("\n")}`;
    return this.#module(body, imports.join(""));
  }

  #exportedFunction(interfaceName: string, func: Func): string {
    const symbol = `${variable(interfaceName)}_${variable(func.name)}`;
    const exportName = `${this.world.package}/${interfaceName}#${func.name}`;
    this.#exportNames.set(symbol, exportName);
    if (func.name === this.options.snapshot?.take) {
      this.#exportNames.set(`${symbol}_post`, `cabi_post_${exportName}`);
      return this.#takeSnapshot(symbol, variable(func.name), this.options.snapshot.secrets);
    }
    if (func.name === this.options.snapshot?.restore) return restoreSnapshot(symbol);
    return this.#ordinaryFunction(symbol, func);
  }

  #ordinaryFunction(symbol: string, func: Func): string {
    const types: Type[] = func.params.map((param) => param.type);
    const { at, end } = this.#layouts.offsets(types);
    const values = flatValues(this.#layouts, types);
    const spilled = values.length > MAX_FLAT_PARAMS;
    const area = types.length > 0 ? `  const at = memory.data(${Math.max(end, 8)}, 8);\n` : "";
    const stored = spilled ? "" : area + storeFlat(this.#layouts, types);
    const lifted = types.map((type, i) => this.#memory.lift(type, "at", at[i]!));
    const call = `${this.#ownName(func) ?? variable(func.name)}(${lifted.join(", ")})`;
    const { declared, kept, returned } = this.#result(func);
    return `export function ${symbol}(${spilled ? "at: usize" : signature(values)}): ${declared} {
  enter();
${stored}  ${kept(call)}
  busy = false;
${returned}}
`;
  }

  /** The number of a record's texts. */
  #textsOf(secret: string): number {
    const record = this.#layouts.definition(secret);
    const isText = (type: Type): boolean => type.kind === "primitive" && type.name === "string";
    if (record.kind !== "record" || !record.fields.every((field) => isText(field.type))) {
      throw new Error(`${secret} is not a record of texts`);
    }
    return record.fields.length;
  }

  /** The instance stays busy until the host has copied the snapshot (canonical ABI, "post-return"). */
  #takeSnapshot(symbol: string, implementation: string, secrets: readonly string[]): string {
    const classes = secrets.flatMap((secret) => [`idof<${pascal(secret)}>()`, this.#textsOf(secret)]);
    return `export function ${symbol}(): usize {
  enter();
  ${implementation}();
  return snapshots.take(memory.data<u32>([${[...classes, 0].join(", ")}]));
}

export function ${symbol}_post(_at: usize): void {
  snapshots.putBack();
  busy = false;
}
`;
  }

  /** A result stays in its static area until the next call, and no collection happens before that. */
  #result(func: Func): { declared: string; kept: (call: string) => string; returned: string } {
    const { result } = func;
    if (!result) return { declared: "void", kept: (call) => `${call};`, returned: "" };
    const flat = this.#layouts.flat(result);
    const area = `  const out = memory.data(${Math.max(this.#layouts.size(result), 8)}, 8);\n`;
    const kept = (call: string): string =>
      `const result = ${call};\n${area}  ${this.#memory.lower(result, "out", 0, "result")}`;
    if (flat.length > MAX_FLAT_RESULTS) return { declared: "usize", kept, returned: "  return out;\n" };
    const { name, flat: carrier } = flatValues(this.#layouts, [result])[0]!;
    const load = loadFlat(this.#layouts, [result], "out").replaceAll(name, "flat");
    return { declared: carrier, kept, returned: `${load}  return flat;\n` };
  }

  #isImplemented(func: Func): boolean {
    return this.#ownName(func) === undefined && func.name !== this.options.snapshot?.restore;
  }

  /** The runtime's function behind one that is generated. */
  #ownName({ name }: Func): string | undefined {
    if (name === this.options.collect) return "collectAll";
    return name === this.options.collectSlice ? "collectSlice" : undefined;
  }
}

/** The end of a restore sets `busy` to false again, since it is one of the restored globals. */
const RESTORE_IN_PLACE = `// For a host that reaches the memory. It copies the snapshot's header to address 0, calls \`beginRestore\`, copies
// the other bytes behind it, and calls \`endRestore\`. So the memory never holds a snapshot twice.
export function beginRestore(length: usize): void {
  enter();
  snapshots.admit(0, length);
}

export function endRestore(length: usize): void {
  snapshots.goOn(length);
  busy = false;
}

`;

function restoreSnapshot(symbol: string): string {
  return `export function ${symbol}(at: usize, length: usize): void {
  enter();
  snapshots.restore(at, length);
  busy = false;
}
`;
}
