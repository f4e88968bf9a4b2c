// Follows the files of the table: what it answers, and where it listens.

import type { PlacedResolver, TableFiles, TableKind } from "../table-files.js";
import { Listener, type Connection } from "./listener.js";
import { MachineServers } from "./machine-servers.js";
import { Responder } from "./responder.js";
import { Shares } from "./shares.js";
import { Table } from "./table.js";

/** Clients' connections: each takes a descriptor. */
const MOST_CONNECTIONS = 256;
const MOST_CONNECTIONS_OF_ONE = 16;

export class Service {
  readonly #table = new Table();
  readonly #connections = new Shares<Connection>(MOST_CONNECTIONS, MOST_CONNECTIONS_OF_ONE);
  readonly #responder = new Responder(this.#table, new MachineServers());
  /** By container. */
  readonly #listeners = new Map<string, Listener>();

  constructor(private readonly files: TableFiles) {}

  /** A resolver whose namespace or port is not there is left to the engine, which asks for each of them. */
  followAll(): void {
    for (const name of this.files.names("endpoints")) this.follow("endpoints", name);
    for (const name of this.files.names("resolvers")) {
      try {
        this.follow("resolvers", name);
      } catch (error) {
        console.error(`${name}: ${(error as Error).message}`);
      }
    }
  }

  /** Throws the error of a call if it cannot listen as the file says. */
  follow(kind: TableKind, name: string): void {
    this.#responder.changed();
    if (kind === "endpoints") this.#table.put(name, this.files.read(kind, name));
    else this.#listen(name, this.files.read(kind, name));
  }

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
    if (resolver) this.#listeners.set(container, new Listener(resolver, this.#responder, this.#connections));
  }
}
