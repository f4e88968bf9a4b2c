// Answers to containers' queries: from the table if it has the name, else from the container's or the machine's servers.

import type { Answer } from "dns-packet";
import { isIPv4 } from "node:net";
import type { PlacedResolver } from "../table-files.js";
import { handBackLater } from "../../kernel/program-pages.js";
import { Exchange } from "./exchange.js";
import type { MachineServers } from "./machine-servers.js";
import { answerWith, failure, readQuery, SERVFAIL, withId, type Query } from "./messages.js";
import { ELSEWHERE, Remembered } from "./remembered.js";
import { Shares } from "./shares.js";
import { OWN_ADDRESS, type Server, type Transport } from "./sockets.js";
import type { Table } from "./table.js";
import { leaveNamespace } from "./upstream.js";

/**
 * Queries that wait for other servers: of all containers, and of one. Those by TCP take a socket and 64 KiB each. Each
 * client's connection has one at most, so that none has to give way there.
 */
const MOST_WAITING = { udp: [1024, 128], tcp: [24, 12] } as const;
/** As other engines tell. */
const TTL_SECONDS = 600;
/** An address in an answer: its name, its head (RFC 1035, 4.1.3) and four bytes. */
const LEAST_RECORD_BYTES = 2 + 10 + 4;
/** A message by TCP may be as long as its length can tell. */
const MOST_BY_TCP = 0xffff;

export class Responder {
  readonly #waiting = {
    udp: new Shares<Exchange>(...MOST_WAITING.udp),
    tcp: new Shares<Exchange>(...MOST_WAITING.tcp),
  };
  readonly #remembered = new Remembered();

  constructor(
    private readonly table: Table,
    private readonly machine: MachineServers,
  ) {}

  /**
   * `reply` is called at most once, now or later. Returns how to end what is asked of other servers, if nobody waits for
   * it any more.
   */
  respond(
    resolver: PlacedResolver,
    bytes: Buffer,
    transport: Transport,
    reply: (answer: Buffer) => void,
  ): (() => void) | undefined {
    handBackLater();
    const answer = this.#answerHere(resolver, bytes, transport);
    if (answer === ELSEWHERE) return this.#passOn(resolver, bytes, transport, reply);
    if (answer !== undefined) reply(answer);
    return undefined;
  }

  /**
   * The answer to a query, if it is known already, with another query's id. It is not to be changed. `length`: of the
   * query in these bytes.
   */
  known({ container }: PlacedResolver, query: Buffer, length: number): Buffer | undefined {
    const found = this.#remembered.find(container, query, length);
    return found === ELSEWHERE ? undefined : found;
  }

  /** The table, or what a container may see of it, has changed. */
  changed(): void {
    this.#remembered.forgetAll();
  }

  /** Ends what a container waits for. */
  forget({ container, namespace }: PlacedResolver): void {
    for (const waiting of [this.#waiting.udp, this.#waiting.tcp]) waiting.endAll(container);
    leaveNamespace(namespace);
  }

  /** How many queries wait for other servers. */
  get waiting(): number {
    return this.#waiting.udp.total + this.#waiting.tcp.total;
  }

  /** What is known here, or `ELSEWHERE`. Undefined: that is no query. */
  #answerHere(resolver: PlacedResolver, bytes: Buffer, transport: Transport): Buffer | undefined {
    const { container } = resolver;
    const known = this.#remembered.find(container, bytes, bytes.length);
    if (known !== undefined) return known === ELSEWHERE ? known : withId(known, bytes.readUInt16BE(0));
    const query = readQuery(bytes);
    if (query === undefined) return undefined;
    if (typeof query === "number") return failure(bytes, query);
    const mostBytes = transport === "tcp" ? MOST_BY_TCP : query.mostBytes;
    const own = this.#own(resolver, query, mostBytes);
    const answer = own === undefined ? ELSEWHERE : answerWith(query, own, mostBytes);
    // Several addresses come in another order the next time.
    if (own === undefined || own.length <= 1) this.#remembered.remember(container, bytes, answer);
    return answer;
  }

  /**
   * What the table knows; undefined: nothing. A name that is in it has no other records than those: it must not get them
   * from elsewhere.
   */
  #own(resolver: PlacedResolver, { name, type }: Query, mostBytes: number): Answer[] | undefined {
    if (type === "PTR") {
      const found = this.table.nameOf(resolver, name);
      return found === undefined ? undefined : [{ type: "PTR", name, ttl: TTL_SECONDS, data: found }];
    }
    const addresses = this.table.addresses(resolver, name);
    if (type !== "A" && type !== "AAAA") return addresses && [];
    const fitting = addresses?.filter((address) => isIPv4(address) === (type === "A"));
    // One more than can fit still tells that some do not.
    return fitting
      ?.slice(0, 1 + mostBytes / LEAST_RECORD_BYTES)
      .map((data) => ({ type, name, ttl: TTL_SECONDS, data }));
  }

  #passOn(
    resolver: PlacedResolver,
    bytes: Buffer,
    transport: Transport,
    reply: (answer: Buffer) => void,
  ): (() => void) | undefined {
    const servers = this.#serversOf(resolver);
    if (servers.length === 0) {
      reply(failure(bytes, SERVFAIL));
      return undefined;
    }
    const waiting = this.#waiting[transport];
    const exchange = new Exchange(servers, bytes, transport, (answer) => {
      waiting.leave(resolver.container, exchange);
      reply(answer);
    });
    waiting.enter(resolver.container, exchange);
    exchange.begin();
    return () => exchange.end();
  }

  /** Our own address in the container would be this resolver again. */
  #serversOf({ namespace, servers, machineServers, publicServers }: PlacedResolver): Server[] {
    const own = servers.filter((address) => address !== OWN_ADDRESS).map((address) => ({ address, namespace }));
    if (!machineServers) return own;
    const machine = this.machine.get();
    const others = machine.length > 0 ? machine : publicServers;
    return [...own, ...others.map((address) => ({ address, namespace: undefined }))];
  }
}
