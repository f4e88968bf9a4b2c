// The speed of the world's time that the visitor chose.

import type { Pace } from "../../simulated/index.js";
import type { Session } from "../session/session.js";

/** Slows down what happens, so that a container's start takes a second; longer waits pass in real time. */
export const WATCHING = "watching";

export type Speed = Pace | typeof WATCHING;

/** The choices of a visitor, named by what they show. */
export const SPEEDS: readonly { id: string; label: string; speed: Speed }[] = [
  { id: "watch", label: "each step", speed: WATCHING },
  { id: "1", label: "real time", speed: { times: 1 } },
  { id: "10", label: "10× faster", speed: { times: 10 } },
  { id: "fast", label: "no waiting", speed: "fast" },
];

/** Short times are stretched by this factor… */
const STRETCH = 40;
/** …but to no more than this many nanoseconds, unless they are longer anyway. */
const LONGEST = 800_000_000;

/** Computes the pace for a speed. For watching, it depends on the next event. */
export class Motion {
  #of: Session | null = null;
  #next: bigint | null = null;
  #pace: Pace = { times: 1 };

  /** The current pace. It stays the same until the world's next event. */
  paceOf(session: Session, speed: Speed): Pace {
    if (speed !== WATCHING) return speed;
    const { next } = session;
    if (session === this.#of && next === this.#next) return this.#pace;
    [this.#of, this.#next] = [session, next];
    const gap = next === null ? LONGEST : Number(next - session.now().monotonic);
    this.#pace = { times: Math.min(1, Math.max(1 / STRETCH, gap / LONGEST)) };
    return this.#pace;
  }
}
