// Sockets that ask name servers by UDP. To make one takes longer than to ask, so those that ask within a moment share one.
// Whoever wants to send a false answer has to guess its random port in that moment, and the random id of a query.

import { randomInt } from "node:crypto";
import { createSocket, type Socket } from "node:dgram";
import { ECONNREFUSED, EHOSTUNREACH, ENETUNREACH } from "../../kernel/numbers.js";
import { Burst } from "./burst.js";
import { answersQuestion, writeId } from "./messages.js";
import { gathered, NOBODY, sendSoon, sendWaiting, type Sender } from "./outgoing.js";
import { connectedSocket, type Server } from "./sockets.js";

/** What comes of a query: called once, unless it is stopped first. Undefined: the server cannot be reached. */
export type Came = (answer: Buffer | undefined) => void;

/** How long a socket takes new queries, and how many. */
const MOMENT_MS = 100;
const MOST = 128;
/** These are true for all who ask this server, and may be about an earlier query; others are about one datagram. */
const UNREACHABLE = [ECONNREFUSED, EHOSTUNREACH, ENETUNREACH];

/** A query, and who waits for the answer. It was sent with an id of its own. */
interface Waiting {
  query: Buffer;
  came: Came;
}

class Upstream implements Sender {
  readonly #socket: Socket;
  readonly #burst: Burst;
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
    this.#burst = new Burst(fd);
    this.#socket.on("message", (bytes) => gathered(() => this.#received(bytes)));
    this.#socket.on("error", () => this.end());
    this.#socket.bind({ fd });
    this.#moment = setTimeout(() => this.#retire(), MOMENT_MS);
  }

  /** Returns how to stop. */
  ask(query: Buffer, came: Came): () => void {
    const id = this.#freeId();
    const waiting = { query, came };
    this.#waiting.set(id, waiting);
    if (--this.#left === 0) this.#retire();
    sendSoon(this.fd, query, id, NOBODY, this);
    return () => {
      if (this.#waiting.get(id) === waiting) this.#leave(id);
    };
  }

  /** Told later, since whoever asks may not know yet how to stop. */
  failed(id: number, errno: number): void {
    const waiting = this.#waiting.get(id);
    if (UNREACHABLE.includes(-errno)) setImmediate(() => this.end());
    else if (waiting !== undefined) setImmediate(() => this.#tell(waiting, id));
  }

  /** Tells all who wait that the server cannot be reached. */
  end(): void {
    this.#retire();
    for (const [id, waiting] of this.#waiting) this.#tell(waiting, id);
  }

  /** The first one, and those that have come meanwhile. */
  #received(bytes: Buffer): void {
    this.#take(bytes);
    if (this.#isClosed) return;
    const wrong = this.#burst.take((more, length) => this.#take(Buffer.from(more.subarray(0, length))));
    if (wrong < 0) this.end();
  }

  /** `answer`: nobody else uses it. */
  #take(answer: Buffer): void {
    const id = answer.length < 2 ? -1 : answer.readUInt16BE(0);
    const waiting = this.#waiting.get(id);
    if (waiting !== undefined && answersQuestion(answer, waiting.query)) this.#tell(waiting, id, answer);
  }

  #tell(waiting: Waiting, id: number, answer?: Buffer): void {
    if (this.#waiting.get(id) !== waiting) return;
    this.#leave(id);
    if (answer !== undefined) writeId(answer, waiting.query.readUInt16BE(0));
    waiting.came(answer);
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
    sendWaiting();
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
