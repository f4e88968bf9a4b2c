// POST /volumes/prune (surface §2.23): removes the volumes that no container uses. Single removals have no event.

import { Failure, Outcome, OutcomeSize, VolumeCommandMeasure } from "../../../build/bindings/types";
import { FilterFlag } from "../api/filters";
import { PruneFilters } from "../api/prune-filters";
import { askVolumes } from "../ask";
import { Call } from "../call";
import { Event } from "../event/event";
import { eventRing } from "../event/ring";
import { JsonWriter } from "../json/writer";
import { Lanes } from "../lanes";
import { CONTAINER_RECORDS } from "../records/kinds";
import { setAside } from "../records/set-aside";
import { conflict, Refusal } from "../refusal";
import { line, sendJson } from "../reply";
import { engine } from "../state";
import { Task } from "../task";
import { labelKeysOf, labelValuesOf } from "./inspect";
import { beginVolumeRemoval, VolumeRemovalClient } from "./removal";
import { volumeStore } from "./store";
import { isUsed, usersByName } from "./use";
import { Volume } from "./volume";

/** From this version on, named volumes are only removed on request. */
const ANONYMOUS_ONLY = 42;
const KEYS: string[] = ["label", "label!"];

export function pruneVolumes(call: Call): Refusal | null {
  const filters = new PruneFilters();
  const known = call.version < ANONYMOUS_ONLY ? KEYS : KEYS.concat(["all"]);
  const problem = filters.read(call.query.first("filters"), known);
  if (problem !== null) return problem;
  const all = filters.flag("all", call.version < ANONYMOUS_ONLY ? FilterFlag.True : FilterFlag.False);
  if (all == FilterFlag.Bad) return filters.flagProblem("all");
  if (engine.pruningVolumes) return conflict("a prune operation is already running");

  // Accepted from here on: the work continues even if the client disconnects.
  new VolumePrune(call, choose(filters, all == FilterFlag.True)).begin();
  return null;
}

/** None while the record of a container is set aside: it is unknown which volumes that container uses. */
function choose(filters: PruneFilters, all: bool): Volume[] {
  const chosen: Volume[] = [];
  if (setAside.startingWith(CONTAINER_RECORDS).length > 0) return chosen;
  const volumes = volumeStore.all();
  const users = usersByName();
  for (let i = 0; i < volumes.length; i++) {
    const volume = volumes[i];
    // Docker spares volumes with options: their files may be elsewhere.
    if (!(all || volume.anonymous) || volume.hasOptions) continue;
    if (volume.isChanging || users.has(volume.name)) continue;
    if (filters.match(volume.created, labelKeysOf(volume), labelValuesOf(volume))) chosen.push(volume);
  }
  return chosen;
}

class VolumePrune extends Lanes {
  private readonly removed: string[] = [];
  private reclaimed: i64 = 0;

  constructor(
    private readonly call: Call,
    private readonly chosen: Volume[],
  ) {
    super(chosen.length);
  }

  begin(): void {
    engine.pruningVolumes = true;
    this.run();
  }

  protected take(index: i32): bool {
    const volume = this.chosen[index];
    if (!isFree(volume)) return false;
    new PrunedVolume(this, volume).begin();
    return true;
  }

  /** `bytes`: negative if the volume stays. */
  hear(volume: Volume, bytes: i64): void {
    if (bytes >= 0) {
      this.removed.push(volume.name);
      this.reclaimed += bytes;
    }
    this.done();
  }

  protected close(): void {
    engine.pruningVolumes = false;
    const event = new Event("volume", "prune", "", engine.now.wall);
    eventRing.emit(event.with("reclaimed", this.reclaimed.toString()));
    const json = new JsonWriter().beginObject().stringArrayField("VolumesDeleted", this.removed);
    sendJson(this.call, 200, line(json.i64Field("SpaceReclaimed", this.reclaimed).endObject()));
  }
}

/** Other clients may have changed it since it was chosen. */
function isFree(volume: Volume): bool {
  return volumeStore.find(volume.name) === volume && !volume.isChanging && !isUsed(volume.name);
}

/** Counts a volume, unless its size is known, and removes it. One that cannot be removed stays, without a word. */
class PrunedVolume extends Task {
  constructor(
    private readonly prune: VolumePrune,
    private readonly volume: Volume,
  ) {
    super();
  }

  begin(): void {
    if (this.volume.counted) this.remove();
    else askVolumes(this, 0, new VolumeCommandMeasure(this.volume.name));
  }

  ended(_step: i32, outcome: Outcome | null, _failure: Failure | null): void {
    const volume = this.volume;
    if (outcome !== null) volume.size = <i64>(<OutcomeSize>outcome).value;
    if (isFree(volume)) this.remove();
    else this.prune.hear(volume, -1);
  }

  private remove(): void {
    beginVolumeRemoval(this.volume, new PruneClient(this.prune));
  }
}

class PruneClient extends VolumeRemovalClient {
  constructor(private readonly prune: VolumePrune) {
    super();
  }

  removed(volume: Volume): void {
    this.prune.hear(volume, max<i64>(volume.size, 0));
  }

  failed(volume: Volume, _why: string): void {
    this.prune.hear(volume, -1);
  }
}
