// One request and its reply, for any kind of client. It passes on to the client what the core sends, and tells the core
// what happens to the client.

import { failureOf } from "../shared/index.js";
import type { Input, LogBytes, ReplyOrCut, RequestId, Stdio, engine, replies } from "../shared/index.js";
import type { ReplyReceiver } from "./reply-router.js";
import { AddressedClient, Attachment, ExecAttachment, serveLogs } from "../streams/index.js";
import type { Attachments, Ending, HijackedClient } from "../streams/index.js";

/**
 * The client's side. Its maker calls `finished` when the whole reply has gone out, and `closed` if the client leaves
 * before that. Neither is called after the connection was taken off HTTP.
 */
export interface Channel {
  /** `isStateless`: it may be given again to the same request; see `replies.wit`. */
  whole(head: replies.Head, body: Uint8Array, isStateless: boolean): void;
  /** Sends the head at once. */
  open(head: replies.Head): void;
  /** `sent` is called when the bytes may be overwritten, with whether they went out. */
  write(bytes: Uint8Array, sent: (wentOut: boolean) => void): void;
  /** Ends the body, or the connection that carries calls. */
  end(): void;
  /** A complete answer to which nothing is added. The connection ends with it. */
  bare(reply: replies.Whole): void;
  /** Takes the connection off HTTP. `gone` is called when the client can no longer be reached. */
  hijack(gone: () => void, framing: replies.Framing): HijackedClient;
  /**
   * The connection carries calls from now on. `gone` is called once, when it is over. Missing: the client has no
   * connection that could.
   */
  calls?(calls: replies.Calls, gone: () => void): void;
  /** Breaks the connection off. */
  destroy(): void;
}

export interface ExchangeContext {
  deliver: (input: Input) => void;
  stdio: Stdio;
  /** All clients attached to containers, including those of this exchange. */
  attachments: Attachments;
  /** The exchange is over: nobody needs it any more. */
  over: (request: RequestId) => void;
}

/** Bytes that may go out before the core is told: far fewer than it sends in advance (`replies.wit`). */
const UNREPORTED_MAX = 16 * 1024;
/** What the core counts for a log (`replies.wit`). */
const LOG_WEIGHT = 64 * 1024;

export class Exchange implements ReplyReceiver {
  readonly #id: RequestId;
  readonly #channel: Channel;
  readonly #context: ExchangeContext;
  /** For a reply whose bytes the host moves. */
  #movement: Movement | null = null;
  /** Logs that are sent between the other parts of the body, by their containers. */
  readonly #beside = new Map<string, Sending>();
  /** A log as a part of the body, or the rest of one that was sent beside it. */
  #inserted: Movement | null = null;
  /** What comes after it. */
  readonly #held: ReplyOrCut[] = [];
  /** Opened logs among them, in the same order. */
  readonly #heldLogs: Promise<LogBytes>[] = [];
  /** A head that has not gone out. */
  #head: replies.Head | null = null;
  /** Set once the connection is off HTTP. */
  #client: AddressedClient | null = null;
  /** The connection carries calls. */
  #carries = false;
  /** Bytes that have gone out but were not reported to the core. */
  #unreported = 0;
  #over = false;
  /** Its source has failed: only the core's answer to that is passed on. */
  #awaits: Awaited | null = null;

  constructor(id: RequestId, channel: Channel, context: ExchangeContext) {
    this.#id = id;
    this.#channel = channel;
    this.#context = context;
  }

  get over(): boolean {
    return this.#over;
  }

  perform(command: ReplyOrCut): void {
    if (this.#over || (this.#awaits !== null && !this.#isAwaited(command.tag))) return;
    if (this.#inserted !== null && command.tag !== "cut") return this.#hold(command, this.#inserted);
    switch (command.tag) {
      case "whole":
        if (this.#awaits === "words") return this.perform({ tag: "cut" });
        return this.#channel.whole(command.val.head, command.val.body, command.val.stateless);
      case "bare":
        this.#end();
        return this.#channel.bare(command.val);
      case "open":
        return this.#open(command.val);
      case "chunk":
        return this.#chunk(command.val);
      case "splice":
        return void this.#splice(command.val);
      case "insert":
        return void this.#insert(command.val, this.#opened(command.val));
      case "beside":
        return this.#sendBeside(command.val, this.#opened(command.val));
      case "drain":
        return void this.#drain(command.val);
      case "hijack":
        return void this.#hijack(command.val);
      case "calls":
        return this.#calls(command.val);
      case "end":
        this.#sendHead();
        // Its client does not have to read anything more.
        if (this.#carries) this.#end();
        if (this.#movement === null) this.#channel.end();
        else this.#movement.drain.abort();
        return;
      case "cut":
        this.#end();
        return this.#channel.destroy();
    }
  }

  /** The whole reply has gone out. */
  finished(): void {
    // The source has ended before the core said so.
    if (this.#movement !== null && !this.#movement.drain.signal.aborted) this.#lost("source-ended");
    else this.#end();
  }

  /** The client is gone. */
  closed(): void {
    this.#lost("client");
  }

  /**
   * Sends the head at once, unless the step also names a source. In that case the head waits until the source has
   * bytes.
   */
  #open(head: replies.Head): void {
    this.#head = head;
    queueMicrotask(() => {
      if (this.#movement === null) this.#sendHead();
    });
  }

  #sendHead(): void {
    const head = this.#head;
    this.#head = null;
    if (head !== null && !this.#over) this.#channel.open(head);
  }

  #chunk(bytes: Uint8Array): void {
    this.#sendHead();
    if (this.#client !== null) return this.#client.say(bytes);
    // Bytes that a client left unread must not count: the core would continue to send until it learns that nobody is
    // there.
    this.#channel.write(bytes, (wentOut) => {
      if (wentOut) this.#drained(bytes.length);
    });
  }

  /** Reported in batches: a step of the core for every line of every reader would cost more than the lines. */
  #drained(bytes: number): void {
    this.#unreported += bytes;
    if (this.#over || this.#unreported < UNREPORTED_MAX) return;
    this.#context.deliver({ tag: "drained", val: { request: this.#id, bytes: this.#unreported } });
    this.#unreported = 0;
  }

  async #splice(source: replies.Source): Promise<void> {
    const movement = (this.#movement = newMovement());
    try {
      if (source.tag === "logs") await this.#logs(source.val, movement);
      else await this.#bytes(source);
    } catch (error) {
      return this.#sourceFailed(source, error);
    }
    this.#sendHead();
    if (!this.#over) this.#channel.end();
  }

  async #insert(source: replies.LogSource, opening: Promise<LogBytes>): Promise<void> {
    const movement = newMovement();
    await this.#waitFor(movement, this.#sendPart(source, opening, movement));
  }

  #sendBeside(source: replies.LogSource, opening: Promise<LogBytes>): void {
    const movement = newMovement();
    this.#beside.set(source.container, { movement, sent: this.#sendPart(source, opening, movement) });
  }

  async #drain(container: string): Promise<void> {
    const sending = this.#beside.get(container);
    if (sending === undefined) return;
    this.#beside.delete(container);
    sending.movement.drain.abort();
    await this.#waitFor(sending.movement, sending.sent);
  }

  /** What follows comes after all of this log. */
  async #waitFor(movement: Movement, sent: Promise<void>): Promise<void> {
    this.#inserted = movement;
    await sent;
    this.#inserted = null;
    this.#drained(LOG_WEIGHT);
    while (this.#inserted === null && this.#held.length > 0) this.perform(this.#held.shift()!);
    if (this.#held.length > 0) (this.#inserted as Movement | null)?.drain.abort();
  }

  /** A log that cannot be read breaks the reply off: what is missing in it can be told nowhere. */
  async #sendPart(source: replies.LogSource, opening: Promise<LogBytes>, movement: Movement): Promise<void> {
    this.#sendHead();
    try {
      await this.#sendLog(source, await opening, movement);
    } catch {
      this.#lost("failed");
      this.#channel.destroy();
    }
  }

  /** The run is over: what follows comes after the rest of its log. */
  #hold(command: ReplyOrCut, inserted: Movement): void {
    inserted.drain.abort();
    this.#held.push(command);
    // Its container may be removed before its turn comes.
    if (command.tag === "insert" || command.tag === "beside") this.#heldLogs.push(this.#openLog(command.val));
    // That run is over, too.
    if (command.tag === "drain") this.#beside.get(command.val)?.movement.drain.abort();
  }

  #opened(source: replies.LogSource): Promise<LogBytes> {
    return this.#heldLogs.shift() ?? this.#openLog(source);
  }

  /** A failure is told when the log's turn comes. */
  #openLog({ container }: replies.LogSource): Promise<LogBytes> {
    const opening = this.#context.stdio.log(container);
    opening.catch(() => {});
    return opening;
  }

  /**
   * A client that has received nothing gets the core's explanation, and so does a reader of a log, at any point. What
   * other clients have received cannot be taken back; their connection is broken off.
   */
  #sourceFailed(source: replies.Source, error: unknown): void {
    if (this.#over) return;
    const isLog = source.tag === "logs";
    if (this.#head === null && !isLog) {
      this.#lost("failed");
      return this.#channel.destroy();
    }
    const begun = this.#head === null && isLog ? { begun: formOf(source.val) } : {};
    this.#awaits = this.#head === null ? "words" : "answer";
    this.#head = this.#movement = null;
    this.#context.deliver({ tag: "source-failed", val: { request: this.#id, why: failureOf(error), ...begun } });
  }

  /** An end that the core sent before it knew of the failure does not count. */
  #isAwaited(tag: ReplyOrCut["tag"]): boolean {
    if (tag === "whole" || tag === "cut") return true;
    if (tag === "chunk" && this.#awaits === "words") this.#awaits = "end";
    else return tag === "end" && this.#awaits === "end";
    return true;
  }

  async #logs(source: replies.LogSource, movement: Movement): Promise<void> {
    await this.#sendLog(source, await this.#context.stdio.log(source.container), movement);
  }

  async #sendLog(source: replies.LogSource, log: LogBytes, { drain, gone }: Movement): Promise<void> {
    this.#sendHead();
    try {
      await serveLogs(source, log, { write: (bytes) => this.#write(bytes) }, drain.signal, gone.signal);
    } finally {
      await log.close();
    }
  }

  /** Moves all bytes to the client, unless it leaves before. */
  async #bytes(source: Exclude<replies.Source, { tag: "logs" }>): Promise<void> {
    for await (const bytes of this.#pieces(source)) {
      this.#sendHead();
      if (!(await this.#write(bytes))) return;
    }
  }

  #pieces(source: Exclude<replies.Source, { tag: "logs" }>): AsyncIterable<Uint8Array> {
    const { stdio } = this.#context;
    if (source.tag === "archive") return stdio.archive(source.val);
    return source.tag === "export" ? stdio.export(source.val) : stdio.saved(source.val);
  }

  #write(bytes: Uint8Array): Promise<boolean> {
    return new Promise((resolve) => this.#channel.write(bytes, (wentOut) => resolve(wentOut && !this.#over)));
  }

  async #hijack(hijack: replies.Hijack): Promise<void> {
    const { drain, gone } = (this.#movement = newMovement());
    const client = (this.#client = new AddressedClient(this.#channel.hijack(() => gone.abort(), hijack.framing)));
    let ending: Ending = "failed";
    try {
      ending = await this.#attach(hijack, client, { drain, gone });
    } catch {
      this.#channel.destroy();
    }
    if (ending === "ended" || drain.signal.aborted) this.#end();
    else this.#lost(ending);
    client.end();
  }

  #calls(calls: replies.Calls): void {
    this.#carries = true;
    if (this.#channel.calls !== undefined) return this.#channel.calls(calls, () => this.#lost("client"));
    this.#lost("client");
    this.#channel.destroy();
  }

  async #attach(hijack: replies.Hijack, client: HijackedClient, { drain, gone }: Movement): Promise<Ending> {
    const { stdio } = hijack;
    if (stdio.tag === "exec") {
      const bound = await ExecAttachment.bind(hijack, stdio.val, this.#context.stdio);
      client.begin(hijack.head);
      return bound.run(client, drain.signal, gone.signal);
    }
    const run = stdio.val;
    const attachment = await Attachment.bind(hijack, run, this.#context.stdio);
    this.#context.attachments.add(run.container, attachment);
    client.begin(hijack.head);
    const ending = await attachment.run(client, drain.signal, gone.signal);
    this.#context.attachments.remove(run.container, attachment);
    return ending;
  }

  /** The stream ends without the core having said so. */
  #lost(why: engine.Closing): void {
    if (this.#over) return;
    this.#end();
    this.#context.deliver({ tag: "closed", val: { request: this.#id, why } });
  }

  #end(): void {
    if (this.#over) return;
    this.#over = true;
    this.#movement?.gone.abort();
    this.#inserted?.gone.abort();
    for (const { movement } of this.#beside.values()) movement.gone.abort();
    for (const log of this.#heldLogs.splice(0)) void log.then((one) => one.close()).catch(() => {});
    this.#context.over(this.#id);
  }
}

/** What the core is to say about a failed source: an answer, or a text and then the end. */
type Awaited = "answer" | "words" | "end";

function formOf({ framed, objects }: replies.LogSource): engine.LogForm {
  return { framed, objects: objects !== undefined, separated: objects?.separated ?? false };
}

/**
 * Something that moves bytes by itself gets these signals. `drain`: the core wants the end. `gone`: nobody is there any
 * more.
 */
interface Movement {
  drain: AbortController;
  gone: AbortController;
}

interface Sending {
  movement: Movement;
  /** Resolves when all of the log has been sent, or nobody is there any more. */
  sent: Promise<void>;
}

function newMovement(): Movement {
  return { drain: new AbortController(), gone: new AbortController() };
}
