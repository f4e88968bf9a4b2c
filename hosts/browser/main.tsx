// Starts the page: with the session or lesson of the link, or with a new session and the first request of a lesson.

import { render } from "preact";
import { LESSONS } from "./lessons/lessons.js";
import { App } from "./page/app.js";
import { addFirst, lessonOf } from "./page/lessons/course.js";
import { Playground } from "./page/playground.js";
import { createSession } from "./session/create.js";
import { readFragment } from "./session/sharing/fragment.js";
import { packagedCore } from "./session/packaged-core.js";
import type { NamedCore, Session } from "./session/session.js";
import { fromFragment } from "./session/sharing/share.js";

async function begin(): Promise<void> {
  const core = packagedCore();
  const { session, remark } = await firstSession(core);
  const playground = new Playground(session ?? (await createSession({ core })));
  playground.notice.value = remark;
  await beginLesson(playground, session === null);
  const place = document.getElementById("app")!;
  place.replaceChildren();
  render(<App playground={playground} />, place);
  addEventListener("hashchange", () => void playground.run(openLink(playground, core)));
  await playground.run(keepOffline());
}

/** Rejects with a message for the visitor. The browser may have refused on purpose. */
async function keepOffline(): Promise<void> {
  try {
    await navigator.serviceWorker?.register("service-worker.js");
  } catch (error) {
    if (error instanceof DOMException && error.name === "SecurityError") return;
    throw new Error(
      "The script for offline use could not be fetched: without a network this page will not open again.",
    );
  }
}

/** The session of the link; null if a new one is needed. `remark` says why a link could not be opened. */
async function firstSession(core: NamedCore): Promise<{ session: Session | null; remark: string }> {
  const linked = readFragment(location.hash);
  if (linked.session === null) return { session: null, remark: remarkOnLesson(linked.lesson) };
  try {
    const { session, warnings } = await fromFragment(linked.session, core);
    return { session, remark: remarkOn(warnings) };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return { session: null, remark: `The link cannot be opened: ${reason}` };
  }
}

/** Opens the lesson of the link; without a link, the first lesson that is not done. */
async function beginLesson({ course, session }: Playground, isNew: boolean): Promise<void> {
  const linked = readFragment(location.hash);
  const isLink = linked.lesson !== null || linked.session !== null;
  const first = LESSONS.find(({ id }) => !course.finished.peek().has(id))?.id ?? null;
  const lesson = lessonOf(isLink ? linked.lesson : first)?.id ?? null;
  if (isNew) addFirst(session.peek(), lesson);
  if (lesson !== null) await course.tell({ kind: "resume", lesson });
}

/** Opens the link that the visitor entered or reached through the browser's history. */
async function openLink(playground: Playground, core: NamedCore): Promise<void> {
  const { lesson, session: text } = readFragment(location.hash);
  const known = lessonOf(lesson)?.id ?? null;
  playground.notice.value = remarkOnLesson(lesson);
  if (text !== null) {
    const { session, warnings } = await fromFragment(text, core);
    playground.take(session, known === null ? { kind: "leave" } : { kind: "resume", lesson: known });
    playground.notice.value = remarkOn(warnings);
  } else if (known !== null) await playground.course.tell({ kind: "choose", lesson: known });
}

/** Empty if there is nothing to say. */
function remarkOnLesson(id: string | null): string {
  if (id === null || lessonOf(id) !== null) return "";
  return `There is no lesson ${id}. The lessons are: ${LESSONS.map((lesson) => lesson.id).join(", ")}.`;
}

/** Warnings about a session opened from a link. */
function remarkOn(warnings: readonly string[]): string {
  return warnings.length > 0
    ? warnings.join(" ")
    : "Time stands still at the moment this session was shared. Press Play to continue.";
}

void begin();
