// How fast the world's time passes.

import { usePlayground } from "../context.js";
import type { Speed } from "../speed.js";

const SPEEDS: readonly { id: string; label: string; speed: Speed }[] = [
  { id: "slow", label: "slow", speed: "slow motion" },
  { id: "1", label: "1×", speed: { times: 1 } },
  { id: "10", label: "10×", speed: { times: 10 } },
  { id: "fast", label: "fast", speed: "fast" },
];

export function SpeedMenu() {
  const playground = usePlayground();
  const chosen = SPEEDS.find((one) => one.speed === playground.speed.value) ?? SPEEDS[0]!;
  const choose = (id: string): void => {
    playground.speed.value = SPEEDS.find((one) => one.id === id)!.speed;
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
