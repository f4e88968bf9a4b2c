// POST /containers/prune (surface §2.23): removes every container that is not running. Their sizes are known already,
// except that of a run that has only just ended.

import { PruneFilters } from "../../api/prune-filters";
import { Call } from "../../call";
import { Event } from "../../event/event";
import { eventRing } from "../../event/ring";
import { JsonWriter } from "../../json/writer";
import { Lanes } from "../../lanes";
import { conflict, Refusal } from "../../refusal";
import { line, sendJson } from "../../reply";
import { engine } from "../../state";
import { Container } from "../container";
import { Status } from "../lifecycle";
import { containerStore } from "../store";
import { containerSizes, Counted } from "../usage/sizes";
import { RemovalClient } from "./removal-client";
import { removeIdle } from "./remove";

const KEYS: string[] = ["label", "label!", "until"];

export function pruneContainers(call: Call): Refusal | null {
  const filters = new PruneFilters();
  const problem = filters.read(call.query.first("filters"), KEYS);
  if (problem !== null) return problem;
  if (engine.pruning) return conflict("a prune operation is already running");
  const chosen: Container[] = [];
  const all = containerStore.all();
  for (let i = 0; i < all.length; i++) {
    const container = all[i];
    if (!isIdle(container)) continue;
    if (filters.match(container.created, container.labelKeys, container.labelValues)) chosen.push(container);
  }

  // Accepted from here on: the work continues even if the client disconnects.
  new Prune(call, chosen).begin();
  return null;
}

/**
 * The run is over, though perhaps not cleared away yet, and no other operation is in progress. A build still has to read
 * the log or the files of its container.
 */
function isIdle(container: Container): bool {
  if (container.forBuild) return false;
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

class Prune extends Lanes {
  private readonly removed: string[] = [];
  private reclaimed: i64 = 0;

  constructor(
    private readonly call: Call,
    private readonly chosen: Container[],
  ) {
    super(chosen.length);
  }

  begin(): void {
    engine.pruning = true;
    this.run();
  }

  protected take(index: i32): bool {
    const container = this.chosen[index];
    containerSizes.whenCounted(container, new PruneCount(this, container));
    return true;
  }

  counted(container: Container): void {
    // Another client may have changed the container meanwhile.
    if (isIdle(container)) removeIdle(container, new PruneClient(this, container));
    else this.hear(container, false);
  }

  hear(container: Container, removed: bool): void {
    if (removed) {
      this.removed.push(container.id);
      this.reclaimed += container.written;
    }
    this.done();
  }

  protected close(): void {
    engine.pruning = false;
    const event = new Event("container", "prune", "", engine.now.wall);
    eventRing.emit(event.with("reclaimed", this.reclaimed.toString()));
    const json = new JsonWriter();
    json.beginObject();
    if (this.removed.length == 0) json.nullField("ContainersDeleted");
    else json.stringArrayField("ContainersDeleted", this.removed);
    json.i64Field("SpaceReclaimed", this.reclaimed);
    json.endObject();
    sendJson(this.call, 200, line(json));
  }
}

class PruneCount extends Counted {
  constructor(
    private readonly prune: Prune,
    private readonly container: Container,
  ) {
    super();
  }

  counted(): void {
    this.prune.counted(this.container);
  }
}

/** A container that cannot be removed stays, and the answer does not mention it. */
class PruneClient extends RemovalClient {
  constructor(
    private readonly prune: Prune,
    private readonly container: Container,
  ) {
    super();
  }

  removed(): void {
    this.prune.hear(this.container, true);
  }

  failed(_why: string): void {
    this.prune.hear(this.container, false);
  }
}
