// Names of containers on user-defined networks. In each container, a resolver answers at 127.0.0.11. One process serves
// all of them, so that names resolve while no engine runs.
//
// It is a program of our own, because no other has a view for each container. Debian's aardvark-dns 1.4.0 takes 2 MiB
// instead of 10, but it answers no faster, by UDP only, at the bridge's address, and it has one
// list of servers for all containers. Of dnsmasq or unbound, each container would need a process.

import { randomInt } from "node:crypto";
import { statSync } from "node:fs";
import { isDeepStrictEqual } from "node:util";
import type { networks } from "../../hosts/shared/index.js";
import type { Kernel } from "../kernel.js";
import type { Paths } from "../paths.js";
import { bundled, FollowerProcess } from "../followers/follower-process.js";
import { setTimeout as sleep } from "node:timers/promises";
import { isNamespace } from "../networks/namespace.js";
import { redirect } from "./redirect.js";
import { endpointFile, KINDS, TableFiles, type PlacedResolver, type TableKind } from "./table-files.js";

type Resolver = networks.Resolver;

/** Above the ports that the kernel gives to sockets (net.ipv4.ip_local_port_range). */
const FIRST_PORT = 61_000;
const PORTS = 4000;
/** A running container may use some of them itself. */
const MOST_TRIES = 20;
/** MiB for the table and what is under way. */
const HEAP = 48;
/** Before a process that was killed is started anew. */
const PAUSE_MS = 100;

export class Names {
  readonly #kernel: Kernel;
  readonly #paths: Paths;
  readonly #files: TableFiles;
  readonly #process: FollowerProcess;
  /**
   * Where this engine has led queries, by the files of namespaces: the namespace's identity and the port. A file of a
   * resolver does not tell it: a crash, or an earlier version, may have written it without the rules.
   */
  readonly #led = new Map<string, string>();
  #isClosed = false;

  /** `program`: the file that the resolver process runs. */
  constructor(kernel: Kernel, paths: Paths, program = bundled("names.cjs")) {
    this.#kernel = kernel;
    this.#paths = paths;
    this.#files = new TableFiles(paths.networks("names"));
    this.#files.make();
    this.#process = new FollowerProcess(kernel, this.#files.directory, { file: program, heap: HEAP }, () => {
      void this.#revive().catch(() => {});
    });
  }

  /**
   * Finds the process of an earlier engine, or starts one if there are resolvers. First forgets what a crash may have
   * left: names of other endpoints than these, and resolvers of containers without a namespace.
   */
  async found(joins: readonly { network: string; container: string }[], sandboxes: readonly string[]): Promise<void> {
    const known = new Set([...sandboxes, ...joins.map(({ network, container }) => endpointFile(network, container))]);
    const gone = KINDS.flatMap((kind) => {
      const names = this.#files.names(kind).filter((name) => !known.has(name));
      return names.map((name) => ({ kind, name }));
    });
    for (const { kind, name } of gone) this.#files.remove(kind, name);
    if (this.#process.wasThere || this.#files.names("resolvers").length > 0) await this.#process.connection();
    for (const { kind, name } of gone) await this.#changed(kind, name);
    await this.#followAgain();
  }

  /**
   * A container's names on a network from now on. The process is told, and nothing of that can fail. So its answer is
   * awaited with the next one, since it takes what it is told in order: the core always serves the names then. A start of the
   * engine tells the names of all running containers again: most are told already.
   */
  name(endpoint: networks.EndpointNames): void {
    const file = endpointFile(endpoint.network, endpoint.container);
    if (isDeepStrictEqual(this.#files.read("endpoints", file), endpoint)) return;
    this.#files.write("endpoints", file, endpoint);
    void this.#changed("endpoints", file).catch(() => {});
  }

  /** The container has no names on this network any more. */
  async forget(network: string, container: string): Promise<void> {
    const file = endpointFile(network, container);
    this.#files.remove("endpoints", file);
    await this.#changed("endpoints", file);
  }

  /** How names are resolved in a container from now on. Its namespace must exist. */
  async resolve(resolver: Resolver): Promise<void> {
    const namespace = this.#paths.namespace(resolver.container);
    const before = this.#files.read("resolvers", resolver.container);
    if (before !== undefined && isDeepStrictEqual(before, { ...resolver, namespace, port: before.port })) {
      await this.#lead(namespace, before.port);
      if ((await this.#process.changed("resolvers", resolver.container)).errno === undefined) return;
    }
    // A file is written when the rules for its port are there.
    for (let tries = 1, port = before?.port ?? freePort(); ; tries++, port = freePort()) {
      // A process that has to be started starts meanwhile.
      await Promise.all([this.#lead(namespace, port), this.#process.connection()]);
      const errno = await this.#place({ ...resolver, namespace, port });
      if (errno === undefined) return;
      if (errno !== "EADDRINUSE" || tries === MOST_TRIES)
        throw new Error(`resolver of ${resolver.container}: ${errno}`);
    }
  }

  /** The container has no resolver any more. */
  async unresolve(container: string): Promise<void> {
    this.#led.delete(this.#paths.namespace(container));
    if (this.#files.read("resolvers", container) === undefined) return;
    this.#files.remove("resolvers", container);
    await this.#changed("resolvers", container);
  }

  /** The process goes on if it is of use. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#process.close();
  }

  /** A process that starts later reads the file by itself. */
  async #changed(kind: TableKind, name: string): Promise<void> {
    if (this.#process.isThere) await this.#process.changed(kind, name);
  }

  /** Leads queries to this port, unless this engine has done so. */
  async #lead(namespace: string, port: number): Promise<void> {
    const rules = `${identityOf(namespace)} ${port}`;
    if (this.#led.get(namespace) === rules) return;
    this.#led.delete(namespace);
    await redirect(this.#kernel, namespace, port);
    this.#led.set(namespace, rules);
  }

  /** Undefined, or why it could not listen there. */
  async #place(resolver: PlacedResolver): Promise<string | undefined> {
    this.#files.write("resolvers", resolver.container, resolver);
    return (await this.#process.changed("resolvers", resolver.container)).errno;
  }

  /** A process that has started anew has the files, but a port may have been taken meanwhile. */
  async #followAgain(): Promise<void> {
    for (const name of this.#files.names("endpoints")) await this.#changed("endpoints", name);
    for (const name of this.#files.names("resolvers")) {
      const resolver = this.#files.read("resolvers", name);
      if (resolver === undefined || !isNamespace(resolver.namespace)) continue;
      await this.#lead(resolver.namespace, resolver.port);
      const { errno } = await this.#process.changed("resolvers", name);
      if (errno === "EADDRINUSE") await this.resolve(resolver);
    }
  }

  async #revive(): Promise<void> {
    await sleep(PAUSE_MS, undefined, { ref: false });
    if (!this.#isClosed) await this.#followAgain();
  }
}

/** A number of a namespace may be another one's later. The kernel's time, when it was first opened, is not. */
function identityOf(namespace: string): string {
  const { ino, ctimeNs } = statSync(namespace, { bigint: true });
  return `${ino} ${ctimeNs}`;
}

function freePort(): number {
  return FIRST_PORT + randomInt(PORTS);
}
