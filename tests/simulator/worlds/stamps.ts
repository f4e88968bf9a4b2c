// Corrects the host's timestamps by its machine's time of day, because the world does not know how that was set.

import type { Input, Outcome, engine, types } from "../../../hosts/shared/host.js";
import type { MachineClock } from "./clock.js";

interface Launch {
  container: string;
  run: number;
}

export class Stamps {
  readonly #clock: MachineClock;
  /** Start times of runs. A timestamp stays the same after a change of the time of day. */
  readonly #launches = new Map<string, types.WallTime>();

  constructor(clock: MachineClock) {
    this.#clock = clock;
  }

  outcome(command: { tag: string; val?: unknown }, outcome: Outcome): Outcome {
    if (outcome.tag !== "launched") return outcome;
    if (command.tag !== "launch") return { tag: "launched", val: this.#stamped(outcome.val) };
    return { tag: "launched", val: this.#launched(command.val as Launch, outcome.val) };
  }

  input(input: Input): Input {
    if (input.tag === "exited") return { tag: input.tag, val: { ...input.val, exit: this.#stamped(input.val.exit) } };
    if (input.tag !== "exec-exited") return input;
    return { tag: input.tag, val: { ...input.val, exit: this.#stamped(input.val.exit) } };
  }

  inventory(found: engine.Inventory): engine.Inventory {
    const execs = found.execs.map(({ exit, ...exec }) => (exit ? { ...exec, exit: this.#stamped(exit) } : exec));
    return { ...found, processes: found.processes.map((one) => ({ ...one, state: this.#state(one) })), execs };
  }

  #state({ state, ...launch }: engine.FoundProcess): engine.ProcessState {
    if (state.tag === "running") return { tag: state.tag, val: this.#launched(launch, state.val) };
    return state.tag === "exited" ? { tag: state.tag, val: this.#stamped(state.val) } : state;
  }

  #launched({ container, run }: Launch, launched: types.Launched): types.Launched {
    const key = `${container} ${run}`;
    const at = this.#launches.get(key) ?? this.#stamped(launched).at;
    this.#launches.set(key, at);
    return { ...launched, at };
  }

  #stamped<Stamped extends { at: types.WallTime }>(stamped: Stamped): Stamped {
    return { ...stamped, at: stamped.at + this.#clock.ahead };
  }
}
