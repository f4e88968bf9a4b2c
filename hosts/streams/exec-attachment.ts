// A connection as an exec's stdio: it gets the exec's output, and the client's bytes go to the exec's stdin.

import { isMissing } from "../shared/index.js";
import type { ExecStdio, OutputPiece, Stdio, replies } from "../shared/index.js";
import { DetachKeys } from "./detach-keys.js";
import { FRAME_HEADER, STDERR, STDOUT, writeFrameHeader } from "./frames.js";
import { aborted, endingOf, letGo, type Client, type Ending } from "./attach.js";

export class ExecAttachment {
  readonly #hijack: replies.Hijack;
  /** Null for a connection without streams. */
  readonly #stdio: ExecStdio | null;

  /** Call this in the step that starts the exec: then the connection gets all output from the beginning. */
  static async bind(hijack: replies.Hijack, exec: string, stdio: Stdio): Promise<ExecAttachment> {
    const takesPart = hijack.stdin || hijack.stdout || hijack.stderr;
    return new ExecAttachment(hijack, takesPart ? await stdioOf(exec, stdio) : null);
  }

  private constructor(hijack: replies.Hijack, stdio: ExecStdio | null) {
    this.#hijack = hijack;
    this.#stdio = stdio;
  }

  /**
   * Moves bytes until one of these happens: all output is sent and the core wants the end (`drain`); or the client
   * leaves (`gone`) or detaches.
   */
  async run(client: Client, drain: AbortSignal, gone: AbortSignal): Promise<Ending> {
    const over = new AbortController();
    const input = this.#copyInput(client, over.signal);
    let ending: Ending = "failed";
    try {
      ending = await Promise.race([
        this.#copyOutput(client, drain),
        endingOf(input),
        aborted(gone).then((): Ending => "client"),
      ]);
    } catch {
      // Reported as failed.
    }
    letGo(ending, input, over, () => this.#stdio?.stdin.release());
    this.#stdio?.release();
    return ending;
  }

  async #copyOutput(client: Client, drain: AbortSignal): Promise<Ending> {
    if (this.#stdio !== null) {
      for await (const piece of this.#stdio.output()) {
        if (this.#hijack[piece.stream] && !(await client.write(this.#wrapped(piece)))) return "client";
      }
    }
    await aborted(drain);
    return "ended";
  }

  #wrapped({ stream, bytes }: OutputPiece): Uint8Array {
    if (this.#hijack.framing !== "multiplexed") return bytes;
    const frame = new Uint8Array(FRAME_HEADER + bytes.length);
    writeFrameHeader(frame, 0, stream === "stdout" ? STDOUT : STDERR, bytes.length);
    frame.set(bytes, FRAME_HEADER);
    return frame;
  }

  /** A half-close ends only the process's stdin: only the keys end the stream. */
  async #copyInput(client: Client, over: AbortSignal): Promise<Ending | null> {
    const stdin = this.#hijack.stdin ? (this.#stdio?.stdin ?? null) : null;
    const keys = new DetachKeys(this.#hijack.detachKeys);
    for await (const bytes of client.bytes()) {
      if (over.aborted || stdin === null) continue;
      const typed = keys.take(bytes);
      if (typed.bytes.length > 0) await stdin.write(typed.bytes);
      if (typed.detached) return "detached";
    }
    if (stdin === null || over.aborted) return null;
    const held = keys.rest();
    if (held.length > 0) await stdin.write(held);
    stdin.end();
    return null;
  }
}

/** An exec that could not be started has no stdio; the core is about to tell its client the reason. */
async function stdioOf(exec: string, stdio: Stdio): Promise<ExecStdio | null> {
  try {
    return await stdio.exec(exec);
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
}
