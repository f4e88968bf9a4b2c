// Stores the steps of a recording compactly: an hour has hundreds of thousands, with answers of half a gigabyte.

import { joined } from "../../../shared/index.js";
import type { Reply, replies } from "../../../shared/index.js";
import type { Step } from "../../../timeline/index.js";
import { CommonParts } from "../view/common-parts.js";

export class RecordedSteps {
  readonly all: Step[] = [];
  readonly #parts = new CommonParts();
  readonly #texts = new Map<string, string>();

  /** Of the commands, only replies are kept. The step's text and world hold the rest. */
  add(step: Step): void {
    const kept = step.outputs.replies.map((reply) => this.#kept(reply));
    this.all.push({ ...step, outputs: { records: [], effects: [], replies: kept } });
  }

  #kept({ request, command }: Reply): Reply {
    switch (command.tag) {
      case "whole":
      case "bare":
        return { request, command: { tag: command.tag, val: this.#whole(command.val) } };
      case "chunk":
        return { request, command: new KeptChunk(this.#parts.keep(command.val)) };
      default:
        return { request, command };
    }
  }

  /** Most answers of an engine share the same headers. */
  #whole({ head: { status, headers }, body, stateless }: replies.Whole): replies.Whole {
    return new KeptWhole({ status, headers: this.#text(headers) }, this.#parts.keep(body), stateless);
  }

  /** Returns the same string object for equal strings. */
  #text(text: string): string {
    const known = this.#texts.get(text);
    if (known === undefined) this.#texts.set(text, text);
    return known ?? text;
  }
}

/** Bodies are rebuilt whenever they are read. */
class KeptWhole implements replies.Whole {
  readonly #parts: readonly Uint8Array[];

  constructor(
    readonly head: replies.Head,
    parts: readonly Uint8Array[],
    readonly stateless: boolean,
  ) {
    this.#parts = parts;
  }

  get body(): Uint8Array {
    return joined(this.#parts);
  }
}

class KeptChunk implements replies.ReplyCommandChunk {
  readonly tag = "chunk";
  readonly #parts: readonly Uint8Array[];

  constructor(parts: readonly Uint8Array[]) {
    this.#parts = parts;
  }

  get val(): Uint8Array {
    return joined(this.#parts);
  }
}
