// Checks that a run has one `mount` event for each of its volumes when it starts, and one `unmount` event when it
// ends.

import { Breach } from "../breach.js";
import { type Ledger, isVolume } from "../ledger.js";
import type { Invariant, Seen } from "./invariant.js";
import { eventsOf } from "./journal.js";

const ACTIONS: Readonly<Record<string, string>> = { started: "mount", exit: "unmount", recycle: "unmount" };

export class VolumeEvents implements Invariant {
  stepped({ notes, outputs, ledger }: Seen): void {
    const expected = notes.flatMap((note) => {
      const action = note.tag === "moved" ? ACTIONS[note.val.rule.cause] : undefined;
      if (note.tag !== "moved" || action === undefined) return [];
      return volumesOf(ledger, note.val.container).map((name) => `${action} ${name} ${note.val.container}`);
    });
    const told = eventsOf(outputs.records)
      .filter(({ type, action }) => type === "volume" && action.endsWith("mount"))
      .map(({ action, id, attributes }) => `${action} ${id} ${attributes.get("container")}`);
    if (told.join() === expected.join()) return;
    throw new Breach("events", `volume events are: ${told.join()}; they should be: ${expected.join()}`);
  }
}

function volumesOf(ledger: Ledger, container: string): string[] {
  const mounts = ledger.containers.get(container)?.mounts ?? [];
  return mounts.filter(isVolume).map(({ name }) => name);
}
