// What comes of an answer while it grows: for who reads it at the other end of a pipe.

import type { Exchange } from "../../session/exchange.js";
import { STDOUT, type Taken } from "./output.js";

/** Writes what the answer's body prints, as it comes. Returns what ends that, and tells whether anything was written. */
export function following(exchange: Exchange, taken: Taken, write: (text: string) => void): () => boolean {
  const decoder = new TextDecoder();
  let [seen, wrote] = [0, false];
  const tell = (text: string): void => {
    wrote ||= text !== "";
    write(text);
  };
  const stop = exchange.view.subscribe((view) => {
    if (view.kind === "frames") {
      const fresh = view.frames.slice(seen).filter(({ stream }) => taken.has(stream));
      seen = view.frames.length;
      for (const { bytes } of fresh) tell(decoder.decode(bytes, { stream: true }));
    } else if (!taken.has(STDOUT)) return;
    else if (view.kind === "terminal") {
      const fresh = view.bytes.subarray(seen);
      seen = view.bytes.length;
      tell(decoder.decode(fresh, { stream: true }).replaceAll("\r\n", "\n"));
    } else if (view.kind === "lines") {
      const fresh = view.values.slice(seen);
      seen = view.values.length;
      for (const event of fresh) tell(`${eventLine(event)}\n`);
    }
  });
  return () => (stop(), wrote);
}

interface Event {
  readonly Type?: string;
  readonly Action?: string;
  readonly Actor?: { readonly ID?: string; readonly Attributes?: Readonly<Record<string, string>> };
  readonly time?: number;
}

/** As `docker events` prints it. */
function eventLine(value: unknown): string {
  const { Type: type = "", Action: action = "", Actor: actor, time = 0 } = value as Event;
  const attributes = Object.entries(actor?.Attributes ?? {}).map(([name, one]) => `${name}=${one}`);
  const told = attributes.length > 0 ? ` (${attributes.toSorted().join(", ")})` : "";
  return `${new Date(time * 1000).toISOString()} ${type} ${action} ${actor?.ID ?? ""}${told}`;
}
