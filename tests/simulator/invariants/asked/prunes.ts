// Checks which containers a prune starts to remove: those that are idle, old enough, and match its label filters.

import { Breach } from "../../breach.js";
import { type ContainerRecord, type Ledger, wordOf } from "../../ledger.js";
import type { Copies } from "./copy.js";

/** A prune removes this many containers at a time, and the others later. */
const AT_ONCE = 8;
const IDLE = ["created", "exited"];

/** Throws a `Breach`. No operation may be pending. */
export function expectPrunes(copies: Copies, ledger: Ledger): void {
  const all = [...ledger.containers.values()].filter(isIdle);
  if (all.length === 0) return;
  const [label = "is"] = all.flatMap(({ labels }) => Object.entries(labels).map(([key, value]) => `${key}=${value}`));
  const has = ({ labels }: ContainerRecord): boolean =>
    Object.entries(labels).some(([key, value]) => `${key}=${value}` === label);
  // In whole seconds, since digits after the sixth decimal place do not count.
  const moment = Math.floor(Math.max(...all.map(({ created }) => created)) / 1e9);
  // Containers with an unfinished removal take part in the queue, too.
  const crowd = { all, isTooMany: ledger.containers.size > AT_ONCE };
  const isOld = ({ created }: ContainerRecord): boolean => created <= moment * 1e9;
  expectChosen(copies, crowd, { label: [label, "nobody-has-this"] }, () => false);
  expectChosen(copies, crowd, { label: [label] }, has);
  expectChosen(copies, crowd, { "label!": [label] }, (one) => !has(one));
  expectChosen(copies, crowd, { until: [String(moment)] }, isOld);
}

function expectChosen(
  copies: Copies,
  { all, isTooMany }: { all: readonly ContainerRecord[]; isTooMany: boolean },
  filters: object,
  isChosen: (one: ContainerRecord) => boolean,
): void {
  const target = `/v1.55/containers/prune?filters=${encodeURIComponent(JSON.stringify(filters))}`;
  const { records } = copies.ask("POST", target);
  const begun = new Set(
    records.flatMap(({ tag, val }) => {
      if (tag === "delete") return [String(val)];
      return tag === "put" && all.some(({ id, status }) => val.key === `container/${id}` && isMoved(val.value, status))
        ? [val.key]
        : [];
    }),
  );
  for (const { id } of all.filter((one) => !isChosen(one)))
    if (begun.has(`container/${id}`)) broken(`a prune with ${JSON.stringify(filters)} removes ${id}`);
  const due = all.filter(isChosen);
  const left = isTooMany ? undefined : due.find(({ id }) => !begun.has(`container/${id}`));
  if (left !== undefined) broken(`a prune with ${JSON.stringify(filters)} does not remove ${left.id}`);
}

/** Whether its size is known, and nothing is pending for it. */
function isIdle(one: ContainerRecord): boolean {
  const isCounted = one.run === one.countedRun && !one.unclean;
  return IDLE.includes(wordOf(one)) && one.creating !== true && !one.startsAgain && isCounted;
}

function isMoved(value: Uint8Array, before: number): boolean {
  return (JSON.parse(new TextDecoder().decode(value)) as ContainerRecord).status !== before;
}

function broken(message: string): never {
  throw new Breach("asked", message);
}
