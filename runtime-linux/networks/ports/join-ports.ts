// The published ports of connections to bridge networks: each is held on the machine (`ports.ts`), and then rules lead it
// to the container.

import type { networks } from "../../../hosts/shared/index.js";
import type { Kernel } from "../../kernel.js";
import type { Paths } from "../../paths.js";
import { Forwards } from "../forward/forwards.js";
import type { Rules } from "../rules/rules.js";
import { forgetDatagrams } from "./conntrack.js";
import { lastForEachKey, withoutTwins } from "../rules/elements.js";
import { elementsOf } from "./port-elements.js";
import { HeldPorts } from "./ports.js";

type Join = networks.Join;

/** A connection is known by the name of its veth's outer end. */
export class JoinPorts {
  readonly #forwards: Forwards;
  readonly #ports: HeldPorts;
  /** Resolves when the ports that an earlier engine had published are held again. */
  #held: Promise<unknown> = Promise.resolve();

  constructor(
    kernel: Kernel,
    paths: Paths,
    private readonly rules: Rules,
  ) {
    this.#forwards = new Forwards(kernel, paths);
    this.#ports = new HeldPorts(kernel, this.#forwards);
  }

  /** Begins to hold again what an earlier engine had published. */
  resume(joins: readonly [name: string, join: Join][]): void {
    this.#held = Promise.all(joins.map(([name, join]) => this.takeAgain(name, join)));
    // The error is thrown where this promise is awaited.
    this.#held.catch(() => {});
  }

  /** Waits until that is done. */
  async resumed(): Promise<void> {
    await this.#held;
  }

  /** Ends to forward for all but these. */
  async keepOnly(names: readonly string[]): Promise<void> {
    await this.#forwards.found([...names]);
  }

  /** Takes the ports that no program forwards. Throws if one is not available. */
  hold(name: string, join: Join): void {
    this.#ports.hold(name, join);
  }

  /** Takes the others, then publishes all: rules lead no packet to the container before all of its ports are known to be free. */
  async open(name: string, join: Join): Promise<void> {
    await this.#ports.forward(name, join);
    await this.#publish(join);
  }

  /** No rule leads to the container after this. */
  async unpublish(join: Join): Promise<void> {
    if (join.ports.length === 0) return;
    if (join.bridge.firewall !== false) await this.rules.unpublish(withoutTwins(elementsOf(join)));
    await forgetDatagrams(this.rules, join);
  }

  async release(name: string): Promise<void> {
    await this.#ports.release(name);
  }

  /** Takes those that are available. Never rejects. */
  async takeAgain(name: string, join: Join): Promise<void> {
    await this.#ports.takeAgain(name, join);
  }

  /** If a port is not available, the container keeps its earlier ones. */
  async move(name: string, before: Join, join: Join): Promise<void> {
    await this.unpublish(before);
    await this.release(name);
    try {
      await this.#ports.take(name, join);
    } catch (error) {
      await this.takeAgain(name, before);
      // A repair of the network may have published them meanwhile.
      await this.unpublish(join);
      await this.#publish(before);
      throw error;
    }
    await this.#publish(join);
  }

  /** Releases what this process holds. Ports that rules or other processes serve stay published. */
  async close(): Promise<void> {
    await this.#held.catch(() => {});
    this.#ports.releaseOwn();
    await this.#forwards.close();
  }

  async #publish(join: Join): Promise<void> {
    if (join.ports.length === 0) return;
    if (join.bridge.firewall !== false) await this.rules.publish(lastForEachKey(elementsOf(join)));
    await forgetDatagrams(this.rules, join);
  }
}
