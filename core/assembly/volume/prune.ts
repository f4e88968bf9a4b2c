// POST /volumes/prune (surface §2.23): succeeds while there is
// nothing to remove. Removing single volumes is not implemented yet.

import { FilterFlag } from "../api/filters";
import { PruneFilters } from "../api/prune-filters";
import { Call } from "../call";
import { Event } from "../event/event";
import { eventRing } from "../event/ring";
import { JsonWriter } from "../json/writer";
import { notBuilt, Refusal } from "../refusal";
import { line, sendJson } from "../reply";
import { engine } from "../state";
import { labelKeysOf, labelValuesOf } from "./inspect";
import { volumeStore } from "./store";
import { usersByName } from "./use";
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
  const volumes = volumeStore.all();
  const users = usersByName();
  for (let i = 0; i < volumes.length; i++) {
    const volume = volumes[i];
    const isChosen = (all == FilterFlag.True || volume.anonymous) && !users.has(volume.name);
    if (isChosen && isWanted(volume, filters)) return notBuilt(`removing the volume ${volume.name}`);
  }
  eventRing.emit(new Event("volume", "prune", "", engine.now.wall).with("reclaimed", "0"));
  const json = new JsonWriter().beginObject().stringArrayField("VolumesDeleted", []);
  sendJson(call, 200, line(json.i64Field("SpaceReclaimed", 0).endObject()));
  return null;
}

function isWanted(volume: Volume, filters: PruneFilters): bool {
  return filters.match(volume.created, labelKeysOf(volume), labelValuesOf(volume));
}
