// Checks the reply to a prune of containers: it names each removed container once, and all of them are gone and have
// the chosen labels. No container is left unchanged that should have been removed.

import type { RequestId } from "../../../hosts/shared/host.js";
import { Breach } from "../breach.js";
import { type ContainerRecord, type Ledger, parsed, wordOf } from "../ledger.js";
import type { Invariant, Seen } from "./invariant.js";
import { type Asked, isEvil } from "./lists.js";

const PRUNE = /^\/v[\d.]+\/containers\/prune(?:\?(.*))?$/;
const OK = 200;
const IDLE = ["created", "exited"];
const decoder = new TextDecoder();

type Labelled = ContainerRecord & { config: { Labels?: Record<string, string> | null } };

interface Prune {
  /** The containers that it must remove, with their records at the time of the request. */
  due: ReadonlyMap<string, Uint8Array>;
  /** All containers that it may remove. */
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
  if (new Set(gone).size < gone.length) broken(`the reply names some twice: ${gone.join()}`);
  for (const id of gone) {
    if (ledger.containers.has(id)) broken(`the reply names ${id}, which still exists`);
    if (!mayGo.has(id)) broken(`${id} was removed, but does not match`);
  }
  const freed = gone.map((id) => due.get(id)).reduce((sum, record) => sum + (record ? writtenIn(record) : 0), 0);
  if (freed > 0 && SpaceReclaimed === 0) broken(`the prune freed ${freed} bytes, but reports none`);
  const left = [...due].find(([id, record]) => ledger.records.get(`container/${id}`) === record);
  if (left !== undefined) broken(`${left[0]} should have been removed, but is unchanged`);
}

interface Told {
  ContainersDeleted: string[] | null;
  SpaceReclaimed: number;
}

/** The measured size. */
function writtenIn(record: Uint8Array): number {
  const { run, countedRun, written } = parsed(record) as Labelled;
  return run === countedRun ? written : 0;
}

/** Whether its run has ended, and nothing is pending for it. */
function isIdle(container: Labelled): boolean {
  return IDLE.includes(wordOf(container)) && container.creating !== true && !container.startsAgain;
}

function hasLabel({ config }: Labelled, wanted: string): boolean {
  const [key = "", value] = wanted.split(/=(.*)/, 2);
  return config.Labels?.[key] === value;
}

/** The label filter. Empty if there is no filter, and null for any other filters. */
function labelOf(query: URLSearchParams): string | null {
  const text = query.get("filters");
  if (text === null) return "";
  return /^\{"label":\["(is=\w+)"\]\}$/.exec(text)?.[1] ?? null;
}

function broken(message: string): never {
  throw new Breach("pruned", message);
}
