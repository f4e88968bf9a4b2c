// Checks that a container changes its status only by a rule of the table.

import type { engine } from "../../../hosts/shared/host.js";
import { Breach } from "../breach.js";
import { parsed, wordOf } from "../ledger.js";
import type { Invariant, Seen } from "./invariant.js";

export class Statuses implements Invariant {
  readonly #rules: ReadonlySet<string>;
  readonly #statuses = new Map<string, string>();

  constructor(rules: readonly engine.Rule[]) {
    this.#rules = new Set(rules.map(textOf));
  }

  stepped({ notes, ledger, opening }: Seen): void {
    if (opening !== null) this.#restart(opening);
    for (const note of notes) if (note.tag === "moved") this.#moved(note.val);
    for (const key of ledger.changed) {
      if (!key.startsWith("container/")) continue;
      const id = key.slice("container/".length);
      const record = ledger.containers.get(id);
      const status = this.#statuses.get(id) ?? "created";
      if (record === undefined) this.#statuses.delete(id);
      else if (wordOf(record) !== status) {
        throw new Breach("statuses", `the record of ${id} has ${wordOf(record)}, but by the rules it is ${status}`);
      }
    }
  }

  #restart({ records }: { records: readonly engine.Stored[] }): void {
    this.#statuses.clear();
    for (const { key, value } of records) {
      if (!key.startsWith("container/")) continue;
      const record = parsed(value) as Parameters<typeof wordOf>[0];
      this.#statuses.set(record.id, wordOf(record));
    }
  }

  #moved({ container, rule }: engine.Moved): void {
    const status = this.#statuses.get(container) ?? "created";
    if (!this.#rules.has(textOf(rule)))
      throw new Breach("statuses", `${container} moved without a rule: ${textOf(rule)}`);
    if (rule.from !== status) throw new Breach("statuses", `${container} is ${status}, but moved by ${textOf(rule)}`);
    this.#statuses.set(container, rule.to);
  }
}

function textOf({ from, cause, to }: engine.Rule): string {
  return `${from} ${cause} ${to}`;
}
