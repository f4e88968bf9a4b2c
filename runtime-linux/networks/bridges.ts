// Networks: a bridge interface with the machine's address, and firewall rules for its traffic.

import type { networks } from "../../hosts/shared/host.js";
import { malformed } from "../../hosts/shared/failure.js";
import type { Kernel } from "../kernel.js";
import type { Paths } from "../paths.js";
import { broadcastOf, ipv4, prefixOf } from "./addresses.js";
import { acceptForwarding, forgetForwarding, routeThrough } from "./forwarding.js";
import type { Swept } from "../swept.js";
import { KeptFiles } from "./kept.js";
import * as links from "./links.js";
import { carryOut } from "./netlink.js";
import type { Places } from "./places.js";
import { nft, noTable, publishedBy, tableOf } from "./rules.js";

/** A network that was made. It is kept under its id. */
interface Made {
  bridge: networks.Bridge;
  /** We made the interface; it did not exist before. */
  ours: boolean;
}

export class Bridges {
  readonly #kernel: Kernel;
  readonly #places: Places;
  readonly #made: KeptFiles<Made>;

  constructor(
    kernel: Kernel,
    paths: Paths,
    places: Places,
    private readonly swept: Swept,
  ) {
    this.#kernel = kernel;
    this.#places = places;
    this.#made = new KeptFiles(paths.networks("made"), ({ bridge }) => bridge?.interfaceName !== undefined);
  }

  /** Ids of the existing networks. First removes leftovers of others: a reboot leaves files without interfaces. */
  async found(): Promise<string[]> {
    this.#made.sweep();
    for (const [network, { value, whole }] of this.#made.entries()) {
      const isThere = this.#indexOf(value.bridge) !== 0;
      if (whole && isThere) continue;
      this.swept(`network ${network}`, isThere ? "it was half made, or half removed" : "its interface is gone");
      await this.drop(network);
    }
    return this.#made.entries().map(([network]) => network);
  }

  /**
   * Repairs a network that exists: if the firewall was flushed, its rules come back, and so do the ports of running
   * containers.
   */
  async make(bridge: networks.Bridge): Promise<void> {
    const { network, interfaceName } = bridge;
    check(bridge);
    const kept = this.#made.find(network);
    const ours = kept?.value.ours || this.#indexOf(bridge) === 0;
    if (!kept?.whole) this.#made.begin(network, { bridge, ours });
    await this.#makeInterface(bridge);
    routeThrough(interfaceName);
    await nft([tableOf(bridge), publishedBy(network, this.#places.on(network))].join("\n"));
    await acceptForwarding(interfaceName);
    this.#made.finish(network);
  }

  async drop(network: string): Promise<void> {
    const kept = this.#made.find(network);
    if (!kept) return;
    const { bridge, ours } = kept.value;
    this.#made.undo(network);
    if (ours && !this.#isShared(bridge)) await carryOut(this.#kernel, links.removeLink(bridge.interfaceName));
    await nft(noTable(network));
    await forgetForwarding(bridge.interfaceName);
    await this.#made.erase(network);
  }

  async #makeInterface(bridge: networks.Bridge): Promise<void> {
    const { interfaceName, subnet } = bridge;
    const gateway = ipv4(bridge.gateway);
    await carryOut(this.#kernel, links.makeBridge(interfaceName, Uint8Array.from([0x02, 0x42, ...gateway])));
    await carryOut(
      this.#kernel,
      links.addAddress(this.#indexOf(bridge), gateway, prefixOf(subnet), broadcastOf(subnet)),
      links.withoutIpv6(interfaceName),
      ...(bridge.mtu > 0 ? [links.setMtu(interfaceName, bridge.mtu)] : []),
      links.setUp(interfaceName),
    );
  }

  /** Whether another network uses the same interface. */
  #isShared(bridge: networks.Bridge): boolean {
    return this.#made.entries().some(([network, { value }]) => {
      return network !== bridge.network && value.bridge.interfaceName === bridge.interfaceName;
    });
  }

  #indexOf(bridge: networks.Bridge): number {
    return this.#kernel.interfaceIndex(bridge.interfaceName);
  }
}

/** Names that the kernel allows, except those that nft's syntax cannot hold. */
const INTERFACE_NAME = /^(?!\.{1,2}$)[^\s/:"\\]{1,15}$/;

/** Checks the arguments before anything is made. */
function check({ interfaceName, subnet, gateway }: networks.Bridge): void {
  ipv4(gateway);
  prefixOf(subnet);
  if (!INTERFACE_NAME.test(interfaceName)) {
    throw malformed("interface-name", interfaceName);
  }
}
