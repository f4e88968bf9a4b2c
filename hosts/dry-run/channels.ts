// What a client receives from a dry run: the reply with a header that marks it, or the plan instead of the reply.

import type { Channel } from "../request/index.js";
import { joined } from "../shared/bytes.js";
import type { HijackedClient } from "../streams/index.js";
import type { replies } from "../shared/host.js";
import { namesAndValues } from "../request/index.js";
import type { Plan, PlannedAnswer } from "./format.js";
import { readableBytes } from "./readable.js";

export const HEADER = "Coracle-Dry-Run";

/** A longer body is cut in a plan. */
const LONGEST_BODY = 1 << 20;

/** The usual reply, with one more header. */
export function markedChannel(client: Channel): Channel {
  return {
    whole: (head, body) => client.whole(marked(head), body),
    open: (head) => client.open(marked(head)),
    write: (bytes, sent) => client.write(bytes, sent),
    end: () => client.end(),
    bare: (reply) => client.bare({ ...reply, head: marked(reply.head) }),
    hijack: (gone, framing) => {
      const hijacked = client.hijack(gone, framing);
      return {
        begin: (head) => hijacked.begin(marked(head)),
        bytes: () => hijacked.bytes(),
        write: (bytes) => hijacked.write(bytes),
        end: () => hijacked.end(),
      };
    },
    destroy: () => client.destroy(),
  };
}

function marked({ status, headers }: replies.Head, value = "1"): replies.Head {
  const line = `${HEADER}: ${value}`;
  return { status, headers: headers === "" ? line : `${headers}\n${line}` };
}

/** A JSON reply that the host makes itself. */
export function jsonReply(status: number, json: unknown, value?: string): replies.Whole {
  const body = new TextEncoder().encode(`${JSON.stringify(json)}\n`);
  return { head: marked({ status, headers: "Content-Type: application/json" }, value), body, stateless: false };
}

/**
 * Collects the reply, and sends the plan instead. `plan` resolves when the plan is complete. `sent` is called when the
 * plan has been passed to the client.
 */
export function planChannel(plan: () => Promise<Plan>, sent: () => void = () => {}): (client: Channel) => Channel {
  return (client) => new PlanChannel(client, plan, sent);
}

class PlanChannel implements Channel {
  readonly #client: Channel;
  readonly #plan: () => Promise<Plan>;
  readonly #sent: () => void;
  #head: replies.Head = { status: 0, headers: "" };
  #body: Uint8Array[] = [];
  #length = 0;
  #ended = false;

  constructor(client: Channel, plan: () => Promise<Plan>, sent: () => void) {
    this.#client = client;
    this.#plan = plan;
    this.#sent = sent;
  }

  whole(head: replies.Head, body: Uint8Array): void {
    this.#head = head;
    this.#keep(body);
    this.end();
  }

  bare({ head, body }: replies.Whole): void {
    this.whole(head, body);
  }

  open(head: replies.Head): void {
    this.#head = head;
  }

  write(bytes: Uint8Array, sent: (wentOut: boolean) => void): void {
    this.#keep(bytes);
    sent(true);
  }

  end(): void {
    if (this.#ended) return;
    this.#ended = true;
    void this.#plan().then((plan) => {
      const { head, body } = jsonReply(200, { ...plan, answer: this.#answer() }, "plan");
      this.#client.whole(head, body);
      this.#sent();
    });
  }

  /** A client that sends nothing and stays to the end. What it would receive is kept. */
  hijack(): HijackedClient {
    return {
      begin: (head) => this.open(head),
      bytes: nothing,
      write: async (bytes) => {
        this.#keep(bytes);
        return true;
      },
      end: () => this.end(),
    };
  }

  destroy(): void {
    this.end();
  }

  #keep(bytes: Uint8Array): void {
    const room = LONGEST_BODY - this.#length;
    if (room > 0) this.#body.push(bytes.slice(0, room));
    this.#length += bytes.length;
  }

  #answer(): PlannedAnswer {
    const { status, headers } = this.#head;
    const pairs = namesAndValues(headers);
    const named: Record<string, string> = {};
    for (let at = 0; at < pairs.length; at += 2) named[pairs[at]!.toLowerCase()] = pairs[at + 1]!;
    const body = readableBytes(joined(this.#body));
    return { status, headers: named, body, ...(this.#length > LONGEST_BODY && { cut: true as const }) };
  }
}

async function* nothing(): AsyncGenerator<Uint8Array> {}
