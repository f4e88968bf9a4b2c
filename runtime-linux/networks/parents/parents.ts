// macvlan and ipvlan networks: their parent interfaces. A parent that the machine has is used as it is. A VLAN that it
// lacks, and a dummy interface, are made, and removed along with the last network on them.

import { noSuch } from "../../../hosts/shared/index.js";
import type { networks } from "../../../hosts/shared/index.js";
import type { Kernel } from "../../kernel.js";
import type { Paths } from "../../paths.js";
import type { Swept } from "../../swept.js";
import { KeptFiles } from "../kept.js";
import * as links from "../netlink/links.js";
import { carryOut } from "../netlink/netlink.js";
import { makeDummy, makeVlan } from "./parent-links.js";

type ParentNetwork = networks.ParentNetwork;

/** The record of a network. */
interface MadeParent {
  network: ParentNetwork;
  /** We make the parent, or have made it. */
  ours: boolean;
}

export class Parents {
  readonly #made: KeptFiles<MadeParent>;
  /** By parent: when the last piece of work on it is over. */
  readonly #turns = new Map<string, Promise<void>>();

  constructor(
    private readonly kernel: Kernel,
    paths: Paths,
    private readonly swept: Swept,
  ) {
    this.#made = new KeptFiles(paths.networks("parents"), ({ network }) => network?.parent !== undefined);
  }

  /** Ids of the existing networks. First removes what a crash left half made; a reboot leaves files without interfaces. */
  async found(): Promise<string[]> {
    this.#made.sweep();
    for (const [network, { value, whole }] of this.#made.entries()) {
      const isThere = this.#indexOf(value.network.parent) !== 0;
      if (whole && isThere) continue;
      this.swept(`network ${network}`, isThere ? "it was half made, or half removed" : "its parent is gone");
      await this.drop(network);
    }
    return this.#made.entries().map(([network]) => network);
  }

  make(network: ParentNetwork): Promise<void> {
    return this.#inTurn(network.parent, () => this.#make(network));
  }

  /** A parent of ours goes with its last network. */
  async drop(network: string): Promise<void> {
    const kept = this.#made.find(network);
    if (kept !== undefined) await this.#inTurn(kept.value.network.parent, () => this.#drop(network));
  }

  /** One after the other: of two networks on the same parent, one makes it, or the last one removes it. */
  async #inTurn(parent: string, work: () => Promise<void>): Promise<void> {
    const done = (this.#turns.get(parent) ?? Promise.resolve()).then(work);
    const over = done.catch(() => {});
    this.#turns.set(parent, over);
    await over;
    if (this.#turns.get(parent) === over) this.#turns.delete(parent);
    return done;
  }

  async #make(network: ParentNetwork): Promise<void> {
    const { parent } = network;
    const isThere = this.#indexOf(parent) !== 0;
    const ours = isThere ? this.#all().some((made) => made.ours && made.network.parent === parent) : true;
    if (!isThere) this.#requireLink(network);
    const before = this.#made.find(network.network);
    if (isThere && before?.whole && before.value.ours === ours) return;
    this.#made.begin(network.network, { network, ours });
    try {
      if (!isThere) await this.#makeParent(network);
    } catch (error) {
      await this.#drop(network.network);
      throw error;
    }
    this.#made.finish(network.network);
  }

  async #drop(network: string): Promise<void> {
    const kept = this.#made.find(network);
    if (kept === undefined) return;
    const { network: dropped, ours } = kept.value;
    this.#made.undo(network);
    const sharing = this.#all().filter((made) => made.network.parent === dropped.parent);
    if (ours && sharing.length === 1 && this.#indexOf(dropped.parent) !== 0) {
      await carryOut(this.kernel, links.removeLink(dropped.parent));
    }
    await this.#made.erase(network);
  }

  async #makeParent({ parent, vlanLink, vlanId }: ParentNetwork): Promise<void> {
    const make = vlanLink === "" ? makeDummy(parent) : makeVlan(parent, this.#indexOf(vlanLink), vlanId);
    await carryOut(this.kernel, make);
    await carryOut(this.kernel, links.withoutIpv6(parent), links.setUp(parent));
  }

  /** Of a parent that is to be made. */
  #requireLink({ parent, vlanLink, isDummy }: ParentNetwork): void {
    if (isDummy) return;
    if (vlanLink === "") throw noSuch("network-interface", parent);
    if (this.#indexOf(vlanLink) === 0) throw noSuch("network-interface", vlanLink);
  }

  #all(): MadeParent[] {
    return this.#made.entries().map(([, { value }]) => value);
  }

  #indexOf(name: string): number {
    return this.kernel.interfaceIndex(name);
  }
}
