// Controls of time: play, pause, step, speed, and back to any moment.

import { useEffect, useState } from "preact/hooks";
import type { Session } from "../../session/session.js";
import { usePlayground, useSession } from "../context.js";
import { shortIds } from "../words.js";
import { BreakIt } from "./break-it.js";
import { Clock } from "./clock.js";
import { Marks } from "./marks.js";
import { SpeedMenu } from "./speed-menu.js";
import { StepList } from "./step-list.js";
import { shownSteps, stepAfter, stepBefore } from "./steps.js";

export function Timeline() {
  const session = useSession();
  const [listed, setListed] = useState(false);
  return (
    <footer class="timeline" aria-label="Timeline">
      {listed && <StepList />}
      <div class="timeline-bar">
        <Transport session={session} />
        <Scrubber session={session} />
        {session.recording === null && <SpeedMenu />}
        <button type="button" aria-expanded={listed} onClick={() => setListed(!listed)}>
          Steps
        </button>
        {session.recording === null && <BreakIt />}
      </div>
    </footer>
  );
}

/** In the past it changes the selected moment; now it moves the world. */
function Transport({ session }: { session: Session }) {
  const playground = usePlayground();
  const looking = session.looking.value;
  const paused = session.pace.value === "stopped";
  const [replaying, setReplaying] = useState(false);
  const forward = (): void => {
    if (looking === null) void playground.run(session.step());
    else session.goTo(stepAfter(session, looking));
  };
  useEffect(() => {
    if (looking === null) setReplaying(false);
    if (!replaying || looking === null) return;
    const timer = setTimeout(() => session.goTo(stepAfter(session, looking)), 500);
    return () => clearTimeout(timer);
  }, [replaying, looking, session]);
  const plays = looking === null ? !paused : replaying;
  const toggle = (): void => {
    if (looking !== null) setReplaying(!replaying);
    else if (session.recording !== null) playAgain();
    else if (paused) playground.play();
    else session.setPace("stopped");
  };
  const playAgain = (): void => {
    session.goTo(shownSteps(session)[0]?.number ?? null);
    setReplaying(true);
  };
  const back = (): void => session.goTo(stepBefore(session, looking));
  const first = shownSteps(session)[0]?.number;
  return (
    <div class="transport" role="group" aria-label="Play">
      <button
        type="button"
        class="icon"
        aria-label="Step back"
        disabled={first === undefined || (looking !== null && looking <= first)}
        onClick={back}
      >
        <Icon path="M6 5v10M15 5 8 10l7 5Z" />
      </button>
      <button type="button" class="icon" aria-label={plays ? "Pause" : "Play"} onClick={toggle}>
        <Icon path={plays ? "M7 5v10M13 5v10" : "M7 4.5 15 10l-8 5.5Z"} />
      </button>
      <button
        type="button"
        class="icon"
        aria-label="Step forward"
        disabled={looking === null && (!paused || session.recording !== null)}
        onClick={forward}
      >
        <Icon path="M14 5v10M5 5l7 5-7 5Z" />
      </button>
    </div>
  );
}

function Icon({ path }: { path: string }) {
  return (
    <svg viewBox="0 0 20 20" width="20" height="20" aria-hidden="true">
      <path d={path} fill="currentColor" stroke="currentColor" stroke-width="2" stroke-linejoin="round" />
    </svg>
  );
}

function Scrubber({ session }: { session: Session }) {
  const steps = shownSteps(session);
  const looking = session.looking.value;
  const at = looking === null ? steps.length - 1 : steps.findLastIndex((step) => step.number <= looking);
  const step = steps[at];
  const scrub = (place: number): void => {
    session.goTo(place >= steps.length - 1 ? null : (steps[place]?.number ?? null));
  };
  return (
    <label class="scrubber">
      <span class="unseen">Moment</span>
      <input
        type="range"
        min={0}
        max={Math.max(0, steps.length - 1)}
        value={Math.max(0, at)}
        disabled={steps.length < 2}
        aria-valuetext={looking === null ? `now, after ${steps.length} steps` : `step ${looking}: ${step?.cause ?? ""}`}
        onInput={(event) => scrub(Number(event.currentTarget.value))}
      />
      <Marks steps={steps} />
      <span class="small muted scrubber-text">
        <span class="clip grow">{shortIds(step?.cause ?? "")}</span>
        <Clock />
      </span>
    </label>
  );
}
