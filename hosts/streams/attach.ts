// A connection as a container's stdio: the container's output is read from the log, and the client's bytes go to its
// stdin.

import type { LogBytes, Stdin, Stdio, engine, replies } from "../shared/index.js";
import { DetachKeys } from "./detach-keys.js";
import { logSnapshot } from "./log-snapshot.js";
import { LogReader } from "./log-lines.js";
import { LogRecords, type RecordForm } from "./log-records.js";
import type { Sink } from "./logs.js";
import { RawOutput } from "./raw-output.js";

/** The client's end of a connection that was taken off HTTP. */
export interface Client extends Sink {
  /** The client's input. It ends with the client's half-close, or when the client is gone. */
  bytes(): AsyncIterable<Uint8Array>;
}

const NOTHING = new Uint8Array();

interface Bound {
  stdin: Stdin | null;
  log: LogBytes | null;
  /** Size of the log when the connection was bound. */
  bound: number;
}

/** Why the stream is over. `ended`: the core said so, and everything has been sent. */
export type Ending = "ended" | engine.Closing;

export class Attachment {
  readonly #hijack: replies.Hijack;
  readonly #run: replies.RunStdio;
  readonly #stdin: Stdin | null;
  readonly #log: LogBytes | null;
  /** Size of the log when the connection was bound. */
  readonly #bound: number;
  /** How much of the log the client has been sent. Once the stream is over: more than any log has. */
  #sent = 0;
  #moved: () => void = () => {};

  /**
   * Binds a connection to a run. After this has resolved, no output of the process is missed. Only then may the client
   * be told that it is attached.
   */
  static async bind(hijack: replies.Hijack, run: replies.RunStdio, stdio: Stdio): Promise<Attachment> {
    const reads = (hijack.stdout || hijack.stderr) && (run.history || run.live);
    const log = reads ? await stdio.log(run.container) : null;
    const stdin = hijack.stdin ? stdio.stdin(run.container, run.run) : null;
    return new Attachment(hijack, run, { stdin, log, bound: log === null ? 0 : await log.size() });
  }

  private constructor(hijack: replies.Hijack, run: replies.RunStdio, { stdin, log, bound }: Bound) {
    this.#hijack = hijack;
    this.#run = run;
    this.#stdin = stdin;
    this.#log = log;
    this.#bound = bound;
  }

  /**
   * Moves bytes until one of these happens: the core wants the end (`drain`) and all output is sent; the client leaves
   * (`gone`) or detaches; or the client closes its side of a stream that ends with it.
   */
  async run(client: Client, drain: AbortSignal, gone: AbortSignal): Promise<Ending> {
    const over = new AbortController();
    const input = this.#copyInput(client, over.signal);
    let ending: Ending = "failed";
    try {
      ending = await Promise.race([
        this.#copyOutput(client, drain, AbortSignal.any([gone, over.signal])),
        endingOf(input),
        aborted(gone).then((): Ending => "client"),
      ]);
    } catch {
      // Reported as failed.
    }
    this.#advance(Number.MAX_SAFE_INTEGER);
    letGo(ending, input, over, () => this.#stdin?.release());
    await this.#log?.close();
    return ending;
  }

  /**
   * Resolves when the client has been sent the log up to `size`, or will be sent nothing more. Only one call at a time.
   */
  async caughtUp(size: number): Promise<void> {
    if (this.#log === null || !this.#run.live) return;
    while (this.#sent < size) await new Promise<void>((resolve) => (this.#moved = resolve));
  }

  #advance(sent: number): void {
    this.#sent = sent;
    this.#moved();
  }

  async #copyOutput(client: Client, drain: AbortSignal, left: AbortSignal): Promise<Ending> {
    if (this.#log === null) return aborted(drain).then(() => "ended");
    const history = this.#run.history ? await this.#copyHistory(client, this.#log, left) : this.#bound;
    if (history < 0) return "client";
    return this.#run.live ? this.#copyLive(client, new LogReader(this.#log, history, drain, left)) : "ended";
  }

  /** In the format of `logs`. Resolves to the log offset where it ends; -1 if the client has gone. */
  async #copyHistory(client: Client, log: LogBytes, left: AbortSignal): Promise<number> {
    const records = new LogRecords(formOf(this.#hijack));
    const reader = new LogReader(logSnapshot(log, this.#bound), 0, AbortSignal.abort(), left);
    try {
      for (let block = await reader.next(); block !== null; block = await reader.next()) {
        const bytes = records.render(block, reader.passed - block.length);
        if (bytes.length > 0 && !(await client.write(bytes))) return -1;
        this.#advance(reader.passed);
      }
      const rest = this.#run.ended ? records.finish() : NOTHING;
      return rest.length === 0 || (await client.write(rest)) ? reader.passed : -1;
    } finally {
      reader.close();
    }
  }

  async #copyLive(client: Client, reader: LogReader): Promise<Ending> {
    try {
      const output = new RawOutput(this.#hijack);
      for (let block = await reader.next(); block !== null; block = await reader.next()) {
        const bytes = output.render(block);
        if (bytes.length > 0 && !(await client.write(bytes))) return "client";
        this.#advance(reader.passed);
      }
      return "ended";
    } finally {
      reader.close();
    }
  }

  /** Null if the stream does not end with its input. */
  async #copyInput(client: Client, over: AbortSignal): Promise<Ending | null> {
    const keys = new DetachKeys(this.#hijack.detachKeys);
    for await (const bytes of client.bytes()) {
      if (over.aborted || this.#stdin === null) continue;
      const typed = keys.take(bytes);
      if (typed.bytes.length > 0) await this.#stdin.write(typed.bytes);
      if (typed.detached) return "detached";
    }
    if (this.#stdin === null || over.aborted) return null;
    const held = keys.rest();
    if (held.length > 0) await this.#stdin.write(held);
    if (!this.#hijack.keepAfterInput) return "input-ended";
    this.#stdin.end();
    return null;
  }
}

/** The format of the records in its history, without extras. */
function formOf({ stdout, stderr, framing }: replies.Hijack): RecordForm {
  return { stdout, stderr, framed: framing === "multiplexed", timestamps: false, prefix: "", since: 0n, until: 0n };
}

/** Resolves when the input ends the stream; never if the stream does not end with its input. */
export async function endingOf(input: Promise<Ending | null>): Promise<Ending> {
  return (await input) ?? new Promise(() => {});
}

/** Input that a client sent before it left is still delivered; otherwise later input is dropped. */
export function letGo(ending: Ending, input: Promise<unknown>, over: AbortController, release: () => void): void {
  if (ending === "client") return void input.then(release, release);
  over.abort();
  release();
}

export function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
}
