// The top of the page: its name and its global commands.

import { useRef } from "preact/hooks";
import { About } from "./about.js";
import { usePlayground, useSession } from "./context.js";
import { OpenTrace } from "./open-trace.js";
import { Share } from "./share.js";
import { ThemeButton } from "./theme-button.js";

export function Header() {
  const playground = usePlayground();
  const session = useSession();
  const about = useRef<HTMLDialogElement>(null);
  return (
    <header>
      <img src="icon.svg" width="24" height="24" alt="" />
      <h1>
        Coracle <span>playground</span>
      </h1>
      <p class="muted small">The Docker Engine API, answered by a container engine in this page</p>
      <span class="grow" />
      <button type="button" class="plain" onClick={() => void playground.run(playground.startAfresh())}>
        Start over
      </button>
      <OpenTrace />
      {session.recording === null && <Share />}
      <ThemeButton />
      <button type="button" class="plain" onClick={() => about.current?.showModal()}>
        About
      </button>
      <About dialog={about} />
    </header>
  );
}
