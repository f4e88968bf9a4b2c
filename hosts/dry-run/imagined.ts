// What a dry run only imagines: containers that it has created or mounted, processes that it has started or ended, volumes and layers
// that it has made. About all else its host may be asked.

import type { Ended } from "../driver/index.js";
import type { Input, types } from "../shared/host.js";

/** Beyond the largest process id of Linux (PID_MAX_LIMIT, 2^22): no process of the machine has such a one. */
const FIRST_PID = (1 << 22) + 1;

export class Imagined {
  /** Mounted by the dry run. */
  readonly mounted = new Set<string>();
  /**
   * Created here: they have no files and no log. The live engine may have given the same id to another meanwhile, so the
   * machine is not asked about them.
   */
  readonly created = new Set<string>();
  readonly volumes = new Set<string>();
  readonly chains = new Set<string>();
  /** Of the machine, made as sources of binds. */
  readonly directories = new Set<string>();
  /** Container and run of processes that the dry run started and that go on. */
  readonly #runs = new Map<string, number>();
  /**
   * Runs and execs that were ended here, whatever becomes of the real ones. Not those that really end: they may be
   * many, and the core takes no second end.
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

  /** Whether this run is one of the dry run's. */
  runs({ container, run }: types.Subject): boolean {
    return this.#runs.get(container) === run;
  }

  /** The run of a container that the dry run started and that goes on. */
  runOf(container: string): number | undefined {
    return this.#runs.get(container);
  }

  /** It ends, unless it has. Told of later: never from within the call that brings it about. */
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

  /** Whatever is left of it is gone, and nobody is told. */
  reap(subject: types.Subject): void {
    this.#forget(subject);
  }

  reapExec(exec: string): void {
    this.#first(exec);
  }

  /** Whether the end of a process of the machine is one here: not of what was made here, nor of what is over here. */
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
