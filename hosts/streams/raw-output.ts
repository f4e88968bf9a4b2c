// Turns lines of a log back into what the process wrote, for attached clients: no lines, no times; a frame holds what
// came in one go on one stream.

import type { replies } from "../shared/host.js";
import { ByteBuilder } from "./bytes.js";
import { FRAME_HEADER, STDOUT, writeFrameHeader } from "./frames.js";
import { LogLine } from "./log-lines.js";

const NEWLINE = 0x0a;

export class RawOutput {
  readonly #hijack: Pick<replies.Hijack, "stdout" | "stderr" | "framing">;
  readonly #line = new LogLine();
  // Two, by turns: while one is being sent the other is filled.
  #output = new ByteBuilder();
  #other = new ByteBuilder();
  /** Stream of the frame under way, and where its header is. */
  #stream = 0;
  #header = 0;

  constructor(hijack: Pick<replies.Hijack, "stdout" | "stderr" | "framing">) {
    this.#hijack = hijack;
  }

  /** What the process wrote, of a block of whole lines. Good until the call after the next. */
  render(block: Uint8Array): Uint8Array {
    const line = this.#line;
    const output = this.#output;
    for (let at = 0; at < block.length; at = line.end + 1) {
      const sound = line.read(block, at);
      if (line.end < 0) break;
      if (!sound || line.ends || !(line.stream === STDOUT ? this.#hijack.stdout : this.#hijack.stderr)) continue;
      output.reserve(FRAME_HEADER + line.end - line.text + 1);
      if (this.#hijack.framing === "multiplexed" && this.#stream !== line.stream) this.#beginFrame(line.stream);
      output.add(block, line.text, line.end);
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
