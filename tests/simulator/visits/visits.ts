// Counts what stories reach: cases of the boundary, and the statuses of each route's answers.

import type { Input, RequestId, replies } from "../../../hosts/shared/host.js";
import type { ObservedStep, Opening } from "../../../hosts/driver/observer.js";
import { addCounts } from "../forks/output-counts.js";
import type { Boundary, Count } from "./boundary.js";

/** Counts by case or by route and status. */
export type Counts = Record<string, number>;

export interface Visited {
  /** Cases of the boundary: `outcome names`. */
  entries: Counts;
  /** `POST /containers/{name}/start 204`. */
  statuses: Counts;
}

const NO_ROUTE = "no route";

export class Visits {
  readonly visited: Visited = { entries: {}, statuses: {} };
  readonly #boundary: Boundary;
  readonly #count: Count = (entry) => add(this.visited.entries, entry);
  /** Routes of requests that have not been answered. */
  readonly #routes = new Map<RequestId, string>();

  constructor(boundary: Boundary) {
    this.#boundary = boundary;
  }

  seen({ outputs, explain }: ObservedStep, input: Input | null, opening: Opening | null): void {
    const { input: walkInput, inventory, notes } = this.#boundary;
    if (input !== null) walkInput(input, this.#count);
    if (opening !== null) inventory(opening.inventory, this.#count);
    const reasons = explain();
    notes(reasons, this.#count);
    for (const command of outputs.records) this.#boundary.command("records", command, this.#count);
    for (const { to, command } of outputs.effects) this.#boundary.command(to, command, this.#count);
    if (opening !== null) this.#routes.clear();
    if (input?.tag === "request") this.#routes.set(input.val.id, NO_ROUTE);
    for (const { tag, val } of reasons) if (tag === "routed") this.#routes.set(val.request, val.route);
    for (const { request, command } of outputs.replies) {
      this.#boundary.command("replies", command, this.#count);
      this.#answered(request, command);
    }
  }

  #answered(request: RequestId, command: replies.ReplyCommand): void {
    const status = statusOf(command);
    const route = this.#routes.get(request);
    if (status === null || route === undefined) return;
    this.#routes.delete(request);
    add(this.visited.statuses, `${route} ${status}`);
  }
}

/** Adds `from` to `to`. `from` stays as it is. */
export function addVisited(to: Visited, from: Visited): void {
  addCounts(to.entries, from.entries);
  addCounts(to.statuses, from.statuses);
}

function add(counts: Counts, entry: string): void {
  counts[entry] = (counts[entry] ?? 0) + 1;
}

/** Null for a command without a head. */
function statusOf(command: replies.ReplyCommand): number | null {
  if (command.tag === "open") return command.val.status;
  if (command.tag === "whole" || command.tag === "bare") return command.val.head.status;
  return command.tag === "hijack" || command.tag === "calls" ? command.val.head.status : null;
}
