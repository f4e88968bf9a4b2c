// Fills in functions that cannot be written in AssemblyScript: those that save and load every global, and the code's
// identity. Until the module is compiled, they are imports from the module `build` (`runtime/snapshot.ts`).

import binaryen from "assemblyscript/binaryen";
import { createHash } from "node:crypto";

/** Unused bytes at the start of the memory, where a snapshot has its header: `FRONT` of `runtime/snapshot.ts`. */
export const FRONT = 4096;
/** Offset of the globals in it: `GLOBALS` of `runtime/snapshot.ts`. */
const GLOBALS = 32;

/**
 * Gives the placeholders of a module their bodies. A module without placeholders stays as it is. `names`: keeps names.
 */
export function fillPlaceholders(wasm: Uint8Array, names: boolean): Uint8Array {
  binaryen.setDebugInfo(names);
  const module = binaryen.readBinary(wasm);
  try {
    const placeholders = placeholdersOf(module);
    if (placeholders.size === 0) return wasm;
    const bodies = new Bodies(module, wasm);
    for (const [base, { name, params, results }] of placeholders) {
      module.removeFunction(name);
      module.addFunction(name, params, results, [], bodies.of(base));
    }
    return module.emitBinary();
  } finally {
    module.dispose();
  }
}

function placeholdersOf(module: binaryen.Module): Map<string, binaryen.FunctionInfo> {
  const all = Array.from({ length: module.getNumFunctions() }, (_, i) =>
    binaryen.getFunctionInfo(module.getFunctionByIndex(i)),
  );
  return new Map(all.filter((one) => one.module === "build").map((one) => [one.base ?? "", one]));
}

/** A mutable global, and its place in a snapshot's header. */
interface Slot {
  name: string;
  type: binaryen.Type;
  offset: number;
}

class Bodies {
  readonly #slots: Slot[];

  constructor(
    readonly module: binaryen.Module,
    readonly wasm: Uint8Array,
  ) {
    this.#slots = slotsOf(module);
  }

  of(placeholder: string): binaryen.ExpressionRef {
    const { module } = this;
    switch (placeholder) {
      case "saveGlobals":
        return module.block(
          null,
          this.#slots.map((slot) => this.#save(slot)),
        );
      case "loadGlobals":
        return module.block(
          null,
          this.#slots.map((slot) => this.#load(slot)),
        );
      case "identity":
        return this.#identity();
      default:
        throw new Error(`placeholder ${placeholder} has no body`);
    }
  }

  #save({ name, type, offset }: Slot): binaryen.ExpressionRef {
    const { module } = this;
    const value = module.global.get(name, type);
    const at = module.local.get(0, binaryen.i32);
    return type === binaryen.i32 ? module.i32.store(offset, 4, at, value) : module.i64.store(offset, 4, at, value);
  }

  #load({ name, type, offset }: Slot): binaryen.ExpressionRef {
    const { module } = this;
    const at = module.local.get(0, binaryen.i32);
    return module.global.set(
      name,
      type === binaryen.i32 ? module.i32.load(offset, 4, at) : module.i64.load(offset, 4, at),
    );
  }

  /** The first 64 bits of the module's hash, before the placeholders are filled. */
  #identity(): binaryen.ExpressionRef {
    const hash = createHash("sha256").update(this.wasm).digest();
    return this.module.i64.const(hash.readBigUInt64LE(0));
  }
}

function slotsOf(module: binaryen.Module): Slot[] {
  const slots: Slot[] = [];
  let offset = 0;
  for (let i = 0; i < module.getNumGlobals(); i++) {
    const { name, type, mutable } = binaryen.getGlobalInfo(module.getGlobalByIndex(i));
    if (!mutable) continue;
    if (type !== binaryen.i32 && type !== binaryen.i64) throw new Error(`global ${name} is neither i32 nor i64`);
    slots.push({ name, type, offset });
    offset += type === binaryen.i32 ? 4 : 8;
  }
  if (GLOBALS + offset > FRONT) throw new Error(`${slots.length} globals do not fit into ${FRONT} bytes`);
  return slots;
}
