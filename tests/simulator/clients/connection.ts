// One request from the client's side: the channel on which an exchange answers. The client reads everything at once,
// unless it has stopped reading.

import { bodyOf } from "../../../hosts/request/body-form.js";
import type { Channel } from "../../../hosts/request/exchange.js";
import { noSuch } from "../../../hosts/shared/index.js";
import { ACCOUNT } from "../../../hosts/simulated/registry/images.js";
import type { HijackedClient } from "../../../hosts/streams/hijacked-client.js";
import { Exchange } from "../../../hosts/request/exchange.js";
import type { AssembledEngine } from "../../../hosts/engine/assembled-engine.js";
import type { Input, RequestId, engine, replies } from "../../../hosts/shared/host.js";
import type { Answer, Asked } from "../oracle.js";
import { directoryOf } from "./build-directory.js";
import { SECRET, SESSION, contextOf } from "./build-contexts.js";

/** Receives what arrives on a connection. */
export interface Listener {
  answered(connection: Connection, answer: Answer): void;
  told(connection: Connection, piece: string): void;
  ended(connection: Connection): void;
}

export class Connection implements Channel {
  readonly asked: Asked;
  readonly request: RequestId;
  /** The connection that it is a call on. */
  readonly carrier: Connection | null;
  readonly #listener: Listener;
  readonly #exchange: Exchange;
  readonly #leave: () => void;
  readonly #engine: AssembledEngine;
  readonly #decoder = new TextDecoder();
  /** Callbacks of writes that the client has not read. */
  #unread: ((wentOut: boolean) => void)[] = [];
  reads = true;
  status = 0;
  #isArchive = false;
  text = "";
  /** It has ended, from either side. */
  over = false;
  /** The engine has cut it off. */
  broken = false;
  #stdin: Uint8Array[] = [];
  #stdinOver = false;
  #wake: () => void = () => {};
  #gone: (() => void) | null = null;

  private constructor(
    asked: Asked,
    id: RequestId,
    engine: AssembledEngine,
    listener: Listener,
    carrier: Connection | null,
  ) {
    this.asked = asked;
    this.request = id;
    this.carrier = carrier;
    this.#listener = listener;
    this.#engine = engine;
    this.#leave = () => {
      engine.replies.remove(id);
      engine.bodies.forget(id);
    };
    const { stdio, attachments } = engine;
    const deliver = (input: Input): void => engine.deliver(input);
    this.#exchange = new Exchange(id, this, { deliver, stdio, attachments, over: this.#leave });
    engine.replies.add(id, this.#exchange);
  }

  /** Sends a request. Calls `made` before the engine gets it. */
  static send(
    asked: Asked,
    body: { core: engine.Body; stream: AsyncIterable<Uint8Array> | null },
    engine: AssembledEngine,
    listener: Listener,
    /** The connection that it is a call on. */
    carrier: Connection | null,
    made: (connection: Connection) => void,
  ): void {
    const id = engine.nextRequest();
    const connection = new Connection(asked, id, engine, listener, carrier);
    if (body.stream !== null) engine.bodies.offer(id, body.stream);
    made(connection);
    const headers = Object.entries(asked.headers).map(([name, value]) => `${name}: ${value}`);
    const { method, target } = asked;
    const from = {
      listener: "unix:///sim.sock",
      peer: { pid: 1000, uid: 0, gid: 0 },
      ...(carrier === null ? {} : { carrier: carrier.request }),
    };
    const request = { id, ...from, method, target, headers: headers.join("\n") };
    engine.deliver({ tag: "request", val: { ...request, body: body.core } });
  }

  whole(head: replies.Head, body: Uint8Array): void {
    this.#answer(head, this.#decoder.decode(body));
    this.#finish();
    this.#exchange.finished();
  }

  bare({ head, body }: replies.Whole): void {
    this.whole(head, body);
  }

  open(head: replies.Head): void {
    this.#answer(head, null);
  }

  write(bytes: Uint8Array, sent: (wentOut: boolean) => void): void {
    if (this.over) return sent(false);
    this.#tell(bytes);
    if (this.reads) sent(true);
    else this.#unread.push(sent);
  }

  /** The host reports the end once all bytes are out. A client that does not read never gets there. */
  end(): void {
    if (this.#unread.length > 0) return;
    this.#finish();
    this.#exchange.finished();
  }

  hijack(gone: () => void): HijackedClient {
    this.#gone = gone;
    return {
      begin: (head) => this.#answer(head, null),
      bytes: () => this.#input(),
      write: (bytes) => new Promise((resolve) => this.write(bytes, resolve)),
      end: () => this.#finish(),
    };
  }

  /**
   * On a session, the client gives its account, its secret `s`, an agent without keys, and the files of the build that the
   * session is named for, in whatever directory or archive. It takes whatever a build has for it.
   */
  calls({ head, caller }: replies.Calls, gone: () => void): void {
    this.#gone = gone;
    this.#answer(head, null);
    const what = this.asked.headers[SESSION] ?? "";
    if (caller !== "engine") return;
    this.#engine.bodies.offerSession(this.request, {
      files: () => bodyOf(contextOf(what)),
      upload: () => bodyOf(contextOf(what)),
      credentials: () => Promise.resolve({ ...ACCOUNT, identityToken: "", registryToken: "", meta: "" }),
      secret: async ({ id }) => {
        if (id !== "s") throw noSuch("secret", id);
        return new TextEncoder().encode(SECRET);
      },
      deliver: async ({ tar }) => {
        for await (const _ of tar);
      },
      agent: async ({ id }) => {
        if (id !== "default") throw noSuch("agent", id);
        return () => {
          throw new Error("no program connects to it");
        };
      },
      ...directoryOf(this.#listener),
    });
  }

  destroy(): void {
    this.broken = true;
    this.#finish();
  }

  /** The client hangs up. */
  hangUp(): void {
    if (this.over) return;
    this.#close();
    if (this.#gone === null) this.#exchange.closed();
    else this.#gone();
  }

  /** The engine's process is gone. */
  cutOff(): void {
    this.#close();
  }

  type(text: string): void {
    this.#stdin.push(new TextEncoder().encode(text));
    this.#wake();
  }

  halfClose(): void {
    this.#stdinOver = true;
    this.#wake();
  }

  #answer(head: replies.Head, body: string | null): void {
    this.status = head.status;
    this.#isArchive = /^content-type: application\/x-tar$/im.test(head.headers);
    if (body !== null) this.text = body;
    this.#listener.answered(this, { status: head.status, headers: headersOf(head), body });
  }

  #tell(bytes: Uint8Array): void {
    // A tar archive is not text.
    if (this.#isArchive) return;
    const piece = this.#decoder.decode(bytes, { stream: true });
    // A follower of logs or events would otherwise keep everything.
    if (this.text.length < TEXT_KEPT) this.text += piece;
    this.#listener.told(this, piece);
  }

  #finish(): void {
    if (this.over) return;
    this.#close();
    this.#listener.ended(this);
  }

  #close(): void {
    this.over = true;
    this.#stdinOver = true;
    this.#wake();
    for (const sent of this.#unread.splice(0)) sent(false);
  }

  async *#input(): AsyncGenerator<Uint8Array> {
    for (;;) {
      const bytes = this.#stdin.shift();
      if (bytes !== undefined) yield bytes;
      else if (this.#stdinOver) return;
      else await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }
}

const TEXT_KEPT = 64 * 1024;

function headersOf({ headers }: replies.Head): Map<string, string> {
  const lines = headers.split("\n").filter((line) => line !== "");
  return new Map(
    lines.map((line) => {
      const colon = line.indexOf(":");
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
    }),
  );
}
