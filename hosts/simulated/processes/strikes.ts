// Faults of the simulated world that strike the runs of containers.

import type { FaultSource } from "../faults.js";
import { STRIKE_NS } from "./durations.js";
import type { Run } from "./run.js";

/** Faults that can strike a container while it runs. */
const RUN_FAULTS = ["out-of-memory", "supervisor-lost"] as const;

export type RunFault = (typeof RUN_FAULTS)[number];

export class Strikes {
  readonly #faults: FaultSource;
  readonly #after: (ns: bigint) => Promise<void>;

  constructor(faults: FaultSource, after: (ns: bigint) => Promise<void>) {
    this.#faults = faults;
    this.#after = after;
  }

  /** The run was just started. */
  strikeNew(run: Run): void {
    const { container, namespace } = run;
    const dying = this.#faults.strike("die-at-once", { container });
    if (dying) return namespace?.first?.end(dying.code);
    void this.#after(STRIKE_NS).then(() => {
      for (const kind of RUN_FAULTS) if (run.isRunning) this.strike(kind, run);
    });
  }

  strike(kind: RunFault, run: Run): void {
    if (!this.#faults.strike(kind, { container: run.container })) return;
    if (kind === "out-of-memory") run.namespace?.kill(true);
    else run.lose();
  }
}
