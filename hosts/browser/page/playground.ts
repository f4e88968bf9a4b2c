// The page's state: which session it shows, and which part of it. The session's own state is not duplicated here.

import { batch, effect, signal } from "@preact/signals";
import type { Cause } from "../lessons/progress.js";
import type { Reference } from "../reference/reference.js";
import type { Exchange } from "../session/exchange.js";
import { folderIn } from "../session/folder.js";
import type { TextFile, WrittenRequest } from "../session/request.js";
import type { Session } from "../session/session.js";
import { createSession } from "../session/create.js";
import { lessonFragment } from "../session/sharing/fragment.js";
import { toFragment } from "../session/sharing/share.js";
import { Course, addFirst } from "./lessons/course.js";
import { ConsoleRuns } from "./notebook/console-runs.js";
import { loadReference } from "./references.js";
import { Motion, WATCHING, type Speed } from "./speed.js";

export type Tab = "lessons" | "notebook" | "world";

export class Playground {
  readonly session;
  /** API version of new requests and of the reference. */
  readonly version = signal("1.41");
  readonly reference = signal<Reference | null>(null);
  /** The tab in front in the one-column layout. */
  readonly tab = signal<Tab>("notebook");
  readonly course: Course;
  /** Speed of the world while it is not paused. */
  readonly speed = signal<Speed>(WATCHING);
  /** A message that is shown once on the page and read by screen readers. */
  readonly notice = signal("");
  /** The cell to scroll to and focus. */
  readonly shown = signal<string | null>(null);
  /** Running console commands. */
  readonly runs = new ConsoleRuns();
  readonly #motion = new Motion();
  readonly #references = new Map<string, Promise<Reference>>();
  /** The last chosen trace. */
  #read: File | null = null;

  constructor(session: Session) {
    this.session = signal(session);
    this.course = new Course({
      session: this.session,
      fresh: async () => (await this.run(this.#fresh())) ?? null,
      show: async (next, lesson, shown) => {
        await this.#leave(lessonFragment(lesson, null));
        batch(() => {
          this.#show(next);
          shown();
        });
      },
    });
    effect(() => void this.#loadReference(this.version.value));
    effect(() => this.#keepPace());
  }

  /** Adds a request to the end of the notebook and scrolls to it. */
  add(request: WrittenRequest): void {
    this.show(this.session.value.add(request).id);
  }

  /** The files that `docker build .` sends. */
  folder(): readonly TextFile[] {
    return folderIn(
      this.session
        .peek()
        .cells.peek()
        .map((cell) => cell.request.peek()),
    );
  }

  /** Adds a request and sends it. */
  addAndSend(request: WrittenRequest): Promise<Exchange> {
    const cell = this.session.value.add(request);
    this.show(cell.id);
    return this.send(cell.id);
  }

  show(cell: string): void {
    batch(() => {
      this.tab.value = "notebook";
      this.shown.value = cell;
    });
  }

  /** Sends a cell. In the past it is sent in a branch, which then replaces the session. */
  async send(cell: string): Promise<Exchange> {
    const looking = this.session.value.looking.value;
    if (looking !== null) {
      const request = this.session.value.cells.value.find((one) => one.id === cell)!.request.value;
      const branch = await this.session.value.branch(looking);
      if (!branch.cells.value.some((one) => one.id === cell)) cell = branch.add(request).id;
      branch.edit(cell, request);
      await this.replace(branch, { kind: "branch" });
      this.notice.value = "This is a branch now: later steps have not happened.";
    }
    const session = this.session.value;
    const exchange = await session.send(cell);
    if (session.pace.value === "stopped" && exchange.state.value === "sending") {
      this.notice.value = "Time stands still. Press Play to get the answer.";
    }
    return exchange;
  }

  /** Lets the world's time continue. */
  play(): void {
    const session = this.session.value;
    session.setPace(this.#motion.paceOf(session, this.speed.value));
  }

  /**
   * Shows another session and ends the current one; the browser's back button restores it. The current one is saved
   * before the other appears, because the visitor may go back at once. `cause` is the effect on the lesson.
   */
  async replace(next: Session, cause: Cause): Promise<void> {
    const lesson = cause.kind === "branch" ? this.course.progress.peek().lesson : null;
    await this.#leave(lesson === null ? "" : lessonFragment(lesson, null));
    this.take(next, cause);
  }

  /** Shows another session and ends the current one. */
  take(next: Session, cause: Cause): void {
    batch(() => {
      this.#show(next);
      void this.course.tell(cause);
    });
  }

  #show(next: Session): void {
    const before = this.session.peek();
    this.session.value = next;
    void this.run(before.close());
  }

  /** A link to the session, with its lesson. */
  async link(): Promise<string> {
    const text = await toFragment(this.session.peek());
    return lessonFragment(this.course.progress.peek().lesson, text);
  }

  /** Shows a trace that another engine recorded. */
  async openTrace(file: File): Promise<void> {
    this.#read = file;
    this.notice.value = `Reading ${file.name}…`;
    // Loads the module on demand. Meanwhile the notice becomes visible.
    const [text, { openTrace }] = await Promise.all([file.text(), import("../session/recorded/open-trace.js")]);
    const session = await openTrace(file.name, text, this.session.value.core, (share) => this.#reads(file, share));
    if (session === null) return;
    await this.replace(session, { kind: "leave" });
    this.notice.value = "";
  }

  /** Shows the progress. False if another file was chosen since. */
  async #reads(file: File, share: number): Promise<boolean> {
    if (this.#read !== file) return false;
    this.notice.value = `Reading ${file.name}… ${5 * Math.floor(20 * share)} %`;
    await otherTasks();
    return true;
  }

  /** Opens a lesson in its own session, or closes it if it is open. */
  async openLesson(lesson: string): Promise<void> {
    if (this.course.progress.peek().lesson !== lesson) return this.course.tell({ kind: "choose", lesson });
    await this.course.tell({ kind: "close" });
    history.replaceState(null, "", pageWith(""));
  }

  /** Restarts the open lesson. */
  async startAfresh(): Promise<void> {
    if (this.course.lesson !== null) return this.course.tell({ kind: "restart" });
    const session = await this.#fresh();
    addFirst(session, null);
    await this.replace(session, { kind: "leave" });
  }

  #fresh(): Promise<Session> {
    const { core, seed, images } = this.session.peek();
    return createSession({ core, seed, images });
  }

  /** Waits for an action. Errors are shown on the page. */
  async run<T>(action: Promise<T>): Promise<T | undefined> {
    try {
      return await action;
    } catch (error) {
      this.notice.value = error instanceof Error ? error.message : String(error);
      return undefined;
    }
  }

  /** Saves the session as a link in the current history entry; the page's new entry gets `fragment`. */
  async #leave(fragment: string): Promise<void> {
    const isKept = this.session.peek().actions.peek().length > 0;
    const link = isKept ? await this.run(this.link()) : undefined;
    if (link !== undefined) {
      history.replaceState(null, "", pageWith(link));
      history.pushState(null, "", pageWith(fragment));
    } else history.replaceState(null, "", pageWith(fragment));
  }

  #keepPace(): void {
    const [session, speed] = [this.session.value, this.speed.value];
    void [session.steps.value, session.changes.value];
    const before = session.pace.peek();
    if (before === "stopped" || session.engine.peek() === "closed") return;
    const pace = this.#motion.paceOf(session, speed);
    if (pace !== before) session.setPace(pace);
  }

  async #loadReference(version: string): Promise<void> {
    const loading = this.#references.get(version) ?? loadReference(version);
    this.#references.set(version, loading);
    const reference = await this.run(loading);
    if (reference === undefined) this.#references.delete(version);
    else if (this.version.peek() === version) this.reference.value = reference;
  }
}

/** The page's address with this fragment. */
function pageWith(fragment: string): string {
  return location.pathname + location.search + (fragment === "" ? "" : `#${fragment}`);
}

/** Resolves after the page had a turn. Timers would work too, but they are throttled in a background tab. */
function otherTasks(): Promise<void> {
  const { port1, port2 } = new MessageChannel();
  return new Promise((resolve) => {
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(null);
  });
}
