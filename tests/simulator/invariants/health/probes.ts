// Tracks health probes, from the command that starts one to its end, which comes by itself or by one of Docker's
// limits. A probe whose result is no longer awaited is killed, and its result is ignored.

import type { Operation, processes, types } from "../../../../hosts/shared/host.js";
import { Breach } from "../../breach.js";
import type { Seen } from "../invariant.js";

const SECOND = 1_000_000_000n;
/** The longest time for a start, and for an end after SIGKILL. */
const START_LIMIT = 30n * SECOND;
const KILL_LIMIT = 10n * SECOND;
const SIGKILL = 9;
/** Docker's exit code for a probe that could not start, or took too long. */
const NO_CODE = -1;

interface Probe {
  readonly exec: string;
  readonly container: string;
  readonly run: number;
  readonly begun: types.Instant;
  /** The longest time that it may run. */
  readonly timeout: bigint;
  /** Whether its result is awaited. */
  awaited: boolean;
  stage: "asked" | "runs" | "late";
  /** The timer that limits its stage. */
  timer: Operation | null;
}

/** The result of an awaited probe. */
export interface Found extends Pick<Probe, "container" | "run" | "begun"> {
  exitCode: number;
}

export class Probes {
  readonly #all = new Map<string, Probe>();
  /** Pending starts. */
  readonly #starts = new Map<Operation, Probe>();

  clear(): void {
    this.#all.clear();
    this.#starts.clear();
  }

  begin(op: Operation, { exec, subject }: processes.Exec, timeout: bigint, seen: Seen): void {
    const { container, run } = subject;
    const begun = seen.now;
    const probe: Probe = { exec, container, run, begun, timeout, awaited: true, stage: "asked", timer: null };
    this.#all.set(exec, probe);
    this.#starts.set(op, probe);
    limit(probe, START_LIMIT, seen);
  }

  /** The result that the step's input brings, or null. */
  heard(seen: Seen): Found | null {
    const { input } = seen;
    switch (input?.tag) {
      case "completed":
        return this.#decided(input.val.op, input.val.outcome.tag === "ok", seen);
      case "exec-exited": {
        const probe = this.#all.get(input.val.exec);
        if (probe === undefined || probe.stage === "asked") return null;
        return this.#over(probe, probe.stage === "late" ? NO_CODE : input.val.exit.code);
      }
      case "elapsed":
        return this.#elapsed(input.val, seen);
      default:
        return null;
    }
  }

  /** Stops waiting for a container's probe. `lives`: the container's run continues. */
  giveUp(container: string, lives: boolean, seen: Seen): void {
    for (const probe of this.#all.values()) {
      if (probe.container !== container || !probe.awaited) continue;
      probe.awaited = false;
      if (lives && probe.stage !== "asked") mustKill(probe, seen);
    }
  }

  #decided(op: Operation, runs: boolean, seen: Seen): Found | null {
    const probe = this.#starts.get(op);
    if (probe === undefined) return null;
    this.#starts.delete(op);
    if (!runs) return this.#over(probe, NO_CODE);
    if (!probe.awaited) return null;
    probe.stage = "runs";
    limit(probe, probe.timeout, seen);
    return null;
  }

  #elapsed(timer: Operation, seen: Seen): Found | null {
    const probe = [...this.#all.values()].find((one) => one.awaited && one.timer === timer);
    if (probe === undefined) return null;
    if (probe.stage !== "runs") return this.#over(probe, NO_CODE);
    probe.stage = "late";
    mustKill(probe, seen);
    limit(probe, KILL_LIMIT, seen);
    return null;
  }

  #over(probe: Probe, exitCode: number): Found | null {
    this.#all.delete(probe.exec);
    const found = probe.awaited ? { ...probe, exitCode } : null;
    // Its start may still succeed.
    probe.awaited = false;
    return found;
  }
}

/** Checks that a timer is set that ends the probe. */
function limit(probe: Probe, delay: bigint, { outputs, now }: Seen): void {
  const set = outputs.effects.find(
    ({ to, command }) => to === "timers" && command.tag === "set" && command.val === now.monotonic + delay,
  );
  if (set === undefined) throw new Breach("health", `no timer ends probe ${probe.exec} after ${delay} ns`);
  probe.timer = set.op;
}

function mustKill({ exec }: Probe, { outputs }: Seen): void {
  const isKilled = outputs.effects.some(({ to, command }) => {
    return (
      to === "processes" && command.tag === "signal-exec" && command.val.exec === exec && command.val.number === SIGKILL
    );
  });
  if (!isKilled) throw new Breach("health", `probe ${exec} is not killed`);
}
