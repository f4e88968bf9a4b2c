// How fast the world's time passes.

import type { Pace } from "../../../simulated/time.js";
import { usePlayground, useSession } from "../context.js";

const SPEEDS: readonly { id: string; label: string; pace: Pace }[] = [
  { id: "slow", label: "slow", pace: { times: 0.05 } },
  { id: "1", label: "1×", pace: { times: 1 } },
  { id: "10", label: "10×", pace: { times: 10 } },
  { id: "fast", label: "fast", pace: "fast" },
];

export function Speed() {
  const playground = usePlayground();
  const session = useSession();
  const chosen = SPEEDS.find((one) => same(one.pace, playground.pace.value)) ?? SPEEDS[1]!;
  const choose = (id: string): void => {
    const { pace } = SPEEDS.find((one) => one.id === id)!;
    playground.pace.value = pace;
    if (session.pace.value !== "stopped") session.setPace(pace);
  };
  return (
    <label>
      <span class="unseen">Speed</span>
      <select value={chosen.id} onChange={(event) => choose(event.currentTarget.value)}>
        {SPEEDS.map(({ id, label }) => (
          <option key={id} value={id}>
            {label}
          </option>
        ))}
      </select>
    </label>
  );
}

function same(a: Pace, b: Pace): boolean {
  return typeof a === "object" && typeof b === "object" ? a.times === b.times : a === b;
}
