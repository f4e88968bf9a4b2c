// Asks copies of the engine questions that stories rarely ask: events of one moment, prunes with filters, removals of
// each image, the builder's cache, the oldest API version.

import type { types } from "../../../../hosts/shared/host.js";
import { Breach } from "../../breach.js";
import type { Spares } from "../../spares.js";
import type { Replies } from "../replies.js";
import type { AtRest, Invariant, Seen } from "../invariant.js";
import { expectCaches } from "./caches.js";
import { Copies } from "./copy.js";
import { expectEvents, type Stamped, stampedIn } from "./events.js";
import { expectImages } from "./images.js";
import { expectPrunes } from "./prunes.js";

const VERSIONS = ["1.24", "1.55"];
/** Images are also checked at every 100th step, because few are in use any more at rest. */
const EACH = 100;
/** This many of the newest events are kept. */
const MOST = 5;

export class Asked implements Invariant {
  readonly #spares: Spares;
  readonly #replies: Replies;
  #snapshot: (() => Uint8Array) | null = null;
  /** The time of the newest step. */
  #now: types.Instant = { wall: 0n, monotonic: 0n };
  /** Events since the engine was opened, the newest last. */
  #events: Stamped[] = [];

  constructor(spares: Spares, replies: Replies) {
    [this.#spares, this.#replies] = [spares, replies];
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
      if (status !== 200) throw new Breach("asked", `a request of version ${version} gets ${status}`);
    }
    expectEvents(copies, this.#events, this.#now);
    expectPrunes(copies, ledger);
    expectImages(copies, ledger);
    if (!this.#replies.areBuilding) expectCaches(copies, ledger);
  }
}
