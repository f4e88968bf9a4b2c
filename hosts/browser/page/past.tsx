// Says that what is seen is the past, and offers the two ways out of it.

import { usePlayground, useSession } from "./context.js";
import { clockTime } from "./words.js";

export function Past() {
  const playground = usePlayground();
  const session = useSession();
  const looking = session.looking.value;
  if (looking === null) return null;
  const step = session.steps.value[looking];
  const branch = async (): Promise<void> => {
    const next = await playground.run(session.branch(looking));
    if (next !== undefined) playground.replace(next);
  };
  return (
    <div class="past" role="status">
      <p>
        <strong>You are looking at the past</strong>
        {step && ` – step ${step.number}, ${clockTime(step.wall)}: ${step.cause}`}
      </p>
      <span class="grow" />
      <button type="button" onClick={() => void branch()}>
        Go on from here
      </button>
      <button type="button" class="primary" onClick={() => session.goTo(null)}>
        Back to now
      </button>
    </div>
  );
}
