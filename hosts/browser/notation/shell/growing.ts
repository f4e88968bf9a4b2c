// Writes the output of a growing answer into a pipe.

import type { Exchange } from "../../session/exchange.js";
import type { View } from "../../session/view/view.js";
import { STDOUT, type Taken } from "./output.js";

/**
 * Writes what the answer's body prints, as it arrives and as fast as it is read. Returns a function to call once the
 * answer is over: it resolves when everything is written, to whether there was anything.
 */
export function following(
  exchange: Exchange,
  taken: Taken,
  write: (text: string) => Promise<void>,
): () => Promise<boolean> {
  const unwritten = new Unwritten(taken);
  let [isWriting, wrote] = [false, false];
  let written = Promise.resolve();
  const writeAll = async (): Promise<void> => {
    isWriting = true;
    for (let text = unwritten.of(exchange.view.peek()); text !== null; text = unwritten.of(exchange.view.peek())) {
      wrote ||= text !== "";
      await write(text);
    }
    isWriting = false;
  };
  const stop = exchange.view.subscribe(() => {
    if (!isWriting) written = writeAll();
  });
  return async () => {
    stop();
    await written;
    return wrote;
  };
}

/** The part of an answer that is not written yet. */
class Unwritten {
  readonly #decoder = new TextDecoder();
  readonly #taken: Taken;
  #seen = 0;

  constructor(taken: Taken) {
    this.#taken = taken;
  }

  /** The next piece; null if there is none yet. */
  of(view: View): string | null {
    if (view.kind === "frames") return this.#ofFrames(view.frames);
    if (!this.#taken.has(STDOUT)) return null;
    if (view.kind === "terminal") return this.#ofTerminal(view.bytes);
    if (view.kind !== "lines" || this.#seen >= view.values.length) return null;
    return `${eventLine(view.values[this.#seen++])}\n`;
  }

  #ofFrames(frames: Extract<View, { kind: "frames" }>["frames"]): string | null {
    while (this.#seen < frames.length) {
      const { stream, bytes } = frames[this.#seen++]!;
      if (this.#taken.has(stream)) return this.#decoder.decode(bytes, { stream: true });
    }
    return null;
  }

  #ofTerminal(bytes: Uint8Array): string | null {
    if (this.#seen >= bytes.length) return null;
    const fresh = bytes.subarray(this.#seen);
    this.#seen = bytes.length;
    return this.#decoder.decode(fresh, { stream: true }).replaceAll("\r\n", "\n");
  }
}

interface Event {
  readonly Type?: string;
  readonly Action?: string;
  readonly Actor?: { readonly ID?: string; readonly Attributes?: Readonly<Record<string, string>> };
  readonly time?: number;
}

/** Formatted as by `docker events`. */
function eventLine(value: unknown): string {
  const { Type: type = "", Action: action = "", Actor: actor, time = 0 } = value as Event;
  const attributes = Object.entries(actor?.Attributes ?? {}).map(([name, one]) => `${name}=${one}`);
  const told = attributes.length > 0 ? ` (${attributes.toSorted().join(", ")})` : "";
  return `${new Date(time * 1000).toISOString()} ${type} ${action} ${actor?.ID ?? ""}${told}`;
}
