// Console commands that are still running. Ctrl-C or a button stops them all.

import { computed, signal } from "@preact/signals";
import type { Sender } from "../../notation/plan.js";
import { INTERRUPTED } from "../../notation/shell/result.js";
import { Variables } from "../../notation/shell/variables.js";
import type { Exchange } from "../../session/exchange.js";

export class ConsoleRuns {
  /** Kept from line to line. */
  readonly variables = new Variables();
  /** Whether there is something to stop. */
  readonly going = computed(() => this.#lines.value > 0 || this.#sent.value.some(isLive));
  readonly #lines = signal(0);
  readonly #sent = signal<readonly Exchange[]>([]);
  #interrupt = new AbortController();

  /** Aborted when work that begins now is stopped. */
  get interrupted(): AbortSignal {
    return this.#interrupt.signal;
  }

  /** Wraps a sender to track its requests: answers may continue after the command is over for the console. */
  watching(sender: Sender): Sender {
    return {
      send: async (request) => {
        const exchange = await sender.send(request);
        this.#sent.value = [...this.#sent.value.filter(isLive), exchange];
        return exchange;
      },
      cancel: (exchange) => sender.cancel(exchange),
      folder: () => sender.folder(),
    };
  }

  /** Runs a line. */
  async run(line: Promise<unknown>): Promise<void> {
    this.#lines.value += 1;
    try {
      await line;
    } finally {
      this.#lines.value -= 1;
    }
  }

  hasSent(exchange: Exchange): boolean {
    return this.#sent.peek().includes(exchange);
  }

  stop(): void {
    this.#interrupt.abort();
    this.#interrupt = new AbortController();
    this.variables.ended(INTERRUPTED);
  }
}

export function isLive({ state }: Exchange): boolean {
  return state.value === "sending" || state.value === "streaming";
}
