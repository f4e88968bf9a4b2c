// Checks that an opened engine reports, exactly once, each exec that ended while no engine ran, if the records say
// that it has started and its end was not reported. It must report no other.

import { Breach } from "../breach.js";
import type { Invariant, Seen } from "./invariant.js";
import { eventsOf } from "./journal.js";

export class ExecEnds implements Invariant {
  stepped({ opening, outputs, ledger }: Seen): void {
    if (opening === null) return;
    const recorded = new Set(opening.records.map(({ key }) => key));
    const told = eventsOf(outputs.records).filter(({ action }) => action === "exec_die");
    for (const { exec, subject, exit } of opening.inventory.execs) {
      if (exit === undefined || !ledger.containers.has(subject.container)) continue;
      const codes = told.flatMap(({ attributes }) =>
        attributes.get("execID") === exec ? [attributes.get("exitCode")] : [],
      );
      const expected = recorded.has(`exec/${exec}`) ? [String(exit.code)] : [];
      if (codes.join() === expected.join()) continue;
      const words = [codes, expected].map((some) => (some.length === 0 ? "nothing" : `code ${some.join(", ")}`));
      throw new Breach("history", `for the end of exec ${exec}, the journal has ${words[0]}, not ${words[1]}`);
    }
  }
}
