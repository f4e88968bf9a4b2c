// Networks: a bridge interface with the machine's address, and firewall rules for its traffic.

import { isDeepStrictEqual } from "node:util";
import { malformed } from "../../../hosts/shared/index.js";
import type { networks } from "../../../hosts/shared/index.js";
import type { Kernel } from "../../kernel.js";
import type { Paths } from "../../paths.js";
import { together } from "../../together.js";
import { ipv4, ipv6, prefixOf } from "../addresses.js";
import { choiceFor, completed, makeInterface, undoInterface, type Made } from "./bridge-interface.js";
import { ForwardChain } from "../rules/forward-chain.js";
import { endLocalRouting, routeLocally, routeThrough } from "../rules/forwarding.js";
import type { Swept } from "../../swept.js";
import { KeptFiles } from "../kept.js";
import { findLink } from "../netlink/look-ups.js";
import { lastForEachKey, type PlacedElement } from "../rules/elements.js";
import type { Places } from "./places.js";
import { elementsOf } from "../ports/port-elements.js";
import type { Rules } from "../rules/rules.js";

export class Bridges {
  readonly #kernel: Kernel;
  readonly #places: Places;
  /** The networks that were made, by their ids. */
  readonly #made: KeptFiles<Made>;
  readonly #forwardChain: ForwardChain;

  constructor(
    kernel: Kernel,
    paths: Paths,
    places: Places,
    private readonly swept: Swept,
    private readonly rules: Rules,
  ) {
    this.#kernel = kernel;
    this.#places = places;
    this.#forwardChain = new ForwardChain(kernel, rules, paths.linkGroup());
    this.#made = new KeptFiles(paths.networks("made"), ({ bridge }) => bridge?.interfaceName !== undefined);
    for (const [network, { value }] of this.#made.entries()) {
      value.bridge = completed(value.bridge);
      if (value.bridge.firewall !== false) rules.expect(value.bridge, () => this.#portsOf(network));
    }
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
    await this.rules.restore();
    return this.#made.entries().map(([network]) => network);
  }

  /**
   * Repairs a network that exists, or makes it anew if its addresses are other ones now: if the firewall was flushed, its
   * rules come back, and so do the ports of running containers.
   */
  async make(bridge: networks.Bridge): Promise<void> {
    const { network, interfaceName } = bridge;
    check(bridge);
    const before = this.#made.find(network)?.value.bridge;
    if (before !== undefined && !isSamePlace(before, bridge)) await this.drop(network);
    const kept = this.#made.entries().map(([, { value }]) => value);
    const link = await findLink(this.#kernel, interfaceName);
    const made = { bridge, ...(await choiceFor(this.#kernel, bridge, link, kept)) };
    this.#begin(made);
    // Rules name the interface, which need not be there yet. The kernel makes it while their bytes are put together.
    const wanted = makeInterface(this.#kernel, made, link);
    const rules = bridge.firewall ? this.rules.make(bridge, () => this.#portsOf(network)) : NOTHING;
    await together(wanted, rules);
    routeThrough(bridge);
    if (bridge.firewall) {
      routeLocally(bridge);
      await this.#forwardChain.accept(bridge, made.ours);
    } else {
      if (made.ours || made.added?.localRouting) endLocalRouting(interfaceName);
      await this.#withoutRules(bridge, () => []);
    }
    await this.#places.serveAs(bridge);
    this.#made.finish(network);
  }

  async drop(network: string): Promise<void> {
    const kept = this.#made.find(network);
    if (!kept) return;
    const { bridge } = kept.value;
    this.#made.undo(network);
    if (!this.#isShared(bridge)) await undoInterface(this.#kernel, kept.value);
    await this.#withoutRules(bridge, () => this.#grouped());
    await this.#made.erase(network);
  }

  #portsOf(network: string): PlacedElement[] {
    return lastForEachKey(this.#places.withPorts(network).flatMap(elementsOf));
  }

  /** `others`: networks that keep theirs, as `ForwardChain.forget` asks for them. */
  async #withoutRules(bridge: networks.Bridge, others: () => networks.Bridge[]): Promise<void> {
    await together(this.rules.remove(bridge), this.#forwardChain.forget(bridge, others));
  }

  /** Networks with rules, on bridges that we have made. */
  #grouped(): networks.Bridge[] {
    const all = this.#made.entries().map(([, { value }]) => value);
    return all.filter(({ ours, bridge }) => ours && bridge.firewall !== false).map(({ bridge }) => bridge);
  }

  /** Writes the record. That of an existing network stays as it is, unless somebody has replaced its interface. */
  #begin(made: Made): void {
    const kept = this.#made.find(made.bridge.network);
    const isSame = kept?.value.ours === made.ours && isDeepStrictEqual(kept.value.added, made.added);
    if (!kept?.whole || !isSame) this.#made.begin(made.bridge.network, made);
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

const NOTHING: Promise<void> = Promise.resolve();

function isSamePlace(one: networks.Bridge, other: networks.Bridge): boolean {
  const places = [one, other].map(({ interfaceName, subnet, gateway, ipv6Subnet, ipv6Gateway }) =>
    [interfaceName, subnet, gateway, ipv6Subnet, ipv6Gateway].join(" "),
  );
  return places[0] === places[1];
}

/**
 * Names that the kernel allows, except those that are hard to tell in lists of nft and iptables, and those that stand for
 * other interfaces there: `*` in nft, `+` in iptables. For `x%d`, the kernel makes `x0`.
 */
const INTERFACE_NAME = /^(?!\.{1,2}$)[^\s/:"\\*+%]{1,15}$/;

/** Checks the arguments before anything is made. */
function check(bridge: networks.Bridge): void {
  const { interfaceName, subnet, gateway, ipv6Subnet, ipv6Gateway, trustedInterfaces } = bridge;
  if (subnet !== "" || ipv6Subnet === "") prefixOf(subnet);
  if (ipv6Subnet !== "") prefixOf(ipv6Subnet);
  for (const address of [gateway, bridge.sourceAddress]) if (address !== "") ipv4(address);
  for (const address of [ipv6Gateway, bridge.ipv6SourceAddress]) if (address !== "") ipv6(address);
  for (const name of [interfaceName, ...trustedInterfaces]) {
    if (!INTERFACE_NAME.test(name)) throw malformed("interface-name", name);
  }
}
