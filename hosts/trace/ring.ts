// Keeps a trace in memory, and gives its text at any time.

import { Chain } from "./chain.js";
import { endLine } from "./lines.js";
import type { Sink } from "./recorder.js";

/** Keeps in memory the segments that the recorder has not dropped. */
export class Ring implements Sink {
  readonly #segments = new Map<number, string[]>();
  #newest: string[] = [];

  begin(segment: number): void {
    this.#newest = [];
    this.#segments.set(segment, this.#newest);
  }

  append(line: string): void {
    this.#newest.push(line);
  }

  drop(segment: number): void {
    this.#segments.delete(segment);
  }

  /** The trace up to now. A segment that has not ended gets the end `running`. */
  text(): string {
    const lines = [...this.#segments.values()].flat();
    const last = lines.at(-1);
    if (last !== undefined && !last.startsWith('{"end":')) {
      lines.push(new Chain(last).sealed(endLine({ why: "running" })));
    }
    return lines.map((line) => `${line}\n`).join("");
  }
}
