// An instance that is restored from a snapshot goes on as the one that it was taken of: it is given the next inputs, too.

import { Instance, type CompiledCore } from "../../../hosts/instance.js";
import { Breach } from "../breach.js";
import { digest, shortened } from "../digest.js";
import type { Invariant, Seen } from "./invariant.js";

/** For how many steps one is held against the other. */
const FOLLOWED = 8;

export class Twins implements Invariant {
  readonly #core: CompiledCore;
  #all: { instance: Instance; left: number }[] = [];
  /** Used ones: to restore one takes less than to make one. */
  readonly #spare: Instance[] = [];

  constructor(core: CompiledCore) {
    this.#core = core;
  }

  /** From the next step on. `snapshot`: as it is now. */
  follow(snapshot: Uint8Array): void {
    const instance = this.#spare.pop() ?? new Instance(this.#core);
    instance.restore(snapshot);
    this.#all.push({ instance, left: FOLLOWED });
  }

  stepped({ opening, now, input, outputs }: Seen): void {
    if (opening !== null) return this.crashed();
    for (const twin of this.#all) {
      const others = twin.instance.step(now, input!);
      if (digest(others) !== digest(outputs)) {
        const [other, own] = [others, outputs].map(shortened);
        throw new Breach("twins", `restored, it answers ${input?.tag} with\n${other}\nnot with\n${own}`);
      }
      if ((twin.left -= 1) === 0) this.#spare.push(twin.instance);
    }
    this.#all = this.#all.filter(({ left }) => left > 0);
  }

  crashed(): void {
    this.#spare.push(...this.#all.map(({ instance }) => instance));
    this.#all = [];
  }
}
