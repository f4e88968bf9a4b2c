// Containers' connections to bridge networks. Each has a network namespace with one end of a veth pair, whose other end is
// a port of the bridge (`endpoint.ts`), and ports of the machine that lead to it (`../ports/join-ports.ts`).

import { randomBytes } from "node:crypto";
import { setMaxListeners } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import type { engine, networks } from "../../../hosts/shared/index.js";
import { namesIn } from "../../directories.js";
import type { Kernel } from "../../kernel.js";
import type { Paths } from "../../paths.js";
import type { Swept } from "../../swept.js";
import { together } from "../../together.js";
import { KeptFiles } from "../kept.js";
import { isNamespace, releaseNamespace } from "../namespace.js";
import * as links from "../netlink/links.js";
import { carryOut, type Request } from "../netlink/netlink.js";
import { JoinPorts } from "../ports/join-ports.js";
import type { Rules } from "../rules/rules.js";
import { check, completed, connect, isSameEndpoint, moveRoutes } from "./endpoint.js";

/** Kept under the name of the veth's outer end, which is never reused: one may be removed while the next is made. */
interface Place {
  join: networks.Join;
}

/** How long the kernel may take to remove the interfaces of a removed namespace. Then it is asked to. */
const LINGER_MS = 250;

export class Places {
  readonly #kernel: Kernel;
  readonly #paths: Paths;
  readonly #places: KeptFiles<Place>;
  readonly #ports: JoinPorts;
  /** Those whose ports are, or soon will be, unpublished. */
  readonly #leaving = new Set<string>();
  readonly #lingering = new Map<string, Promise<void>>();
  readonly #closing = new AbortController();

  constructor(
    kernel: Kernel,
    paths: Paths,
    private readonly swept: Swept,
    rules: Rules,
  ) {
    this.#kernel = kernel;
    this.#paths = paths;
    this.#places = new KeptFiles(
      paths.networks("joined"),
      ({ join }) => join?.bridge !== undefined && Array.isArray(join.ports),
    );
    this.#ports = new JoinPorts(kernel, paths, rules);
    setMaxListeners(0, this.#closing.signal);
    for (const [, { value }] of this.#places.entries()) value.join = completed(value.join);
    this.#ports.resume(this.#places.entries().map(([name, { value }]) => [name, value.join]));
  }

  /** The existing connections. First removes incomplete ones. A reboot removes everything except the files. */
  async found(): Promise<engine.FoundJoin[]> {
    await this.#ports.resumed();
    this.#places.sweep();
    for (const [name, { value, whole }] of this.#places.entries()) {
      const stands = this.#stands(name, value);
      if (whole && stands) continue;
      const why = stands ? "it was half made, or half taken down" : "its interface or its namespace is gone";
      this.swept(`container ${value.join.container} on network ${value.join.bridge.network}`, why);
      await this.#remove(name, value);
    }
    await this.#ports.keepOnly(this.#places.entries().map(([name]) => name));
    return this.#places.entries().map(([, { value }]) => {
      const { container, bridge, address, ipv6Address } = value.join;
      return { container, network: bridge.network, address, ipv6Address };
    });
  }

  /** Containers with a namespace. First removes files on which none is mounted: a reboot leaves them. */
  async sandboxes(): Promise<string[]> {
    const containers: string[] = [];
    for (const container of namesIn(this.#paths.networks("ns"))) {
      if (isNamespace(this.#paths.namespace(container))) containers.push(container);
      else await releaseNamespace(this.#kernel, this.#paths.namespace(container));
    }
    return containers;
  }

  /**
   * The connections to a network whose ports shall be published now: also those under way, which may have published theirs
   * already, but none that is being taken down.
   */
  withPorts(network: string): networks.Join[] {
    const staying = this.#places.entries().filter(([name]) => !this.#leaving.has(name));
    const joins = staying.map(([, { value }]) => value.join);
    return joins.filter(({ bridge, ports }) => bridge.network === network && ports.length > 0);
  }

  /** Ids of the networks that the container is on. */
  networksOf(container: string): string[] {
    return this.#of(container).map(([, { join }]) => join.bridge.network);
  }

  async join(join: networks.Join): Promise<void> {
    check(join);
    for (const [name, place, whole] of this.#of(join.container, join.bridge.network)) {
      if (whole && this.#stands(name, place) && isSameEndpoint(place.join, join)) return this.#alter(name, place, join);
      await this.#remove(name, place);
    }
    const name = `veth${randomBytes(5).toString("hex")}`;
    const place = { join };
    const hadNamespace = isNamespace(this.#paths.namespace(join.container));
    this.#ports.hold(name, join);
    try {
      this.#places.begin(name, place);
      await together(connect(this.#kernel, this.#paths, name, join), this.#ports.open(name, join));
    } catch (error) {
      await this.#remove(name, place);
      if (!hadNamespace) await releaseNamespace(this.#kernel, this.#paths.namespace(join.container));
      throw error;
    }
    this.#places.finish(name);
  }

  /** The network is served in another way now: its ports are forwarded accordingly. */
  async serveAs(bridge: networks.Bridge): Promise<void> {
    for (const [name] of this.#places.entries()) {
      // While the ports of others were taken, this connection may have changed, or gone.
      const kept = this.#places.find(name);
      if (!kept?.whole) continue;
      const { join } = kept.value;
      if (join.bridge.network !== bridge.network || isDeepStrictEqual(join.bridge, bridge)) continue;
      const served = { ...join, bridge };
      this.#places.replace(name, { join: served });
      await this.#ports.release(name);
      // The container may have left meanwhile, and a port that is taken now would stay taken.
      if (this.#places.find(name) && !this.#leaving.has(name)) await this.#ports.takeAgain(name, served);
    }
  }

  async leave({ container, network }: networks.Leave): Promise<void> {
    for (const [name, place] of this.#of(container, network)) await this.#remove(name, place);
  }

  /**
   * The kernel removes interfaces along with their namespace some 40 ms later, several at a time. Nobody needs to wait
   * for that.
   */
  async leaveAll(container: string): Promise<void> {
    const places = this.#of(container);
    try {
      await together(...places.map(([name, place]) => this.#takeDown(name, place, links.silence(name))));
    } finally {
      await releaseNamespace(this.#kernel, this.#paths.namespace(container));
      for (const [name] of places) if (!this.#places.find(name)) this.#lingering.set(name, this.#seeOff(name));
    }
  }

  /** Changes a connection to what it shall be now: where the default route leads, and the published ports. */
  async #alter(name: string, place: Place, join: networks.Join): Promise<void> {
    const before = place.join;
    if (isDeepStrictEqual(before, join)) return;
    // Until the end, a removal takes down what was there before, too.
    const added = join.ports.filter((port) => !before.ports.some((other) => isDeepStrictEqual(other, port)));
    this.#places.replace(name, { join: { ...join, ports: [...before.ports, ...added] } });
    try {
      await moveRoutes(this.#kernel, this.#paths, before, join);
      if (!isDeepStrictEqual(before.ports, join.ports)) await this.#ports.move(name, before, join);
    } catch (error) {
      this.#places.replace(name, place);
      throw error;
    }
    this.#places.replace(name, { join });
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await Promise.all(this.#lingering.values());
    await this.#ports.close();
  }

  /** Takes a connection down, or whatever part of it exists. `cut`: how its interface ends to send. */
  async #takeDown(name: string, { join }: Place, cut: Request): Promise<void> {
    this.#leaving.add(name);
    this.#places.undo(name);
    await together(carryOut(this.#kernel, cut), this.#ports.unpublish(join));
    await this.#ports.release(name);
    this.#places.forget(name);
    this.#leaving.delete(name);
  }

  /** Removes a connection. */
  async #remove(name: string, place: Place): Promise<void> {
    await this.#takeDown(name, place, links.removeLink(name));
    await this.#places.erase(name);
  }

  /** Makes sure that a silenced interface is removed, even if something else still holds its namespace. */
  async #seeOff(name: string): Promise<void> {
    try {
      await sleep(LINGER_MS, undefined, { ref: false, signal: this.#closing.signal }).catch(() => {});
      if (this.#kernel.interfaceIndex(name) !== 0) await carryOut(this.#kernel, links.removeLink(name));
      await this.#places.erase(name);
    } catch {
      // Its file stays and is marked as incomplete, so the next engine tries again.
    } finally {
      this.#lingering.delete(name);
    }
  }

  #of(container: string, network?: string): [name: string, place: Place, whole: boolean][] {
    const all = this.#places.entries().filter(([, { value }]) => value.join.container === container);
    const on = all.filter(([, { value }]) => network === undefined || value.join.bridge.network === network);
    return on.map(([name, { value, whole }]) => [name, value, whole]);
  }

  #stands(name: string, { join }: Place): boolean {
    return this.#kernel.interfaceIndex(name) !== 0 && isNamespace(this.#paths.namespace(join.container));
  }
}
