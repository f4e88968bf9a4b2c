// Keeps what a dry run only imagines: containers that it has created or mounted, processes that it has started or
// ended, volumes and layers that it has made. About everything else the live host may be asked.

import type { Ended } from "../driver/index.js";
import type { Input, types } from "../shared/index.js";

/** Larger than Linux's largest process id (PID_MAX_LIMIT, 2^22), so no process of the machine can have it. */
const FIRST_PID = (1 << 22) + 1;

export class Imagined {
  /** Mounted by the dry run. */
  readonly mounted = new Set<string>();
  /**
   * Containers created by the dry run. They have no files and no log. The live engine may have given the same id to
   * another container since, so the machine is not asked about them.
   */
  readonly created = new Set<string>();
  readonly volumes = new Set<string>();
  readonly chains = new Set<string>();
  /** Directories of the machine that would be made as sources of bind mounts. */
  readonly directories = new Set<string>();
  /** Container and run of processes that the dry run started and that still run. */
  readonly #runs = new Map<string, number>();
  /**
   * Runs and execs that the dry run ended, even if the real ones continue. Real ends are not kept: there may be many,
   * and the core ignores a second end anyway.
   */
  readonly #over = new Set<string>();
  readonly #happened: (input: Input) => void;
  readonly #now: () => types.WallTime;
  #nextPid = FIRST_PID;

  constructor(happened: (input: Input) => void, now: () => types.WallTime) {
    this.#happened = happened;
    this.#now = now;
  }

  launch({ container, run }: types.Subject): types.Launched {
    this.#runs.set(container, run);
    this.#over.delete(`${container} ${run}`);
    return this.launched();
  }

  launched(): types.Launched {
    return { pid: this.#nextPid++, at: this.#now() };
  }

  /** Whether the dry run started this run, and it still runs. */
  runs({ container, run }: types.Subject): boolean {
    return this.#runs.get(container) === run;
  }

  /** The run of a container that the dry run started and that still runs. */
  runOf(container: string): number | undefined {
    return this.#runs.get(container);
  }

  /** Ends a run, unless it has ended. Reports this later, never within this call. */
  end({ container, run }: types.Subject, code: number): void {
    if (!this.#forget({ container, run })) return;
    const exit = this.#exit(code);
    queueMicrotask(() => this.#happened({ tag: "exited", val: { container, run, exit } }));
  }

  endExec(exec: string, code: number): void {
    if (!this.#first(exec)) return;
    const val = { exec, exit: this.#exit(code), output: new Uint8Array(), truncated: false };
    queueMicrotask(() => this.#happened({ tag: "exec-exited", val }));
  }

  /** Ends a run without reporting it. */
  reap(subject: types.Subject): void {
    this.#forget(subject);
  }

  reapExec(exec: string): void {
    this.#first(exec);
  }

  /** Whether the real end of a process counts in the dry run, which may have made or ended that process itself. */
  isEnd(input: Ended): boolean {
    if (input.tag === "exec-exited") return !this.#over.has(input.val.exec);
    const { container, run } = input.val;
    return !this.created.has(container) && !this.runs({ container, run }) && !this.#over.has(`${container} ${run}`);
  }

  #forget({ container, run }: types.Subject): boolean {
    if (this.#runs.get(container) === run) this.#runs.delete(container);
    return this.#first(`${container} ${run}`);
  }

  #first(whose: string): boolean {
    if (this.#over.has(whose)) return false;
    this.#over.add(whose);
    return true;
  }

  #exit(code: number): types.Exit {
    return { code, outOfMemory: false, lost: false, at: this.#now() };
  }
}
