// Checks that a run has a `connect` event when it starts and a `disconnect` event when it ends, on `host` and `none`,
// too, but not on another container's network.

import { Breach } from "../breach.js";
import type { Ledger } from "../ledger.js";
import type { Invariant, Seen } from "./invariant.js";
import { eventsOf } from "./journal.js";

const ACTIONS: Readonly<Record<string, string>> = { started: "connect", exit: "disconnect", recycle: "disconnect" };

export class NetworkEvents implements Invariant {
  stepped({ notes, outputs, ledger }: Seen): void {
    const expected = notes.flatMap((note) => {
      if (note.tag !== "moved") return [];
      const { container, rule } = note.val;
      const [action, network] = [ACTIONS[rule.cause], networkOf(ledger, container)];
      return action === undefined || network === null ? [] : [`${action} ${container} ${network}`];
    });
    const told = eventsOf(outputs.records)
      .filter(({ type, action }) => type === "network" && action.endsWith("connect"))
      .map(({ action, attributes }) => `${action} ${attributes.get("container")} ${attributes.get("name")}`);
    if (told.join() === expected.join()) return;
    throw new Breach("events", `network events are: ${told.join()}; they should be: ${expected.join()}`);
  }
}

/** Null if the container has no network of its own. */
function networkOf(ledger: Ledger, id: string): string | null {
  const record = ledger.json<{ networkMode: string; networkDisabled?: boolean }>(`container/${id}`);
  if (record === undefined || record.networkDisabled === true) return null;
  const name = record.networkMode === "default" ? "bridge" : record.networkMode;
  const names = ledger.keys("network/").map((key) => ledger.json<{ name: string }>(`network/${key}`)?.name);
  return names.includes(name) ? name : null;
}
