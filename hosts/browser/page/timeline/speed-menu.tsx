// A menu for the speed of the world's time.

import { usePlayground } from "../context.js";
import { SPEEDS } from "../speed.js";

export function SpeedMenu() {
  const playground = usePlayground();
  const chosen = SPEEDS.find((one) => one.speed === playground.speed.value) ?? SPEEDS[0]!;
  const choose = (id: string): void => {
    playground.speed.value = SPEEDS.find((one) => one.id === id)!.speed;
  };
  return (
    <label title="Speed of the world's time: each step slowed down for watching, real time, or no waiting">
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
