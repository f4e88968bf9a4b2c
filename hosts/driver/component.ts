// Instantiates a transpiled component. It is compiled once, and instantiated again whenever an instance is lost.

/** A file of the component, as the platform delivers it. */
export type WasmSource = WebAssembly.Module | Uint8Array<ArrayBuffer>;

/** The export of jco's glue with `instantiation: "sync"`. */
export type Instantiate<Imports, Exports> = (
  coreModule: (path: string) => WebAssembly.Module,
  imports: Imports,
  instantiateCore?: (module: WebAssembly.Module, imports: WebAssembly.Imports) => WebAssembly.Instance,
) => Exports;

/**
 * Imports that are done when they return. TypeScript accepts an async function where one that returns nothing is
 * wanted. But the step must not end before its outputs are recorded.
 */
export type Immediate<Imports> = {
  [Name in keyof Imports]: Imports[Name] extends (...values: infer Values) => void
    ? (...values: Values) => undefined
    : Immediate<Imports[Name]>;
};

export interface ComponentInstance<Exports> {
  exports: Exports;
  /**
   * After a call has thrown: the core's own message, `message at file:line:column`. Undefined if it died without one
   * (stack overflow, or an exception from an import).
   */
  trapMessage(): string | undefined;
  /** Size of its memory in bytes. It never shrinks. */
  memoryBytes(): number;
  /** All bytes ever allocated, modulo 2^32. */
  allocatedBytes(): number;
  /** Work of the last slice of a collection, as the core counts it: in references followed. */
  sliceWork(): number;
  /**
   * Collects garbage between two calls and fills free memory with zeros. The returned function gets the memory; call it
   * again after each call of the core, since the memory may grow.
   */
  collectAndWipe(): () => Uint8Array;
  /**
   * The same as the core's own `restore`, without a second copy of the snapshot in the memory, which would grow for it.
   */
  restore(snapshot: Uint8Array): void;
}

/** Bytes of a snapshot's header: `FRONT` of `core/bindgen/placeholders.ts`. */
const HEADER = 4096;

/** A compiled component. Its instances share only code. */
export class CompiledComponent<Imports, Exports> {
  readonly #modules: Map<string, WebAssembly.Module>;
  readonly #instantiate: Instantiate<Imports, Exports>;

  /** `files`: the component's core modules, under the names in its glue (`core.core.wasm`). */
  constructor(files: Map<string, WasmSource>, instantiate: Instantiate<Imports, Exports>) {
    this.#modules = new Map(Array.from(files, ([name, source]) => [name, compiled(source)]));
    this.#instantiate = instantiate;
  }

  /** Imports must return at once, must not throw, and must not call the instance. */
  instantiate(imports: Immediate<Imports>): ComponentInstance<Exports> {
    let core: CoreExports | undefined;
    const exports = this.#instantiate(
      (path) => this.#module(path),
      imports as Imports,
      (module, coreImports) => {
        const instance = new WebAssembly.Instance(module, coreImports);
        if ("trapped" in instance.exports) core = instance.exports as unknown as CoreExports;
        return instance;
      },
    );
    if (!core) throw new Error("none of the component's modules exports `trapped`");
    const { memory, trapped, allocated, sliceWork, collectAndWipe, beginRestore, endRestore } = core;
    return {
      exports,
      trapMessage: () => lastWords(memory, trapped),
      memoryBytes: () => memory.buffer.byteLength,
      allocatedBytes: () => allocated() >>> 0,
      sliceWork: () => sliceWork() >>> 0,
      collectAndWipe: () => {
        collectAndWipe();
        return () => new Uint8Array(memory.buffer);
      },
      restore: (snapshot) => {
        new Uint8Array(memory.buffer).set(snapshot.subarray(0, HEADER));
        beginRestore(snapshot.length);
        // The memory may have grown.
        new Uint8Array(memory.buffer).set(snapshot.subarray(HEADER), HEADER);
        endRestore(snapshot.length);
      },
    };
  }

  #module(path: string): WebAssembly.Module {
    const module = this.#modules.get(path);
    if (!module) throw new Error(`the component asks for a module that is not there: ${path}`);
    return module;
  }
}

/** Exports of the module compiled from AssemblyScript (`trap.ts`, `heap.ts` and `collector.ts` of `core/bindgen/runtime`). */
interface CoreExports {
  memory: WebAssembly.Memory;
  trapped: () => number;
  allocated: () => number;
  sliceWork: () => number;
  collectAndWipe: () => void;
  beginRestore: (length: number) => void;
  endRestore: (length: number) => void;
}

function compiled(source: WasmSource): WebAssembly.Module {
  return source instanceof WebAssembly.Module ? source : new WebAssembly.Module(source);
}

/** Reads the area that `trap.ts` fills: addresses of message and file name, line, column. */
function lastWords(memory: WebAssembly.Memory, trapped: () => number): string | undefined {
  const at = trapped();
  const [message, file, line, column] = new Uint32Array(memory.buffer, at, 4) as unknown as [
    number,
    number,
    number,
    number,
  ];
  if (line === 0) return undefined;
  return `${stringAt(memory, message) || "abort"} at ${stringAt(memory, file)}:${line}:${column}`;
}

/** An AssemblyScript string: UTF-16, with its size in bytes in the four bytes before it. */
function stringAt(memory: WebAssembly.Memory, address: number): string {
  if (address === 0) return "";
  const size = new DataView(memory.buffer).getUint32(address - 4, true);
  return new TextDecoder("utf-16le").decode(new Uint8Array(memory.buffer, address, size));
}
