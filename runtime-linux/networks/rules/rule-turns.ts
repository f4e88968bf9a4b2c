// Turns of those who change a network's rules. A repair removes all published ports and adds those that are known, in
// several steps: a port that somebody else published or unpublished meanwhile would be lost, or come back.

export class RuleTurns {
  /** The latest change of each network that has one under way. It never fails. */
  readonly #last = new Map<string, Promise<void>>();

  /** Calls `change` when all earlier ones of this network have ended. */
  async take(network: string, change: () => Promise<void>): Promise<void> {
    const before = this.#last.get(network);
    const changed = before === undefined ? change() : before.then(change);
    const ended = changed.catch(() => {});
    this.#last.set(network, ended);
    try {
      await changed;
    } finally {
      if (this.#last.get(network) === ended) this.#last.delete(network);
    }
  }
}
