// What AssemblyScript cannot write of itself: functions that save and load every global, and the code's identity. They are
// imports of module `build` (`runtime/snapshot.ts`) until the module is compiled, and get their bodies here.

import binaryen from "assemblyscript/binaryen";
import { createHash } from "node:crypto";

/** Bytes left free at the beginning of the memory, where snapshots have their front: `FRONT` of `runtime/snapshot.ts`. */
export const FRONT = 4096;
/** Where in it the globals begin: `GLOBALS` there. */
const GLOBALS = 32;

/** Gives the placeholders of a module their bodies; a module without any stays as it is. `names`: keep them. */
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

/** A mutable global: its place in the front of a snapshot. */
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
        throw new Error(`there is no body for placeholder ${placeholder}`);
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

  /** First 64 bits of the hash of the module, placeholders unfilled. */
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
