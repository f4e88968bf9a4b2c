// A process's use of its container's network. Its sockets are closed when it ends.

import type { Clock } from "../../shared/index.js";
import { ProcessInput, ProcessOutput } from "../processes/descriptors.js";
import { either, type Source } from "../processes/streams.js";
import type { ProcessListener, ProcessNetwork, ProcessSocket } from "../program.js";
import type { ConnectionEnd, Peer } from "./connection.js";
import { SocketError, type SocketErrorCode } from "./errors.js";
import { addressesIn, serversIn } from "./files.js";
import { Listener } from "./listener.js";
import type { NameAnswer } from "./name-answers.js";
import { canonical, familyOf, type Family } from "./addresses.js";
import type { Owner } from "./owner.js";
import { OwnedDatagrams } from "./process-datagrams.js";
import type { CallOff, KernelNetwork } from "./traffic.js";

/** How long a name server may take, and how often it is asked (resolv.conf(5)). */
const ANSWER_NS = 5_000_000_000n;
const MOST_ASKS = 2;
/** With IPv4 (ipv6(7)). */
const EVERY_ADDRESS = "::";

export class Sockets implements ProcessNetwork {
  readonly #process: Owner;
  readonly #network: KernelNetwork;
  readonly #open = new Set<{ close(): void }>();

  constructor(process: Owner, network: KernelNetwork) {
    this.#process = process;
    this.#network = network;
    process.ended.addEventListener("abort", () => this.#closeAll());
  }

  async lookUp(name: string, family?: Family): Promise<string[]> {
    const chosen = (addresses: readonly string[]): string[] => inOrder(addresses, family);
    const literal = canonical(name.replace(/^\[(.*)\]$/, "$1"));
    if (literal !== null) return chosen([literal]);
    const zoned = this.#zoned(name);
    if (zoned !== null) return chosen([zoned]);
    const known = chosen(addressesIn(this.#file("/etc/hosts"), name));
    if (known.length > 0) return known;
    if (name.toLowerCase() === "localhost") return chosen(["127.0.0.1"]); // RFC 6761, 6.3
    for (const server of this.nameServers()) {
      const answer = await this.ask(server, name);
      if (typeof answer === "object" && "addresses" in answer) return chosen(answer.addresses);
    }
    return [];
  }

  /** In the order of `/etc/resolv.conf`. */
  nameServers(): string[] {
    return serversIn(this.#file("/etc/resolv.conf"));
  }

  /** Asks a name server for a name's addresses, or for an address's name. `silence`: it does not answer. */
  async ask(server: string, asked: string, isReverse = false): Promise<NameAnswer | SocketErrorCode | "silence"> {
    const { namespace, traffic } = this.#network;
    for (let asks = 1; ; asks++) {
      const answer = await this.#result<NameAnswer | SocketErrorCode | "silence">((done) =>
        traffic.ask(namespace, server, asked, isReverse, done),
      );
      if (answer !== "silence") return answer;
      await this.#process.sleep(ANSWER_NS);
      if (asks === MOST_ASKS) return answer;
    }
  }

  async connect(host: string, port: number): Promise<ProcessSocket> {
    const [address] = await this.lookUp(host);
    if (address === undefined) throw new SocketError("ENOTFOUND");
    return this.socket(await this.reach({ address, port }));
  }

  /** Connects to an address. Throws `SocketError`; `ETIMEDOUT` after `patience` nanoseconds, too. */
  async reach(to: Peer, patience?: bigint): Promise<ConnectionEnd> {
    const { namespace, traffic } = this.#network;
    const { clock: time } = this.#process;
    const result = await this.#result<ConnectionEnd | SocketErrorCode>((done) => {
      const end = traffic.connect(namespace, to, (result) => {
        late();
        if (typeof result === "object") this.own(result);
        done(result);
      });
      const giveUp = (): void => {
        end();
        done("ETIMEDOUT");
      };
      const late = patience === undefined ? () => {} : time.at(time.now().monotonic + patience, giveUp);
      return () => {
        end();
        late();
      };
    });
    if (typeof result === "string") throw new SocketError(result);
    return result;
  }

  listen(port: number, address = EVERY_ADDRESS): ProcessListener {
    const listener = this.own(this.bind(port, address));
    return {
      accept: async () => this.socket(await this.accept(listener)),
      close: () => this.release(listener),
    };
  }

  /** A listener that does not end with this process: another one is to own it. Throws `SocketError`. */
  bind(port: number, address = EVERY_ADDRESS): Listener {
    return new Listener(this.#network.namespace, canonical(address) ?? address, port);
  }

  /** Those at a port, or at a free one. It ends with this process. Throws `SocketError`. */
  datagrams(port = 0, address = EVERY_ADDRESS): OwnedDatagrams {
    const { namespace, traffic } = this.#network;
    const socket = this.own(traffic.datagrams.bind(namespace, port, address));
    return new OwnedDatagrams(this.#process, traffic, socket, this);
  }

  /** The next connection. Throws `SocketError` if there is none for `patience` nanoseconds. */
  async accept(listener: Listener, patience?: bigint): Promise<ConnectionEnd> {
    const { clock } = this.#process;
    const end = patience === undefined ? null : clock.now().monotonic + patience;
    const wake = (call: () => void): (() => void) => listener.wake(call);
    for (;;) {
      const connection = listener.take();
      if (connection) return this.own(connection);
      if (end !== null && clock.now().monotonic >= end) throw new SocketError("ETIMEDOUT");
      await this.#process.wait(end === null ? wake : either(wake, (late) => clock.at(end, late)));
    }
  }

  /** Sends a datagram that is sent back; calls back if it returns. Returns an error if there is no way. */
  echo(address: string, bytes: number, back: () => void): SocketErrorCode | null {
    return this.#network.traffic.echo(this.#network.namespace, address, bytes, back);
  }

  /** It is closed when this process ends. */
  own<T extends { close(): void }>(opened: T): T {
    this.#open.add(opened);
    return opened;
  }

  /** It has another owner, or none any more. */
  disown(opened: { close(): void }): void {
    this.#open.delete(opened);
  }

  /** Closes it now. */
  release(opened: { close(): void }): void {
    this.disown(opened);
    opened.close();
  }

  /** `patience`: nanoseconds that a read waits at most; then it throws `SocketError`. */
  socket(end: ConnectionEnd, patience?: bigint): ProcessSocket {
    const source = patience === undefined ? end.source : patient(end.source, this.#process.clock, patience);
    return {
      input: new ProcessInput(this.#process, source),
      output: new ProcessOutput(this.#process, end.sink),
      remote: end.remote,
      close: () => this.release(end),
    };
  }

  async #result<T>(begin: (done: (result: T) => void) => CallOff): Promise<T> {
    let result: T | undefined;
    await this.#process.wait((wake) =>
      begin((came) => {
        result = came;
        wake();
      }),
    );
    return result!;
  }

  /** An address with the interface that leads to it, such as `fe80::7%eth0`, in its one text; null for any other text. */
  #zoned(name: string): string | null {
    const [address = "", zone = "", ...more] = name.replace(/^\[(.*)\]$/, "$1").split("%");
    const known = canonical(address);
    const { interfaces } = this.#network.namespace;
    return known !== null && more.length === 0 && interfaces.includes(zone) ? `${known}%${zone}` : null;
  }

  #file(path: string): string {
    try {
      return new TextDecoder().decode(this.#process.files.read(path));
    } catch {
      return ""; // there is none that it may read
    }
  }

  #closeAll(): void {
    for (const opened of this.#open) opened.close();
    this.#open.clear();
  }
}

/** Those of the family, if one is chosen. IPv4 comes first, as busybox prefers it. */
function inOrder(addresses: readonly string[], family?: Family): string[] {
  const families: readonly Family[] = family === undefined ? [4, 6] : [family];
  return families.flatMap((one) => addresses.filter((address) => familyOf(address) === one));
}

/** The same source for a reader that does not wait for ever: `take` throws `SocketError` once it is too late. */
function patient(source: Source, clock: Clock, patience: bigint): Source {
  let isLate = false;
  const late = (call: () => void): (() => void) =>
    clock.at(clock.now().monotonic + patience, () => {
      isLate = true;
      call();
    });
  const take = (): Uint8Array | null | undefined => {
    const piece = source.take();
    if (piece === undefined && isLate) throw new SocketError("ETIMEDOUT");
    isLate = false;
    return piece;
  };
  return { ...source, take, wake: either((call) => source.wake(call), late) };
}
