// The banner that is shown while the page shows an earlier moment, with the two ways back. It lies over the columns, so
// that nothing on the page moves.

import type { Recording } from "../session/session.js";
import { usePlayground, useSession } from "./context.js";

export function Past() {
  const playground = usePlayground();
  const session = useSession();
  const looking = session.looking.value;
  if (session.recording !== null) return <Recorded recording={session.recording} />;
  if (looking === null) return null;
  const branch = async (): Promise<void> => {
    const next = await playground.run(session.branch(looking));
    if (next !== undefined) await playground.replace(next, { kind: "branch" });
  };
  return (
    <div class="past" role="status">
      <p>
        <strong>You are looking at the past</strong>{" "}
        <span class="small">A request that you send now begins a branch.</span>
      </p>
      <button type="button" onClick={() => void branch()}>
        Continue from here
      </button>
      <button type="button" class="primary" onClick={() => session.goTo(null)}>
        Back to now
      </button>
    </div>
  );
}

/** A recording has no world in which it could continue. */
function Recorded({ recording: { name, remark } }: { recording: Recording }) {
  const playground = usePlayground();
  return (
    <div class="past" role="status">
      <p>
        <strong>This is a recording: {name}</strong>{" "}
        <span class="small">
          {remark} Its world is not simulated here: you can look at any moment, but you cannot continue from it.
        </span>
      </p>
      <button type="button" class="primary" onClick={() => void playground.run(playground.startAfresh())}>
        Close the recording
      </button>
    </div>
  );
}
