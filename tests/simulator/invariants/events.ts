// Checks the events of containers: each change has exactly one event, in its step and in order, and there are no
// others. A follower receives each of them.

import { Breach } from "../breach.js";
import type { AtRest, Invariant, Seen } from "./invariant.js";
import { type JournalEvent, eventsOf } from "./journal.js";
import { type ContainerRecord, parsed, wordOf } from "../ledger.js";
import { EventReplies } from "./event-replies.js";

/** The client that follows events for this invariant. */
export const WATCHER = "watcher";

const EVENT_OF_CAUSE: Readonly<Record<string, string>> = {
  started: "start",
  exit: "die",
  recycle: "die",
  pause: "pause",
  unpause: "unpause",
  "remove-done": "destroy",
};
const MOVES = new Set(Object.values(EVENT_OF_CAUSE));
const SIGKILL = "9";
const GOES_ON = new Set(["running", "paused"]);

export class Events implements Invariant {
  /** Events that the watcher has not received yet, the oldest first. */
  #untold: JournalEvent[] = [];
  #follows = false;
  #rest = "";
  readonly #replies = new EventReplies();
  readonly #created = new Set<string>();
  /** Containers whose current run got SIGKILL. */
  readonly #killed = new Set<string>();
  /** How many kills for lack of memory were reported for each container's run. */
  readonly #short = new Map<string, number>();

  stepped(seen: Seen): void {
    const { input, outputs } = seen;
    if (seen.opening !== null) this.#opened(seen.opening);
    const events = eventsOf(outputs.records);
    const own = events.filter(({ type }) => type === "container");
    this.#signals(outputs.effects, own);
    this.#moves(seen, own);
    this.#memory(seen, own);
    for (const event of own) this.#caused(event, own, seen);
    expectDetached(seen, own);
    this.#replies.stepped(seen, events);
    if (input?.tag === "request" && input.val.headers.includes(`sim/${WATCHER}`)) this.#follows = true;
    if (this.#follows) this.#untold.push(...events);
  }

  /** Forgets events of the instance before that were not committed. */
  #opened({ records }: NonNullable<Seen["opening"]>): void {
    this.#short.clear();
    for (const { key, value } of records) {
      if (!key.startsWith("container/")) continue;
      const { id, creating, memoryKills = 0 } = parsed(value) as ContainerRecord;
      if (memoryKills > 0) this.#short.set(id, memoryKills);
      if (creating === true) this.#created.delete(id);
    }
  }

  /** Takes bytes that the watcher receives. */
  told(piece: string): void {
    const lines = (this.#rest + piece).split("\n");
    this.#rest = lines.pop() ?? "";
    for (const line of lines) if (line.trim() !== "") this.#event(JSON.parse(line) as DockerEvent);
  }

  crashed(): void {
    this.#untold = [];
    this.#follows = false;
    this.#rest = "";
    this.#replies.crashed();
  }

  rested(_: AtRest): void {
    const [event] = this.#untold;
    if (event !== undefined) broken(`the watcher did not receive ${event.action} of ${event.id}`);
  }

  #moves({ notes, ledger }: Seen, own: readonly JournalEvent[]): void {
    const told = new Map<string, JournalEvent[]>();
    for (const event of own) {
      if (MOVES.has(event.action)) told.set(event.id, [...(told.get(event.id) ?? []), event]);
    }
    const moves = notes.flatMap((note) => (note.tag === "moved" ? [note.val] : []));
    for (const { container, rule } of moves) {
      const action = EVENT_OF_CAUSE[rule.cause];
      if (action === undefined) continue;
      const [next, ...rest] = told.get(container) ?? [];
      if (next?.action === action) told.set(container, rest);
      // A paused container that is thawed only to die of SIGKILL causes no event.
      else if (action !== "unpause" || !this.#killed.has(container)) {
        broken(`${container} has moved by ${rule.cause}, and its event is ${next?.action ?? "missing"}`);
      }
    }
    for (const [container, [event]] of told) {
      // The removed container had only a damaged record.
      if (event?.action === "destroy" && ledger.changed.includes(`damaged/container/${container}`)) continue;
      if (event !== undefined) broken(`there is an event ${event.action} of ${container}, which has not changed`);
    }
  }

  /** Each sent signal has its event. */
  #signals(effects: Seen["outputs"]["effects"], own: readonly JournalEvent[]): void {
    const sent = effects.flatMap(({ to, command }) => {
      if (to !== "processes" || command.tag !== "signal") return [];
      return [`${command.val.subject.container} ${command.val.number}`];
    });
    const kills = own.filter(({ action }) => action === "kill");
    const told = kills.map(({ id, attributes }) => `${id} ${attributes.get("signal") ?? ""}`);
    if (sent.join() !== told.join()) broken(`signals: ${sent.join() || "none"}; events: ${told.join() || "none"}`);
    for (const { id, attributes } of kills) if (attributes.get("signal") === SIGKILL) this.#killed.add(id);
    for (const { id, action } of own) if (action === "start") this.#killed.delete(id);
  }

  /**
   * There is one event each time the host reports more kills of a run. Kills while no engine ran count at its start.
   */
  #memory({ input, opening, ledger }: Seen, own: readonly JournalEvent[]): void {
    for (const { id, action } of own) {
      if (action === "start") this.#short.delete(id);
      if (action !== "oom") continue;
      const kills = killsTold(id, input, opening);
      if (kills === 0) broken(`there is an event oom of ${id}, but the kernel killed nothing`);
      if (kills <= (this.#short.get(id) ?? 0)) broken(`there are two events oom of ${id}`);
      this.#short.set(id, kills);
    }
    const found = opening?.inventory.processes.map(({ container, run, memoryKills }) => [container, run, memoryKills]);
    const told = input?.tag === "out-of-memory" ? [[input.val.container, input.val.run, input.val.kills]] : found;
    for (const [id, run, kills] of (told ?? []) as [string, number, number][]) {
      const record = ledger.containers.get(id);
      if (record === undefined || record.run !== run || !GOES_ON.has(wordOf(record))) continue;
      if (kills > (this.#short.get(id) ?? 0)) broken(`there is no event oom of ${id}`);
    }
    const isOver = own.some(
      ({ id, action }) => action === "die" && input?.tag === "exited" && input.val.container === id,
    );
    if (input?.tag !== "exited" || !isOver || !input.val.exit.outOfMemory) return;
    if (!this.#short.has(input.val.container)) broken(`there is no event oom of ${input.val.container}`);
  }

  /** Checks events that follow from another event or from the record. */
  #caused(
    { id, action, attributes }: JournalEvent,
    own: readonly JournalEvent[],
    { input, notes, ledger }: Seen,
  ): void {
    const isTold = (other: string): boolean => own.some((one) => one.id === id && one.action === other);
    const isCancelled = notes.some(
      (note) => note.tag === "moved" && note.val.container === id && note.val.rule.cause === "cancel",
    );
    if (action === "create" && this.#created.has(id)) broken(`there are two events create of ${id}`);
    if (action === "create") this.#created.add(id);
    if (action === "restart" && !isTold("start")) broken(`there is an event restart of ${id}, but it has not started`);
    if (action === "stop" && !isTold("die") && !isCancelled)
      broken(`there is an event stop of ${id}, but it still runs`);
    if (action === "die" && input?.tag === "exited" && input.val.container === id) {
      const [told, code] = [attributes.get("exitCode"), String(input.val.exit.code)];
      if (told !== code) broken(`there is an event die of ${id} with the exit code ${told}, not ${code}`);
    }
    const name = ledger.containers.get(id)?.name;
    if (action === "rename" && (name !== attributes.get("name") || attributes.get("oldName") === `/${name}`)) {
      broken(`there is an event rename of ${id} to ${attributes.get("name")}, but its name is ${name}`);
    }
  }

  #event({ Type, Action, Actor: { ID } }: DockerEvent): void {
    const next = this.#untold.shift();
    if (next?.type === Type && next.action === Action && next.id === ID) return;
    const expected = next === undefined ? "nothing" : `${next.action} of ${next.id}`;
    broken(`the watcher received ${Type} ${Action} of ${ID} instead of ${expected}`);
  }
}

/** Only a client that sends the detach keys causes a detach event. A client that hangs up does not. */
function expectDetached({ input }: Seen, own: readonly JournalEvent[]): void {
  const isMeant = input?.tag === "closed" && input.val.why === "detached";
  const told = own.find(({ action }) => action === "detach" || action === "exec_detach");
  if (told !== undefined && !isMeant) broken(`there is an event ${told.action} of ${told.id} without detach keys`);
}

function broken(message: string): never {
  throw new Breach("events", message);
}

interface DockerEvent {
  Type: string;
  Action: string;
  Actor: { ID: string };
}

/** How many kills of a container's run the host reports in this step. */
function killsTold(id: string, input: Seen["input"], opening: Seen["opening"]): number {
  if (input?.tag === "out-of-memory" && input.val.container === id) return input.val.kills;
  if (input?.tag === "exited" && input.val.container === id) return input.val.exit.outOfMemory ? 1 : 0;
  const found = opening?.inventory.processes.find(({ container }) => container === id);
  if (found === undefined || found.memoryKills > 0) return found?.memoryKills ?? 0;
  return found.state.tag === "exited" && found.state.val.outOfMemory ? 1 : 0;
}
