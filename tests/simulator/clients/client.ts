// A client plays its lines one after the other. A polite client waits for each answer before it sends the next
// request. The others do not wait. No client waits for the end of a stream (wait, attach, events).

import { bodyOf, formOf } from "../../../hosts/request/body-form.js";
import type { AssembledEngine } from "../../../hosts/engine/assembled-engine.js";
import type { RequestId, engine } from "../../../hosts/shared/host.js";
import type { Answer, Asked } from "../oracle.js";
import { Connection, type Listener } from "./connection.js";
import { BODY_LIMIT, type Sent, type Visible } from "./verb.js";
import { verbOf } from "./verbs.js";

export interface ClientNeeds {
  engine: AssembledEngine;
  visible: Visible;
  /** Counts requests of the whole story. */
  nextNumber: () => number;
  asked: (asked: Asked) => void;
  left: (asked: Asked, request: RequestId) => void;
  listener: Listener;
}

export class Client {
  readonly name: string;
  readonly #needs: ClientNeeds;
  readonly #lines: string[] = [];
  /** Connections that are not over. */
  readonly open = new Set<Connection>();
  #awaited: Connection | null = null;

  constructor(name: string, needs: ClientNeeds) {
    this.name = name;
    this.#needs = needs;
  }

  /** Plays a line at once, or after the lines before it. */
  do(line: string): void {
    this.#lines.push(line);
    this.#next();
  }

  /** Drops its remaining lines. */
  finish(): void {
    this.#lines.length = 0;
  }

  crashed(): void {
    for (const connection of this.open) connection.cutOff();
    this.open.clear();
    this.#awaited = null;
    this.#lines.length = 0;
  }

  #next(): void {
    while (this.#awaited === null && this.#lines.length > 0) this.#act(this.#lines.shift() as string);
  }

  #act(line: string): void {
    const [word = "", ...args] = line.split(" ");
    const act = this.#manners(word, args);
    if (act !== null) return act();
    const verb = verbOf(word);
    const { visible } = this.#needs;
    const about = verb.isAboutOne === true ? (args[0] ?? "") : null;
    if (about !== null && visible.acquaintances.areWithout(about)) return;
    const sent = verb.send(args, visible);
    this.#send(sent === null || about === null ? sent : heeding(sent, about, visible), verb.goesOn === true);
  }

  /** The actions that are not requests. */
  #manners(word: string, args: string[]): (() => void) | null {
    switch (word) {
      case "hang-up":
        return () => this.#hangUp(Number(args[0]));
      case "stop-reading":
        return () => this.#each((connection) => void (connection.reads = false));
      case "type":
        return () => this.#each((connection) => connection.type(`${args.join(" ")}\n`));
      case "detach":
        return () => this.#each((connection) => connection.type(DETACH_KEYS));
      case "half-close":
        return () => this.#each((connection) => connection.halfClose());
      default:
        return null;
    }
  }

  #send(sent: Sent | null, goesOn: boolean): void {
    if (sent === null) return;
    const { engine, listener } = this.#needs;
    const { method, target, headers = {}, body = null, archive } = sent;
    const typed = typeof body === "string" && !("Content-Type" in headers) ? { "Content-Type": JSON_TYPE } : {};
    const own = { "User-Agent": `sim/${this.name}`, ...typed, ...headers };
    const asked: Asked = {
      ...{ number: this.#needs.nextNumber(), client: this.name, method, target, headers: own },
      body: typeof body === "string" ? body : null,
    };
    this.#needs.asked(asked);
    const heard: Listener = {
      answered: (connection, answer) => {
        sent.learn?.(answer);
        listener.answered(connection, answer);
      },
      told: (connection, piece) => listener.told(connection, piece),
      ended: (connection) => {
        this.open.delete(connection);
        listener.ended(connection);
        this.#over(connection, sent, { status: connection.status, body: connection.text });
      },
    };
    const carrier = sent.isCall === true ? this.#door : null;
    Connection.send(asked, received(body, archive ?? null, typeOf(own)), engine, heard, carrier, (connection) => {
      this.open.add(connection);
      if (!goesOn && this.name.startsWith("polite")) this.#awaited = connection;
    });
  }

  /** Its connection for calls, if it has one. */
  get #door(): Connection | null {
    return [...this.open].find(({ asked }) => asked.target.endsWith("/grpc")) ?? null;
  }

  #over(connection: Connection, { next }: Sent, answer: Pick<Answer, "status" | "body">): void {
    const more = connection.broken ? null : (next?.(answer) ?? null);
    if (more !== null) this.#lines.unshift(more);
    if (this.#awaited === connection) this.#awaited = null;
    // After a broken connection it does not continue at once, since the engine may be gone.
    if (!connection.broken) this.#next();
  }

  #hangUp(at: number): void {
    const connection = [...this.open][at % Math.max(this.open.size, 1)];
    if (connection === undefined) return;
    // A host tells of the end of each call on the connection, too.
    for (const call of [...this.open].filter(({ carrier }) => carrier === connection)) this.#leave(call);
    this.#leave(connection);
  }

  #leave(connection: Connection): void {
    this.open.delete(connection);
    if (this.#awaited === connection) this.#awaited = null;
    this.#needs.left(connection.asked, connection.request);
    connection.hangUp();
  }

  #each(act: (connection: Connection) => void): void {
    for (const connection of this.open) act(connection);
  }
}

/** Adds a step that learns from the answer whether the container is gone. */
function heeding(sent: Sent, about: string, { acquaintances }: Visible): Sent {
  const learn = (answer: Pick<Answer, "status" | "body">): void => {
    sent.learn?.(answer);
    const isRemoval = sent.method === "DELETE" && answer.status === 204;
    if (isRemoval || (answer.status === 404 && /No such container/.test(answer.body ?? "")))
      acquaintances.isGone(about);
  };
  return { ...sent, learn };
}

/** Docker's default: ctrl-p, ctrl-q. */
const DETACH_KEYS = "\u0010\u0011";

const JSON_TYPE = "application/json";

function typeOf(headers: Readonly<Record<string, string>>): string {
  return headers["Content-Type"]?.split(";", 1)[0]?.trim().toLowerCase() ?? "";
}

/** The body in the form in which a host passes it on. */
function received(
  text: string | null,
  archive: Uint8Array | null,
  type: string,
): { core: engine.Body; stream: AsyncIterable<Uint8Array> | null } {
  const bytes = archive ?? (text === null ? null : new TextEncoder().encode(text));
  if (bytes === null) return { core: { tag: "none" }, stream: null };
  const form = formOf(type, bytes.length, BODY_LIMIT);
  if (form === "collect") return { core: { tag: "whole", val: bytes }, stream: bodyOf(bytes) };
  return form === "oversized"
    ? { core: { tag: "oversized" }, stream: null }
    : { core: { tag: "stream" }, stream: bodyOf(bytes) };
}
