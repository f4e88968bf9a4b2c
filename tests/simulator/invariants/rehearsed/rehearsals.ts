// Rehearses on a copy of the engine what stories rarely do: small plays, each of which must go as it does in every state
// of rest. The copy has a machine of its own, on which everything succeeds. The first rest of a story has all plays, and
// each later one a third of them, in turn.

import type { types } from "../../../../hosts/shared/host.js";
import { Breach as NeverAsked } from "../../../core/crash/world.js";
import { Breach } from "../../breach.js";
import { Machine } from "../../forks/machine.js";
import type { Ledger } from "../../ledger.js";
import type { Spares } from "../../spares.js";
import type { AtRest, Invariant, Seen } from "../invariant.js";
import { rehearseAddresses } from "./addresses.js";
import type { Rehearsal } from "./acts.js";
import { rehearseHealth } from "./health.js";
import { rehearseNames } from "./names.js";
import { rehearseNetworkLives } from "./network-lives.js";
import { rehearseOthers } from "./others.js";
import { rehearseRestarts } from "./restarts.js";
import { Scene } from "./scene.js";
import { rehearseShared } from "./shared.js";
import { rehearseStops } from "./stops.js";
import { rehearseVolumes } from "./volumes.js";

const PLAYS: readonly ((rehearsal: Rehearsal) => void)[] = [
  rehearseStops,
  rehearseRestarts,
  rehearseAddresses,
  rehearseNames,
  rehearseNetworkLives,
  rehearseVolumes,
  rehearseShared,
  rehearseHealth,
  rehearseOthers,
];

/** After the first rest, the plays are shared out among so many rests. */
const SHARES = 3;

export class Rehearsals implements Invariant {
  readonly #spares: Spares;
  /** How many rests had plays. */
  #rests = 0;
  #snapshot: (() => Uint8Array) | null = null;
  /** The time of the newest step. */
  #now: types.Instant = { wall: 0n, monotonic: 0n };

  constructor(spares: Spares) {
    this.#spares = spares;
  }

  stepped({ snapshot, now }: Seen): void {
    [this.#snapshot, this.#now] = [snapshot, now];
  }

  crashed(): void {
    this.#snapshot = null;
  }

  rested({ ledger, found }: AtRest): void {
    const image = imageIn(ledger);
    if (this.#snapshot === null || image === undefined) return;
    const snapshot = this.#snapshot();
    for (const play of this.#chosen()) {
      const instance = this.#spares.take();
      instance.restore(snapshot);
      rehearse(play, { scene: new Scene(instance, new Machine(found, ledger).world, this.#now), image, created: 0 });
      this.#spares.give(instance);
    }
  }

  #chosen(): typeof PLAYS {
    const rest = this.#rests++;
    return rest === 0 ? PLAYS : PLAYS.filter((_, at) => at % SHARES === rest % SHARES);
  }
}

function rehearse(play: (rehearsal: Rehearsal) => void, rehearsal: Rehearsal): void {
  try {
    play(rehearsal);
  } catch (error) {
    // What the core must never ask of its machine.
    throw error instanceof NeverAsked ? new Breach("rehearsed", error.message) : error;
  }
}

/** None if it is unknown what damaged records need. */
function imageIn(ledger: Ledger): string | undefined {
  return ledger.keys("damaged/").length > 0 ? undefined : ledger.keys("image/")[0];
}
