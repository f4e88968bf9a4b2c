// What a copy of the engine says to questions that stories hardly ever ask: events of one moment, prunes by filters,
// removals of each image, the oldest version.

import type { types } from "../../../../hosts/shared/host.js";
import { Breach } from "../../breach.js";
import type { Spares } from "../../spares.js";
import type { AtRest, Invariant, Seen } from "../invariant.js";
import { Copies } from "./copy.js";
import { expectEvents, type Stamped, stampedIn } from "./events.js";
import { expectImages } from "./images.js";
import { expectPrunes } from "./prunes.js";

const VERSIONS = ["1.24", "1.55"];
/** Step of which images are asked, too: who needs one mostly needs it at rest no more. */
const EACH = 100;
/** Of the newest events. */
const MOST = 5;

export class Asked implements Invariant {
  readonly #spares: Spares;
  #snapshot: (() => Uint8Array) | null = null;
  /** Of the newest step. */
  #now: types.Instant = { wall: 0n, monotonic: 0n };
  /** Since the engine was opened, the newest last. */
  #events: Stamped[] = [];

  constructor(spares: Spares) {
    this.#spares = spares;
  }

  stepped({ opening, outputs, snapshot, now, ledger, count }: Seen): void {
    if (opening !== null) this.#events = [];
    this.#events = [...this.#events, ...stampedIn(outputs.records)].slice(-MOST);
    [this.#snapshot, this.#now] = [snapshot, now];
    if (opening === null && count % EACH === 0) expectImages(new Copies(this.#spares, snapshot(), now), ledger);
  }

  crashed(): void {
    this.#snapshot = null;
  }

  rested({ ledger }: AtRest): void {
    if (this.#snapshot === null) return;
    const copies = new Copies(this.#spares, this.#snapshot(), this.#now);
    for (const version of VERSIONS) {
      const { status } = copies.ask("GET", `/v${version}/version`);
      if (status !== 200) throw new Breach("asked", `version ${version} is answered ${status}`);
    }
    expectEvents(copies, this.#events, this.#now);
    expectPrunes(copies, ledger);
    expectImages(copies, ledger);
  }
}
