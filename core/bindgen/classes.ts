// What the compiler knows of classes, and the module does not: names and places of their fields. Whoever reads a memory
// needs them (core/bindgen/runtime/blocks.ts tells how objects lie in it).

import type { Transform } from "assemblyscript/asc";
import type { Class, DeclaredElement, Program, PropertyPrototype } from "types:assemblyscript/src/program";

/** A class whose objects the collector owns. Its id stands in the header of each. */
export interface ClassLayout {
  readonly id: number;
  /** File and name, type arguments included: `core/assembly/task/Pending`, `~lib/array/Array<u64>`. */
  readonly name: string;
  /** Bytes of each of its objects, but of those of texts and buffers. */
  readonly size: number;
  /** Those of its base classes first. */
  readonly fields: readonly FieldLayout[];
}

export interface FieldLayout {
  readonly name: string;
  /** Bytes from the object's address. */
  readonly offset: number;
  /** As the compiler writes it: `u64`, `bool`, `core/assembly/call/Call | null`. */
  readonly type: string;
}

/** What the compiler asks of one who looks on; `Transform` itself is but a stub to stand on. */
export type Onlooker = Pick<Transform, "afterInitialize" | "afterCompile">;

/** Given to the compiler, it knows all classes once that is done. */
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

  /** What it knows as a module of JavaScript, and its types. */
  files(): Record<string, string> {
    const lines = this.classes.map((one) => `  ${JSON.stringify(one)},\n`);
    return { "classes.js": `export const CLASSES = [\n${lines.join("")}];\n`, "classes.d.ts": TYPES };
  }
}

const TYPES = `/** The classes of the core's objects. */
export declare const CLASSES: readonly {
  /** Stands in the header of each object. */
  readonly id: number;
  /** File and name, type arguments included: \`core/assembly/task/Pending\`, \`~lib/array/Array<u64>\`. */
  readonly name: string;
  /** Bytes of each of its objects, but of those of texts and buffers. */
  readonly size: number;
  /** In the order of their places; \`type\` as the compiler writes it. */
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
