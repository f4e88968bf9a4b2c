// POST /networks/prune (surface §2.23): removes nothing, since built-in networks stay and there are no others.

import { PruneFilters } from "../api/prune-filters";
import { Call } from "../call";
import { Event } from "../event/event";
import { eventRing } from "../event/ring";
import { JsonWriter } from "../json/writer";
import { conflict, Refusal } from "../refusal";
import { line, sendJson } from "../reply";
import { engine } from "../state";

const KEYS: string[] = ["label", "label!", "until"];

export function pruneNetworks(call: Call): Refusal | null {
  const problem = new PruneFilters().read(call.query.first("filters"), KEYS);
  if (problem !== null) return problem;
  // Pruned containers would free their networks, so only one prune may run at a time.
  if (engine.pruning) return conflict("a prune operation is already running");
  eventRing.emit(new Event("network", "prune", "", engine.now.wall).with("reclaimed", "0"));
  const json = new JsonWriter();
  json.beginObject().nullField("NetworksDeleted");
  sendJson(call, 200, line(json.endObject()));
  return null;
}
