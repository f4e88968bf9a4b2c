// Events tell what became of containers: each transition that has an event is told once, in its order, and none else.

import type { engine } from "../../../hosts/host.js";
import { Breach } from "../breach.js";
import type { AtRest, Invariant, Seen } from "./invariant.js";

/** Who follows events for this. */
export const WATCHER = "watcher";

const EVENT_OF_CAUSE: Readonly<Record<string, string>> = {
  started: "start",
  exit: "die",
  recycle: "die",
  pause: "pause",
  unpause: "unpause",
  "remove-done": "destroy",
};
const TOLD = new Set(Object.values(EVENT_OF_CAUSE));

export class Events implements Invariant {
  /** By container, the oldest first. */
  readonly #expected = new Map<string, string[]>();
  #follows = false;
  #rest = "";

  stepped({ input, notes }: Seen): void {
    if (input?.tag === "request" && input.val.headers.includes(`sim/${WATCHER}`)) this.#follows = true;
    if (!this.#follows) return;
    for (const note of notes) if (note.tag === "moved") this.#moved(note.val);
  }

  /** Bytes that the watcher is sent. */
  told(piece: string): void {
    const lines = (this.#rest + piece).split("\n");
    this.#rest = lines.pop() ?? "";
    for (const line of lines) if (line.trim() !== "") this.#event(JSON.parse(line) as DockerEvent);
  }

  crashed(): void {
    this.#expected.clear();
    this.#follows = false;
    this.#rest = "";
  }

  rested(_: AtRest): void {
    for (const [container, [action]] of this.#expected) {
      if (action !== undefined) throw new Breach("events", `nobody was told of ${action} of ${container}`);
    }
  }

  #moved({ container, rule }: engine.Moved): void {
    const action = EVENT_OF_CAUSE[rule.cause];
    if (action === undefined) return;
    const expected = this.#expected.get(container);
    if (expected === undefined) this.#expected.set(container, [action]);
    else expected.push(action);
  }

  #event({ Type, Action, Actor: { ID } }: DockerEvent): void {
    if (Type !== "container" || !TOLD.has(Action)) return;
    const queue = this.#expected.get(ID) ?? [];
    // Of one that SIGKILL thaws, so that it can die, nobody is told.
    if (queue[0] === "unpause" && queue[1] === Action) queue.shift();
    const expected = queue.shift();
    if (expected !== Action) {
      throw new Breach("events", `${Action} of ${ID} was told; ${expected ?? "nothing"} had become of it`);
    }
  }
}

interface DockerEvent {
  Type: string;
  Action: string;
  Actor: { ID: string };
}
