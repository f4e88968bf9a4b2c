// The "about" dialog: what this page is, and which core it runs.

import type { RefObject } from "preact";
import { useSession } from "./context.js";

export function About({ dialog }: { dialog: RefObject<HTMLDialogElement | null> }) {
  const session = useSession();
  return (
    <dialog ref={dialog} aria-labelledby="about-title" class="stack">
      <h2 id="about-title">About this page</h2>
      <p>
        A container engine decides what to do; a host does it. The engine in this page is the same WebAssembly that runs
        containers on Linux. Its host here is a simulated world: processes, files, networks and registries that behave
        like real ones, in simulated time. Nothing leaves your browser.
      </p>
      <p>Every answer, event and record that you see was made by the engine. The rest of the page only shows it.</p>
      <dl class="facts">
        <dt>Core (SHA-256)</dt>
        <dd>
          <code class="breakable">{session.core.hash}</code>
        </dd>
        <dt>Seed of the world</dt>
        <dd>
          <code>{session.seed}</code>
        </dd>
      </dl>
      <p class="small muted">
        Keyboard: Ctrl+Enter sends the request that you are in. Space plays and pauses when the timeline has the focus;
        its arrow keys go from step to step.
      </p>
      <form method="dialog" class="row">
        <span class="grow" />
        <button class="primary">Close</button>
      </form>
    </dialog>
  );
}
