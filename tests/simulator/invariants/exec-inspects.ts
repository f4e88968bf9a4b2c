// Of an exec that has ended nothing stays on record, and whoever asks is told the code that was told as an event: for five
// minutes at least, and after ten minutes nobody any more.

import type { RequestId } from "../../../hosts/host.js";
import { Breach } from "../breach.js";
import type { Invariant, Seen } from "./invariant.js";
import { eventsOf } from "./journal.js";

const MINUTE = 60_000_000_000n;
const [SHORTEST, LONGEST] = [5n * MINUTE, 10n * MINUTE];
const INSPECT = /^(?:\/v[\d.]+)?\/exec\/([0-9a-f]{64})\/json$/;
const decoder = new TextDecoder();

interface Ended {
  container: string;
  code: number;
  /** Of monotonic time. */
  at: bigint;
}

export class ExecInspects implements Invariant {
  /** Since the engine was opened. */
  readonly #ended = new Map<string, Ended>();
  /** Clients': the others are health checks, which nobody can ask for. */
  readonly #clients = new Set<string>();

  stepped(seen: Seen): void {
    const { input, outputs, opening } = seen;
    if (opening !== null) this.#opened();
    for (const { to, command } of outputs.effects) {
      if (to === "processes" && command.tag === "exec" && command.val.capture === 0)
        this.#clients.add(command.val.exec);
    }
    for (const { action, id, attributes } of eventsOf(outputs.records)) {
      if (action === "exec_die")
        this.#died(attributes.get("execID") ?? "", id, Number(attributes.get("exitCode")), seen);
    }
    if (input?.tag !== "request" || input.val.method !== "GET") return;
    const exec = INSPECT.exec(input.val.target)?.[1];
    if (exec !== undefined) this.#asked(exec, input.val.id, seen);
  }

  #opened(): void {
    this.#ended.clear();
    this.#clients.clear();
  }

  #died(exec: string, container: string, code: number, { ledger, now }: Seen): void {
    if (ledger.records.has(`exec/${exec}`)) broken(`exec ${exec} has died, and is on record`);
    if (this.#clients.has(exec)) this.#ended.set(exec, { container, code, at: now.monotonic });
  }

  #asked(exec: string, id: RequestId, { outputs, ledger, now }: Seen): void {
    const ended = this.#ended.get(exec);
    const answer = outputs.replies.find(({ request, command }) => request === id && command.tag === "whole")?.command;
    if (ended === undefined || answer?.tag !== "whole") return;
    const { head, body } = answer.val;
    const isThere = ledger.containers.has(ended.container);
    const age = now.monotonic - ended.at;
    if (head.status === 404 && isThere && age < SHORTEST) broken(`exec ${exec} is forgotten after ${age} ns`);
    if (head.status !== 200) return;
    if (!isThere || age > LONGEST) broken(`exec ${exec} is known ${age} ns after its end`);
    const { Running, ExitCode } = JSON.parse(decoder.decode(body)) as { Running: boolean; ExitCode: number | null };
    if (Running || ExitCode !== ended.code) broken(`exec ${exec} has ended with ${ended.code}; ${ExitCode} is shown`);
  }
}

function broken(message: string): never {
  throw new Breach("execs", message);
}
