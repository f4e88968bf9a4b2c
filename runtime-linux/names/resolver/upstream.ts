// Sockets that ask name servers by UDP. To make one takes longer than to ask, so those that ask within a moment share one.
// Whoever wants to send a false answer has to guess its random port in that moment, and the random id of a query.

import { randomInt } from "node:crypto";
import { createSocket, type Socket } from "node:dgram";
import { attempt } from "../../kernel/calls.js";
import { ECONNREFUSED, EHOSTUNREACH, ENETUNREACH } from "../../kernel/numbers.js";
import { answers, withId } from "./messages.js";
import { connectedSocket, type Server } from "./sockets.js";

/** What comes of a query: called once, unless it is stopped first. Undefined: the server cannot be reached. */
export type Came = (answer: Buffer | undefined) => void;

/** How long a socket takes new queries, and how many. */
const MOMENT_MS = 100;
const MOST = 32;
/** These are true for all who ask this server, and may be about an earlier query; others are about one datagram. */
const UNREACHABLE = [ECONNREFUSED, EHOSTUNREACH, ENETUNREACH];
/** A connected socket has its receiver already. */
const NOBODY = new Uint8Array(0);

/** A query as it was sent, with an id of its own, and who waits for the answer. */
interface Waiting {
  query: Buffer;
  id: number;
  came: Came;
}

class Upstream {
  readonly #socket: Socket;
  readonly #waiting = new Map<number, Waiting>();
  readonly #moment: NodeJS.Timeout;
  #left = MOST;
  #isClosed = false;

  /** `fd`: a connected socket. */
  constructor(
    private readonly key: string,
    readonly namespace: string | undefined,
    private readonly fd: number,
  ) {
    this.#socket = createSocket("udp4"); // whatever the family of the descriptor
    this.#socket.on("message", (bytes) => this.#received(bytes));
    this.#socket.on("error", () => this.end());
    this.#socket.bind({ fd });
    this.#moment = setTimeout(() => this.#retire(), MOMENT_MS);
  }

  /** Returns how to stop. */
  ask(asked: Buffer, came: Came): () => void {
    const id = this.#freeId();
    const waiting = { query: withId(asked, id), id: asked.readUInt16BE(0), came };
    this.#waiting.set(id, waiting);
    if (--this.#left === 0) this.#retire();
    const sent = attempt("sendto", this.fd, waiting.query, asked.length, 0, NOBODY, 0);
    if (UNREACHABLE.includes(-sent)) setImmediate(() => this.end());
    else if (sent < 0) setImmediate(() => this.#tell(waiting, id));
    return () => {
      if (this.#waiting.get(id) === waiting) this.#leave(id);
    };
  }

  /** Tells all who wait that the server cannot be reached. */
  end(): void {
    this.#retire();
    for (const [id, waiting] of this.#waiting) this.#tell(waiting, id);
  }

  #received(bytes: Buffer): void {
    const id = bytes.length < 2 ? -1 : bytes.readUInt16BE(0);
    const waiting = this.#waiting.get(id);
    if (waiting === undefined || !answers(bytes, waiting.query)) return;
    this.#tell(waiting, id, bytes);
  }

  #tell(waiting: Waiting, id: number, answer?: Buffer): void {
    if (this.#waiting.get(id) !== waiting) return;
    this.#leave(id);
    waiting.came(answer && withId(answer, waiting.id));
  }

  #freeId(): number {
    for (;;) {
      const id = randomInt(0x10000);
      if (!this.#waiting.has(id)) return id;
    }
  }

  /** From now on others are opened. */
  #retire(): void {
    clearTimeout(this.#moment);
    if (current.get(this.key) === this) current.delete(this.key);
    this.#closeIfDone();
  }

  #leave(id: number): void {
    this.#waiting.delete(id);
    this.#closeIfDone();
  }

  #closeIfDone(): void {
    if (this.#isClosed || this.#waiting.size > 0 || current.get(this.key) === this) return;
    this.#isClosed = true;
    this.#socket.close();
  }
}

/** Those that take new queries, by server. */
const current = new Map<string, Upstream>();

/** A socket to ask this server. Throws the error of a call. */
export function openUpstream(server: Server): Upstream {
  const { address, namespace } = server;
  const key = `${address} ${namespace ?? ""}`;
  const found = current.get(key);
  if (found !== undefined) return found;
  const made = new Upstream(key, namespace, connectedSocket("udp", server));
  current.set(key, made);
  return made;
}

/** Closes what would keep a namespace. */
export function leaveNamespace(namespace: string): void {
  for (const upstream of [...current.values()]) if (upstream.namespace === namespace) upstream.end();
}
