// POST /containers/prune (surface §2.23): every container that does not run is measured, then removed.

import { ContentCommandMeasure, Failure, Outcome, OutcomeSize } from "../../../build/bindings/types";
import { PruneFilters } from "../api/prune-filters";
import { askContent } from "../ask";
import { Call } from "../call";
import { Event } from "../event/event";
import { JsonWriter } from "../json/writer";
import { conflict, Refusal } from "../refusal";
import { line, sendJson } from "../reply";
import { engine } from "../state";
import { Task } from "../task";
import { Container } from "./container";
import { Status } from "./lifecycle";
import { RemovalClient } from "./removal-client";
import { removeIdle } from "./remove";

const KEYS: string[] = ["label", "label!", "until"];
/** Removals under way at a time. */
const LANES = 8;

export function pruneContainers(call: Call): Refusal | null {
  const filters = new PruneFilters();
  const problem = filters.read(call.query.first("filters"), KEYS);
  if (problem !== null) return problem;
  if (engine.pruning) return conflict("a prune operation is already running");
  const chosen: Container[] = [];
  const all = engine.containers.all();
  for (let i = 0; i < all.length; i++) {
    const container = all[i];
    if (!isIdle(container)) continue;
    if (filters.match(container.created, container.labelKeys, container.labelValues)) chosen.push(container);
  }

  // Accepted from here: it goes on if the client goes away.
  new Prune(call, chosen).begin();
  return null;
}

/** Its run is over, though it may not have been cleared away yet, and nothing else goes on with it. */
function isIdle(container: Container): bool {
  if (container.creating || container.comesBack || container.removals.length > 0) return false;
  switch (container.status) {
    case Status.Created:
    case Status.Exited:
    case Status.Dead:
    case Status.Releasing:
      return true;
    default:
      return false;
  }
}

class Prune extends Task {
  private next: i32 = 0;
  private open: i32 = 0;
  private readonly removed: string[] = [];
  private reclaimed: u64 = 0;

  constructor(
    private readonly call: Call,
    private readonly chosen: Container[],
  ) {
    super();
  }

  begin(): void {
    engine.pruning = true;
    this.open = 1;
    for (let lane = 0; lane < LANES; lane++) this.take();
    this.close();
  }

  /** A container has been measured. */
  ended(step: i32, outcome: Outcome | null, _failure: Failure | null): void {
    const container = this.chosen[step];
    const size = outcome === null ? 0 : (<OutcomeSize>outcome).value;
    // Somebody may have been faster.
    if (isIdle(container)) removeIdle(container, new PruneClient(this, container, size));
    else this.hear(container, size, false);
  }

  hear(container: Container, size: u64, removed: bool): void {
    if (removed) {
      this.removed.push(container.id);
      this.reclaimed += size;
    }
    this.take();
    this.close();
  }

  private take(): void {
    if (this.next >= this.chosen.length) return;
    const at = this.next;
    this.next += 1;
    this.open += 1;
    askContent(this, at, new ContentCommandMeasure(this.chosen[at].id));
  }

  private close(): void {
    this.open -= 1;
    if (this.open > 0) return;
    engine.pruning = false;
    const event = new Event("container", "prune", "", engine.now.wall);
    engine.events.emit(event.with("reclaimed", this.reclaimed.toString()));
    const json = new JsonWriter();
    json.beginObject();
    if (this.removed.length == 0) json.nullField("ContainersDeleted");
    else json.stringArrayField("ContainersDeleted", this.removed);
    json.i64Field("SpaceReclaimed", <i64>this.reclaimed);
    json.endObject();
    sendJson(this.call, 200, line(json));
  }
}

/** What cannot be removed stays, and is not spoken of. */
class PruneClient extends RemovalClient {
  constructor(
    private readonly prune: Prune,
    private readonly container: Container,
    private readonly size: u64,
  ) {
    super();
  }

  removed(): void {
    this.prune.hear(this.container, this.size, true);
  }

  failed(_why: string): void {
    this.prune.hear(this.container, this.size, false);
  }
}
