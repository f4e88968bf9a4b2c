// A pid namespace, as its processes and their programs see it.

import type { ChildStart } from "../program.js";
import type { Found } from "./executable.js";
import type { Stdio } from "./inheritance.js";
import type { Kernel, ResourceLimit } from "./kernel.js";

/** `P`: its processes. */
export interface Namespace<P> {
  readonly kernel: Kernel;
  readonly hostname: string;
  readonly frozen: boolean;
  /** The processes that see one another, by pid. */
  readonly table: { readonly all: ReadonlyMap<number, P> };
  /** Processor time that its processes have used, in nanoseconds. */
  worked: number;
  readonly allocated: number;
  /** Whether the OOM killer struck. */
  readonly isOutOfMemory: boolean;
  /** Throws `NoProgram`. */
  find(argv: readonly string[], by: P, start?: Pick<ChildStart, "env" | "cwd">): Found;
  spawn(parent: P, start: ChildStart, stdio: Stdio): P;
  /** Counts allocated bytes. Returns whether they exceed the limit. */
  exhausts(bytes: number): boolean;
  outOfMemory(process: P): void;
  gone(process: P): void;
  /** Sends a signal to all processes of a group. False if there is none. */
  signalGroup(group: number, signal: number): boolean;
  /** A limit by its letter for `ulimit`; null for no limit. */
  resourceLimit(letter: string): ResourceLimit | null;
}
