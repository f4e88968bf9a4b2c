// Collects what the compiler knows about classes but the wasm module does not contain: the names and offsets of their
// fields. A tool that reads a core's memory needs them (core/bindgen/runtime/blocks.ts describes the layout of
// objects).

import type { Transform } from "assemblyscript/asc";
import type { Class, DeclaredElement, Program, PropertyPrototype } from "types:assemblyscript/src/program";

/** A class whose objects are garbage-collected. The header of each object has the class's id. */
export interface ClassLayout {
  readonly id: number;
  /** File and name, type arguments included: `core/assembly/task/Pending`, `~lib/array/Array<u64>`. */
  readonly name: string;
  /** Size of each object in bytes, except for texts and buffers. */
  readonly size: number;
  /** Fields of base classes come first. */
  readonly fields: readonly FieldLayout[];
}

export interface FieldLayout {
  readonly name: string;
  /** Offset from the object's address in bytes. */
  readonly offset: number;
  /** As the compiler writes it: `u64`, `bool`, `core/assembly/call/Call | null`. */
  readonly type: string;
}

/** The compiler's hooks for an observer. `Transform` itself is only a stub to extend. */
export type Onlooker = Pick<Transform, "afterInitialize" | "afterCompile">;

/** An observer of the compiler. It knows all classes once the compilation is done. */
export class ClassReader implements Onlooker {
  readonly classes: ClassLayout[] = [];
  #program: Program | undefined;

  afterInitialize(program: Program): void {
    this.#program = program;
  }

  afterCompile(): void {
    for (const [id, compiled] of this.#program?.managedClasses ?? []) {
      this.classes.push({
        id,
        name: compiled.internalName,
        size: compiled.nextMemoryOffset,
        fields: fieldsOf(compiled),
      });
    }
  }

  /** The classes as a JavaScript module, and its types. */
  files(): Record<string, string> {
    const lines = this.classes.map((one) => `  ${JSON.stringify(one)},\n`);
    return { "classes.js": `export const CLASSES = [\n${lines.join("")}];\n`, "classes.d.ts": TYPES };
  }
}

const TYPES = `/** The classes of the core's objects. */
export declare const CLASSES: readonly {
  /** The header of each object has it. */
  readonly id: number;
  /** File and name, type arguments included: \`core/assembly/task/Pending\`, \`~lib/array/Array<u64>\`. */
  readonly name: string;
  /** Size of each object in bytes, except for texts and buffers. */
  readonly size: number;
  /** In the order of their offsets; \`type\` as the compiler writes it. */
  readonly fields: readonly { readonly name: string; readonly offset: number; readonly type: string }[];
}[];
`;

function fieldsOf(compiled: Class): FieldLayout[] {
  const fields = new Map<string, FieldLayout>();
  for (let one: Class | null = compiled; one !== null; one = one.base) {
    for (const [name, member] of one.members ?? []) {
      const field = isProperty(member) && member.isField ? member.instance : null;
      if (field === null || fields.has(name)) continue;
      fields.set(name, { name, offset: field.memoryOffset, type: String(field.type) });
    }
  }
  return [...fields.values()].sort((a, b) => a.offset - b.offset);
}

function isProperty(member: DeclaredElement): member is PropertyPrototype {
  return "isField" in member;
}
