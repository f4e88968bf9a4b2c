// Follows the files of the table: what it answers, and where it listens.

import type { Service as Following } from "../../followers/follower.js";
import type { Refused } from "../../followers/protocol.js";
import type { PlacedResolver, TableFiles } from "../table-files.js";
import type { Connection } from "./connection.js";
import { Listener } from "./listener.js";
import { MachineServers } from "./machine-servers.js";
import { Places } from "./places.js";
import { Responder } from "./responder.js";
import { Table } from "./table.js";
import { Turns } from "./turns.js";

/** Clients' connections: each takes a descriptor, and up to 64 KiB of an answer that is not read. */
const MOST_CONNECTIONS = 24;
const MOST_CONNECTIONS_OF_ONE = 12;

/** As long as other servers may take to answer. */
const LAST_ANSWERS_MS = 5000;
const NONE: readonly Refused[] = [];

export class Service implements Following {
  readonly patienceMs = LAST_ANSWERS_MS;
  readonly #table = new Table();
  readonly #connections = new Places<Connection>(MOST_CONNECTIONS, MOST_CONNECTIONS_OF_ONE);
  readonly #turns = new Turns();
  readonly #responder = new Responder(this.#table, new MachineServers());
  /** By container. */
  readonly #listeners = new Map<string, Listener>();

  constructor(private readonly files: TableFiles) {}

  /** A resolver whose namespace or port is not there is left to the engine, which asks for each of them. */
  async followAll(): Promise<void> {
    for (const name of this.files.names("endpoints")) await this.follow("endpoints", name);
    for (const name of this.files.names("resolvers")) {
      try {
        await this.follow("resolvers", name);
      } catch (error) {
        console.error(`${name}: ${(error as Error).message}`);
      }
    }
  }

  /** Rejects with the error of a call if it cannot listen as the file says. */
  async follow(kind: string, name: string): Promise<readonly Refused[]> {
    this.#responder.changed();
    if (kind === "endpoints") this.#table.put(name, this.files.read(kind, name));
    else this.#listen(name, this.files.read("resolvers", name));
    return NONE;
  }

  /** Those are in containers' namespaces, and another process can bind them, too. */
  readonly sockets = new Map<string, number>();
  readonly needsShare = true;

  /** Answers that are under way come soon. */
  cutLeft(): void {}
  readonly leftBy = undefined;

  /** Its sockets are always shared: nobody but its engine's processes knows their ports. */
  share(): void {}

  get isIdle(): boolean {
    return this.#listeners.size === 0;
  }

  /** Leaves new queries to another process. */
  handOver(): void {
    for (const listener of this.#listeners.values()) listener.handOver();
  }

  /** How many answers and clients are left. */
  get underWay(): number {
    return this.#connections.total + this.#responder.waiting;
  }

  #listen(container: string, resolver: PlacedResolver | undefined): void {
    const listener = this.#listeners.get(container);
    if (resolver && listener?.isAt(resolver)) return listener.follow(resolver);
    listener?.close();
    this.#listeners.delete(container);
    if (!resolver) return;
    this.#listeners.set(container, new Listener(resolver, this.#responder, this.#connections, this.#turns));
  }
}
