// An instance that is restored from a snapshot goes on as the one that it was taken of: it is given the next inputs, too.

import type { Instance } from "../../../hosts/driver/instance.js";
import { Breach } from "../breach.js";
import { digest, shortened } from "../digest.js";
import type { Spares } from "../spares.js";
import type { Invariant, Seen } from "./invariant.js";

/** For how many steps one is held against the other. */
const FOLLOWED = 8;

export class Twins implements Invariant {
  readonly #spares: Spares;
  #all: { instance: Instance; left: number }[] = [];

  constructor(spares: Spares) {
    this.#spares = spares;
  }

  /** From the next step on. `snapshot`: as it is now. */
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
        throw new Breach("twins", `restored, it answers ${input?.tag} with\n${other}\nnot with\n${known}`);
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
