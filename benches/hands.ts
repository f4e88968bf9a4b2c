// Clients that work at the same time, each on its own connection.
import type { RunningEngine } from "../tests/support/engines.js";
import { onWire, type Wire } from "./wire.js";

export const HANDS = 8;

/** Takes this many turns; each goes to the next free client. */
export async function byHands(
  engine: RunningEngine,
  turns: number,
  act: (wire: Wire, turn: number) => Promise<unknown>,
  hands: number = HANDS,
): Promise<void> {
  let next = 0;
  const work = async (wire: Wire): Promise<void> => {
    while (next < turns) await act(wire, next++);
  };
  await Promise.all(Array.from({ length: hands }, () => onWire(engine, work)));
}
