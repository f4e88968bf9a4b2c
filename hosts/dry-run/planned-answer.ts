// The answer that a plan shows: what the client would receive.

import { namesAndValues } from "../request/index.js";
import { joined } from "../shared/index.js";
import type { replies } from "../shared/index.js";
import type { PlannedAnswer } from "./format.js";
import { readableBytes } from "./readable.js";

/** A longer body is cut. */
const LONGEST_BODY = 1 << 20;

export class AnswerInPlan {
  head: replies.Head = { status: 0, headers: "" };
  #body: Uint8Array[] = [];
  #length = 0;

  /** Adds bytes to the body. */
  add(bytes: Uint8Array): void {
    const room = LONGEST_BODY - this.#length;
    if (room > 0) this.#body.push(bytes.slice(0, room));
    this.#length += bytes.length;
  }

  shown(): PlannedAnswer {
    const { status, headers } = this.head;
    const pairs = namesAndValues(headers);
    const named: Record<string, string> = {};
    for (let at = 0; at < pairs.length; at += 2) named[pairs[at]!.toLowerCase()] = pairs[at + 1]!;
    const body = readableBytes(joined(this.#body));
    return { status, headers: named, body, ...(this.#length > LONGEST_BODY && { cut: true as const }) };
  }
}
