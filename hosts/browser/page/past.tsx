// Says that what is seen is the past, and offers the two ways out of it. It lies over the columns: looking back moves
// nothing on the page.

import { usePlayground, useSession } from "./context.js";

export function Past() {
  const playground = usePlayground();
  const session = useSession();
  const looking = session.looking.value;
  if (looking === null) return null;
  const branch = async (): Promise<void> => {
    const next = await playground.run(session.branch(looking));
    if (next !== undefined) await playground.replace(next);
  };
  return (
    <div class="past" role="status">
      <p>
        <strong>You are looking at the past</strong> <span class="small">What you send now begins a branch.</span>
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
