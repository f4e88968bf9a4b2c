// What a prune of containers tells to be removed is gone, each named once and chosen by its labels; and nobody is left as
// he was who should have gone.

import type { RequestId } from "../../../hosts/shared/host.js";
import { Breach } from "../breach.js";
import { type ContainerRecord, type Ledger, parsed, wordOf } from "../ledger.js";
import type { Invariant, Seen } from "./invariant.js";
import { type Asked, isEvil } from "./lists.js";

const PRUNE = /^\/v[\d.]+\/containers\/prune(?:\?(.*))?$/;
const OK = 200;
const IDLE = ["created", "exited"];
const decoder = new TextDecoder();

type Labelled = ContainerRecord & { startsAgain: boolean; config: { Labels?: Record<string, string> | null } };

interface Prune {
  /** Those whom it is to take, as they were when it was asked for. */
  due: ReadonlyMap<string, Uint8Array>;
  /** All who may go by it. */
  mayGo: ReadonlySet<string>;
}

export class Pruned implements Invariant {
  readonly #under = new Map<RequestId, Prune>();

  stepped({ input, outputs, opening, ledger }: Seen): void {
    if (opening !== null) this.#under.clear();
    if (input?.tag === "request") this.#hear(input.val, ledger);
    for (const { request, command } of outputs.replies) {
      const prune = this.#under.get(request);
      if (command.tag !== "whole" || prune === undefined) continue;
      this.#under.delete(request);
      if (command.val.head.status === OK) check(prune, decoder.decode(command.val.body), ledger);
    }
  }

  #hear({ id, method, target, headers }: Asked, ledger: Ledger): void {
    const asked = method === "POST" && !isEvil(headers) ? PRUNE.exec(target) : null;
    const wanted = asked === null ? null : labelOf(new URLSearchParams(asked[1]));
    if (wanted === null) return;
    const before = new Map(ledger.storedBefore().map(({ key, value }) => [key, value]));
    const chosen = [...ledger.containers.values()].filter((one) => wanted === "" || hasLabel(one as Labelled, wanted));
    const due = chosen.filter((one) => isIdle(one as Labelled));
    this.#under.set(id, {
      due: new Map(due.map(({ id: who }) => [who, before.get(`container/${who}`)!])),
      mayGo: new Set(chosen.map(({ id: who }) => who)),
    });
  }
}

function check({ due, mayGo }: Prune, body: string, ledger: Ledger): void {
  const { ContainersDeleted, SpaceReclaimed } = JSON.parse(body) as Told;
  const gone = ContainersDeleted ?? [];
  if (new Set(gone).size < gone.length) broken(`some are told twice: ${gone.join()}`);
  for (const id of gone) {
    if (ledger.containers.has(id)) broken(`${id} is told to be removed, and is there`);
    if (!mayGo.has(id)) broken(`${id} was not to be removed`);
  }
  const freed = gone.map((id) => due.get(id)).reduce((sum, record) => sum + (record ? writtenIn(record) : 0), 0);
  if (freed > 0 && SpaceReclaimed === 0) broken(`${freed} bytes are free by it, and none is told`);
  const left = [...due].find(([id, record]) => ledger.records.get(`container/${id}`) === record);
  if (left !== undefined) broken(`${left[0]} is there as if nobody had been to remove it`);
}

interface Told {
  ContainersDeleted: string[] | null;
  SpaceReclaimed: number;
}

/** As it was counted. */
function writtenIn(record: Uint8Array): number {
  const { run, countedRun, written } = parsed(record) as Labelled;
  return run === countedRun ? written : 0;
}

/** Its run is over, and nothing goes on with it. */
function isIdle(container: Labelled): boolean {
  return IDLE.includes(wordOf(container)) && container.creating !== true && !container.startsAgain;
}

function hasLabel({ config }: Labelled, wanted: string): boolean {
  const [key = "", value] = wanted.split(/=(.*)/, 2);
  return config.Labels?.[key] === value;
}

/** Empty: none is asked for; null: what else is asked for, nobody here knows. */
function labelOf(query: URLSearchParams): string | null {
  const text = query.get("filters");
  if (text === null) return "";
  return /^\{"label":\["(is=\w+)"\]\}$/.exec(text)?.[1] ?? null;
}

function broken(message: string): never {
  throw new Breach("pruned", message);
}
