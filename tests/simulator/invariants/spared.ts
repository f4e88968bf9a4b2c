// When an engine is opened, no record of a container, a network or a volume is lost, however damaged: it is used, or kept
// as it was found under another key. What the machine has of the one that is kept so stays until somebody removes it.

import type { engine } from "../../../hosts/shared/host.js";
import { Breach } from "../breach.js";
import { isEqual, isReadable } from "../ledger.js";
import type { Opening } from "../../../hosts/driver/observer.js";
import type { AtRest, Invariant, Seen } from "./invariant.js";

export const SET_ASIDE = "damaged/";
const KINDS = /^(container|network|volume)\//;

export class Spared implements Invariant {
  /** What the newest engine was opened with, damaged records included; null if nothing had become of them. */
  found: Opening | null = null;
  /** Those whose records were set aside, and whose files the machine had. */
  readonly #containers = new Set<string>();

  stepped({ opening, ledger }: Seen): void {
    if (opening === null || this.found === null) return;
    const { records, inventory } = this.found;
    const { records: kept } = ledger;
    for (const { key, value } of records) {
      // What cannot be read cannot be used, whatever has taken its place.
      if (!KINDS.test(key) || (kept.has(key) && isReadable({ key, value }))) continue;
      if (!isEqual(kept.get(SET_ASIDE + key), value)) broken(`${key} is neither used nor set aside as it was found`);
    }
    for (const id of inventory.containers) if (isAside(kept, `container/${id}`)) this.#containers.add(id);
    this.#volumes(inventory, records, kept);
  }

  rested({ ledger, found }: AtRest): void {
    const gone = [...this.#containers].find(
      (id) => isAside(ledger.records, `container/${id}`) && !found.containers.includes(id),
    );
    if (gone !== undefined) broken(`files of ${gone}, whose record is damaged, are gone`);
  }

  /** Those of a damaged record are taken in again. */
  #volumes({ volumes }: engine.Inventory, stored: readonly engine.Stored[], kept: ReadonlyMap<string, unknown>): void {
    const recorded = new Set(stored.map(({ key }) => key));
    for (const name of volumes) {
      if (recorded.has(`volume/${name}`) && !kept.has(`volume/${name}`))
        broken(`volume ${name} is lost with its record`);
    }
  }
}

function isAside(records: ReadonlyMap<string, unknown>, key: string): boolean {
  return records.has(SET_ASIDE + key);
}

function broken(message: string): never {
  throw new Breach("spared", message);
}
