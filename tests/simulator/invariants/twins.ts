// Checks that an instance restored from a snapshot does the same as the original for the next inputs.

import type { Instance } from "../../../hosts/driver/instance.js";
import { Breach } from "../breach.js";
import { digest, shortened } from "../digest.js";
import type { Spares } from "../spares.js";
import type { Invariant, Seen } from "./invariant.js";

/** The number of steps that are compared. */
const FOLLOWED = 8;

export class Twins implements Invariant {
  readonly #spares: Spares;
  #all: { instance: Instance; left: number }[] = [];

  constructor(spares: Spares) {
    this.#spares = spares;
  }

  /** Starts to compare with the next step. `snapshot`: the current state. */
  follow(snapshot: Uint8Array): void {
    const instance = this.#spares.take();
    instance.restore(snapshot);
    this.#all.push({ instance, left: FOLLOWED });
  }

  stepped({ opening, now, input, outputs, digest: own }: Seen): void {
    if (opening !== null) return this.crashed();
    for (const twin of this.#all) {
      const others = twin.instance.step(now, input!);
      if (digest(others) !== own) {
        const [other, known] = [others, outputs].map(shortened);
        throw new Breach("twins", `the restored instance answers ${input?.tag} with\n${other}\nnot with\n${known}`);
      }
      if ((twin.left -= 1) === 0) this.#spares.give(twin.instance);
    }
    this.#all = this.#all.filter(({ left }) => left > 0);
  }

  crashed(): void {
    for (const { instance } of this.#all) this.#spares.give(instance);
    this.#all = [];
  }
}
