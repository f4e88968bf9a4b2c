// What namespaces send each other: connections, echoes and look-ups, in the world's time.

import type { Clock } from "../../shared/index.js";
import { canonical } from "./addresses.js";
import { connected, type ConnectionEnd, type Peer } from "./connection.js";
import { Datagrams, NEIGHBOUR_NS } from "./datagrams.js";
import { EphemeralPorts } from "./ephemeral-ports.js";
import type { SocketErrorCode } from "./errors.js";
import type { Carry } from "./flow.js";
import type { NameAnswer, NameTables } from "./name-answers.js";
import type { NetworkNamespace } from "./namespace.js";
import { routeTo, type NoRoute, type Route, type Service, type Topology } from "./routes.js";
import { homeward, isThere } from "./ways.js";
import type { Wire } from "./wire.js";

/** The first packet of a connection is sent again after this long, then after twice as long (tcp_syn_retries). */
const FIRST_RETRY_NS = 1_000_000_000n;
const MOST_RETRIES = 6;
/** Where a container's resolver answers. */
const RESOLVER = "127.0.0.11";
const NAME_SERVICE: Service = { protocol: "udp", port: 53 };
/** Bytes of a short datagram with its headers. */
const QUERY_BYTES = 75;

/** The network that a container's processes use. */
export interface KernelNetwork {
  namespace: NetworkNamespace;
  traffic: Traffic;
}

export interface TrafficNeeds {
  clock: Clock;
  wire: Wire;
  topology: Topology;
  names: NameTables;
}

/** Calls back once at most, never after it was called off. */
export type Callback<T> = (result: T) => void;
export type CallOff = () => void;

export class Traffic {
  readonly #needs: TrafficNeeds;
  /** Those of UDP. */
  readonly datagrams: Datagrams;
  readonly #ports = new EphemeralPorts();

  constructor(needs: TrafficNeeds) {
    this.#needs = needs;
    this.datagrams = new Datagrams(needs);
  }

  get machine(): NetworkNamespace {
    return this.#needs.topology.machine;
  }

  /** connect(2) for TCP. The result comes later, unless there is no way at all. */
  connect(from: NetworkNamespace, to: Peer, done: Callback<ConnectionEnd | SocketErrorCode>): CallOff {
    const attempt = new Later(this.#needs.clock);
    const begin = (retries: number): void => {
      const route = this.#route(from, to.address, { protocol: "tcp", port: to.port });
      if (typeof route === "object" && "error" in route) return attempt.after(0n, () => done(route.error));
      if (route === "nobody") return attempt.after(NEIGHBOUR_NS, () => done("EHOSTUNREACH"));
      const ns = route === "dropped" ? null : this.#needs.wire.carrySegments(route, 0);
      if (ns !== null) return attempt.after(ns, () => this.#arrive(route as Route, attempt, done));
      const pause = FIRST_RETRY_NS << BigInt(retries);
      attempt.after(pause, () => (retries === MOST_RETRIES ? done("ETIMEDOUT") : begin(retries + 1)));
    };
    begin(0);
    return () => attempt.callOff();
  }

  /** Sends a datagram that is sent back. Calls back if and when it returns. Returns an error if there is no way. */
  echo(from: NetworkNamespace, address: string, bytes: number, back: () => void): SocketErrorCode | null {
    const route = this.#route(from, address, { protocol: "icmp" });
    if (typeof route === "string") return null;
    if ("error" in route) return route.error;
    const { clock, wire } = this.#needs;
    const there = wire.carry(route, bytes);
    if (there === null) return null;
    const later = new Later(clock);
    later.after(there, () => {
      const home = wire.carry(homeward(route), bytes);
      if (home !== null) later.after(home, back);
    });
    return null;
  }

  /** Asks a name server. `silence`: no answer will come. */
  ask(
    from: NetworkNamespace,
    server: string,
    asked: string,
    isReverse: boolean,
    done: Callback<NameAnswer | SocketErrorCode | "silence">,
  ): CallOff {
    const later = new Later(this.#needs.clock);
    const { resolver } = from;
    if (server === RESOLVER && resolver !== null) {
      // The answer is that of the moment when the question arrives.
      const ns = this.#needs.wire.carry({ passed: [], isLocal: true }, QUERY_BYTES) ?? 0n;
      later.after(2n * ns, () => done(this.#needs.names.answer(resolver, asked, isReverse)));
    } else {
      later.after(0n, () => done(this.#answerOf(this.#route(from, server, NAME_SERVICE))));
    }
    return () => later.callOff();
  }

  /** No other name server exists in this world: whoever has its port does not understand the question. */
  #answerOf(route: Route | NoRoute): SocketErrorCode | "silence" {
    if (typeof route === "string") return "silence";
    if ("error" in route) return route.error;
    return route.to.datagrams.at(route.address, route.port).length > 0 ? "silence" : "ECONNREFUSED";
  }

  #route(from: NetworkNamespace, address: string, service: Service): Route | NoRoute {
    return routeTo(this.#needs.topology, from, canonical(address) ?? address, service);
  }

  /** The first packet of a connection arrives. */
  #arrive(route: Route, attempt: Later, done: Callback<ConnectionEnd | SocketErrorCode>): void {
    const { wire, clock } = this.#needs;
    const listener = route.to.listeners.at(route.address, route.port)[0];
    const back = wire.carrySegments(homeward(route), 0) ?? FIRST_RETRY_NS;
    if (!listener) return attempt.after(back, () => done("ECONNREFUSED"));
    const own: Peer = { address: route.from, port: this.#ports.next() };
    const ways: [Carry, Carry] = [this.#carrier(route, false), this.#carrier(route, true)];
    const { near, far } = connected(clock, ways, own, { address: route.address, port: route.port });
    if (!listener.offer(far)) return attempt.after(back, () => done("ECONNREFUSED"));
    attempt.after(
      back,
      () => done(near),
      () => near.close(),
    );
  }

  /** A packet of an established connection gets lost where the way of the connection no longer exists. */
  #carrier(route: Route, isBack: boolean): Carry {
    const { wire } = this.#needs;
    const way = isBack ? homeward(route) : route;
    return (bytes) => (isThere(route) ? wire.carrySegments(way, bytes) : null);
  }
}

/** One thing after the other, until it is called off. */
class Later {
  readonly #clock: Clock;
  #cancel: CallOff = () => {};
  #undo: CallOff = () => {};

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** `undo`: called instead of `act` if this is called off. */
  after(ns: bigint, act: () => void, undo: CallOff = () => {}): void {
    this.#undo = undo;
    this.#cancel = this.#clock.at(this.#clock.now().monotonic + ns, () => {
      this.#undo = () => {};
      act();
    });
  }

  callOff(): void {
    this.#cancel();
    this.#undo();
    this.#undo = () => {};
  }
}
