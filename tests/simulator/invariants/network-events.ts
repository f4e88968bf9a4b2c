// Checks that a run has a `connect` event for each network when it starts and a `disconnect` event for each when it
// ends, on `host` and `none`, too, but not on another container's network. Networks that are connected or disconnected
// in between have theirs when the client is told.

import { Breach } from "../breach.js";
import { type ContainerRecord, type Ledger, RUNNING, wordOf } from "../ledger.js";
import type { Invariant, Seen } from "./invariant.js";
import { eventsOf } from "./journal.js";

const ACTIONS: Readonly<Record<string, string>> = { started: "connect", exit: "disconnect", recycle: "disconnect" };

type Endpoint = ContainerRecord["endpoints"][number];

export class NetworkEvents implements Invariant {
  /** Endpoints of the containers as they were when no network was being connected or disconnected. */
  #settled = new Map<string, readonly Endpoint[]>();
  /** Containers with a network that is being connected or disconnected. */
  readonly #rewired = new Set<string>();

  stepped({ notes, outputs, ledger, opening }: Seen): void {
    if (opening !== null) this.#settled = new Map();
    if (opening !== null) this.#rewired.clear();
    const moved = notes.flatMap((note) => {
      const action = note.tag === "moved" ? ACTIONS[note.val.rule.cause] : undefined;
      if (note.tag !== "moved" || action === undefined) return [];
      const record = ledger.containers.get(note.val.container);
      return record === undefined ? [] : record.endpoints.flatMap((one) => wordsOf(action, record, one, ledger));
    });
    const expected = [...moved, ...this.#wired(ledger)];
    const told = eventsOf(outputs.records)
      .filter(({ type, action }) => type === "network" && action.endsWith("connect"))
      .map(({ action, attributes }) => `${action} ${attributes.get("container")} ${attributes.get("name")}`);
    if (told.toSorted().join() === expected.toSorted().join()) return;
    throw new Breach("events", `network events are: ${told.join()}; they should be: ${expected.join()}`);
  }

  /** What clients have connected and disconnected. */
  #wired(ledger: Ledger): string[] {
    const events: string[] = [];
    for (const id of this.#settled.size === 0 ? ledger.containers.keys() : changedIn(ledger)) {
      const record = ledger.containers.get(id);
      if (record === undefined) this.#settled.delete(id);
      if (record?.rewiring === true) this.#rewired.add(id);
      if (record === undefined || record.rewiring === true) continue;
      const isRewired = this.#rewired.delete(id);
      const before = this.#settled.get(id);
      this.#settled.set(id, record.endpoints);
      if (before === undefined || before === record.endpoints) continue;
      // The end of a run tells of all its networks, also of those being connected.
      if (!isRewired || RUNNING.includes(wordOf(record))) events.push(...changesOf(record, before, ledger));
    }
    return events;
  }
}

/** Ids of the containers whose records the step has changed. */
function changedIn(ledger: Ledger): string[] {
  return ledger.changed.filter((key) => key.startsWith("container/")).map((key) => key.slice("container/".length));
}

/** Without a run, only a disconnection is told. A connection counts for the next start. */
function changesOf(record: ContainerRecord, before: readonly Endpoint[], ledger: Ledger): string[] {
  const has = (list: readonly Endpoint[], { network }: Endpoint): boolean =>
    list.some((one) => one.network === network);
  const gone = before.filter((one) => !has(record.endpoints, one));
  const added = record.endpoints.filter((one) => !has(before, one));
  const isRunning = RUNNING.includes(wordOf(record));
  return [
    ...gone.flatMap((one) => wordsOf("disconnect", record, one, ledger)),
    ...(isRunning ? added : []).flatMap((one) => wordsOf("connect", record, one, ledger)),
  ];
}

/** Empty without networking, and if the network does not exist. */
function wordsOf(
  action: string,
  { id, networkDisabled }: ContainerRecord,
  endpoint: Endpoint,
  ledger: Ledger,
): string[] {
  if (networkDisabled === true) return [];
  const name = nameOf(endpoint, ledger);
  return name === null ? [] : [`${action} ${id} ${name}`];
}

/** The name of the endpoint's network; null if it does not exist. */
function nameOf({ network, networkId = "" }: Endpoint, ledger: Ledger): string | null {
  const all = ledger.keys("network/").map((key) => {
    const { name, removing } = ledger.json<{ name: string; removing?: boolean }>(`network/${key}`)!;
    return { key, name, removing };
  });
  const found = all.find(({ key }) => key === networkId) ?? all.find(({ name }) => name === network);
  return found === undefined || found.removing === true ? null : found.name;
}
