// Turns log lines back into the process's output for attached clients, without lines and times. A frame holds bytes of
// one stream that arrived together.

import { ByteBuilder } from "../shared/index.js";
import type { replies } from "../shared/index.js";
import { FRAME_HEADER, STDOUT, writeFrameHeader } from "./frames.js";
import { LogLine } from "./log-lines.js";

const NEWLINE = 0x0a;

export class RawOutput {
  readonly #hijack: Pick<replies.Hijack, "stdout" | "stderr" | "framing">;
  readonly #line = new LogLine();
  // Two buffers in turn: one is filled while the other is being sent.
  #output = new ByteBuilder();
  #other = new ByteBuilder();
  /** Stream of the current frame, and where its header is. */
  #stream = 0;
  #header = 0;

  constructor(hijack: Pick<replies.Hijack, "stdout" | "stderr" | "framing">) {
    this.#hijack = hijack;
  }

  /** The process's output in a block of complete lines. Valid until the call after the next. */
  render(block: Uint8Array): Uint8Array {
    const line = this.#line;
    const output = this.#output;
    const lines = output.beside(block);
    for (let at = 0; at < lines.length; at = line.end + 1) {
      const sound = line.read(lines, at);
      if (line.end < 0) break;
      if (!sound || line.ends || !(line.stream === STDOUT ? this.#hijack.stdout : this.#hijack.stderr)) continue;
      output.reserve(FRAME_HEADER + line.end - line.text + 1);
      if (this.#hijack.framing === "multiplexed" && this.#stream !== line.stream) this.#beginFrame(line.stream);
      output.add(lines, line.text, line.end);
      if (!line.partial) output.bytes[output.length++] = NEWLINE;
    }
    this.#endFrame();
    this.#output = this.#other;
    this.#other = output;
    return output.taken();
  }

  #beginFrame(stream: number): void {
    this.#endFrame();
    this.#stream = stream;
    this.#header = this.#output.length;
    this.#output.length += FRAME_HEADER;
  }

  #endFrame(): void {
    if (this.#stream === 0) return;
    const output = this.#output;
    writeFrameHeader(output.bytes, this.#header, this.#stream, output.length - this.#header - FRAME_HEADER);
    this.#stream = 0;
  }
}
