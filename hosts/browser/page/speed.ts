// How fast the world's time passes, as the visitor chooses it.

import type { Pace } from "../../simulated/time.js";
import type { Session } from "../session/session.js";

/** Stretches what happens, so that a container's start takes a second; longer waits pass in real time. */
export const WATCHING = "watching";

export type Speed = Pace | typeof WATCHING;

/** What a visitor can choose from: named for what they show. */
export const SPEEDS: readonly { id: string; label: string; speed: Speed }[] = [
  { id: "watch", label: "each step", speed: WATCHING },
  { id: "1", label: "real time", speed: { times: 1 } },
  { id: "10", label: "10× faster", speed: { times: 10 } },
  { id: "fast", label: "no waiting", speed: "fast" },
];

/** Short times are made so many times as long… */
const STRETCH = 40;
/** …but none longer than this, in nanoseconds, if it is not that long by itself. */
const LONGEST = 800_000_000;

/** Which pace a speed asks for: for watching it depends on what comes next. */
export class Motion {
  #of: Session | null = null;
  #next: bigint | null = null;
  #pace: Pace = { times: 1 };

  /** Pace at this moment. Until the world's next event it stays the same. */
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
