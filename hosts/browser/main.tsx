// Begins the page: the session that a link holds, or a new one with the first request of the first lesson.

import { render } from "preact";
import { LESSONS } from "./lessons/lessons.js";
import { App } from "./page/app.js";
import { Playground, addFirst } from "./page/playground.js";
import { createSession } from "./session/create.js";
import { packagedCore } from "./session/packaged-core.js";
import type { NamedCore, Session } from "./session/session.js";
import { fromFragment } from "./session/share.js";

async function begin(): Promise<void> {
  const core = packagedCore();
  const { session, remark } = await firstSession(core);
  const playground = new Playground(session);
  playground.notice.value = remark;
  if (location.hash.length < 2)
    playground.lesson.value = LESSONS.find(({ id }) => !playground.finished.value.has(id))?.id ?? null;
  const place = document.getElementById("app")!;
  place.replaceChildren();
  render(<App playground={playground} />, place);
  addEventListener("hashchange", () => void playground.run(openLink(playground, core)));
  if (navigator.serviceWorker) void navigator.serviceWorker.register("service-worker.js");
}

/** A link that cannot be opened is told of, and a new session takes its place. */
async function firstSession(core: NamedCore): Promise<{ session: Session; remark: string }> {
  let remark = "";
  if (location.hash.length > 1) {
    try {
      const { session, warnings } = await fromFragment(location.hash.slice(1), core);
      return { session, remark: remarkOn(warnings) };
    } catch (error) {
      remark = `The link cannot be opened: ${error instanceof Error ? error.message : String(error)}`;
    }
  }
  const session = await createSession({ core });
  addFirst(session, null);
  return { session, remark };
}

async function openLink(playground: Playground, core: NamedCore): Promise<void> {
  if (location.hash.length < 2) return;
  const { session, warnings } = await fromFragment(location.hash.slice(1), core);
  playground.take(session);
  playground.notice.value = remarkOn(warnings);
}

/** What is to be known of a session that was opened from a link. */
function remarkOn(warnings: readonly string[]): string {
  return warnings.length > 0
    ? warnings.join(" ")
    : "Time stands still where this session was shared. Press Play to go on.";
}

void begin();
