// What a client receives from a dry run: the reply with a header that marks it, or the plan instead of the reply.

import type { Channel } from "../request/index.js";
import type { HijackedClient } from "../streams/index.js";
import type { replies } from "../shared/index.js";
import type { Plan } from "./format.js";
import { AnswerInPlan } from "./planned-answer.js";

export const HEADER = "Coracle-Dry-Run";

/** The usual reply, with one more header. */
export function markedChannel(client: Channel): Channel {
  return {
    whole: (head, body) => client.whole(marked(head), body, false),
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
    calls: (_calls, gone) => {
      client.bare(NO_CALLS);
      gone();
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

/** The calls on such a connection would come without the header that asks for a dry run, and so be carried out. */
const NO_CALLS = jsonReply(501, { message: "a dry run has no connections for calls of gRPC" });

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
  #answer = new AnswerInPlan();
  #ended = false;

  constructor(client: Channel, plan: () => Promise<Plan>, sent: () => void) {
    this.#client = client;
    this.#plan = plan;
    this.#sent = sent;
  }

  whole(head: replies.Head, body: Uint8Array): void {
    this.#answer.head = head;
    this.#answer.add(body);
    this.end();
  }

  bare({ head, body }: replies.Whole): void {
    this.whole(head, body);
  }

  open(head: replies.Head): void {
    this.#answer.head = head;
  }

  write(bytes: Uint8Array, sent: (wentOut: boolean) => void): void {
    this.#answer.add(bytes);
    sent(true);
  }

  end(): void {
    if (this.#ended) return;
    this.#ended = true;
    void this.#plan().then((plan) => {
      const { head, body } = jsonReply(200, { ...plan, answer: this.#answer.shown() }, "plan");
      this.#client.whole(head, body, false);
      this.#sent();
    });
  }

  /** A client that sends nothing and stays to the end. What it would receive is kept. */
  hijack(): HijackedClient {
    return {
      begin: (head) => this.open(head),
      bytes: nothing,
      write: async (bytes) => {
        this.#answer.add(bytes);
        return true;
      },
      end: () => this.end(),
    };
  }

  calls(_calls: replies.Calls, gone: () => void): void {
    this.#ended = true;
    this.#client.bare(NO_CALLS);
    this.#sent();
    gone();
  }

  destroy(): void {
    this.end();
  }
}

async function* nothing(): AsyncGenerator<Uint8Array> {}
