// Checks that an opened engine loses no record of a container, a network or a volume, even a damaged one. It uses the
// record, or keeps it unchanged under another key. The machine's objects of such a record stay until a client removes
// them.

import type { engine } from "../../../hosts/shared/host.js";
import { Breach } from "../breach.js";
import { isEqual, isReadable } from "../ledger.js";
import type { Opening } from "../../../hosts/driver/observer.js";
import type { AtRest, Invariant, Seen } from "./invariant.js";

export const SET_ASIDE = "damaged/";
const KINDS = /^(container|network|volume)\//;

export class Spared implements Invariant {
  /** The data of the newest engine's opening, with damaged records. Null if none were lost or damaged. */
  found: Opening | null = null;
  /** Containers whose records were set aside and that have files on the machine. */
  readonly #containers = new Set<string>();

  stepped({ opening, ledger }: Seen): void {
    if (opening === null || this.found === null) return;
    const { records, inventory } = this.found;
    const { records: kept } = ledger;
    for (const { key, value } of records) {
      // An unreadable record cannot be in use, even if there is another one under its key.
      if (!KINDS.test(key) || (kept.has(key) && isReadable({ key, value }))) continue;
      if (!isEqual(kept.get(SET_ASIDE + key), value)) broken(`${key} is neither used nor set aside unchanged`);
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

  /** Checks that volumes with damaged records get new records. */
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
