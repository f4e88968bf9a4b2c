// POST /images/prune (surface §2.23): deletes images without a tag, or all that no
// container uses. It all happens in the step of the request. So there is never another
// prune in progress, and a crash leaves all of it or nothing, as with DELETE /images.

import { FilterFlag } from "../../api/filters";
import { PruneFilters } from "../../api/prune-filters";
import { Call } from "../../call";
import { Event } from "../../event/event";
import { eventRing } from "../../event/ring";
import { JsonWriter } from "../../json/writer";
import { setAside } from "../../records/set-aside";
import { Refusal } from "../../refusal";
import { line, sendJson } from "../../reply";
import { engine } from "../../state";
import { Image } from "../image";
import { layerRests } from "../layers/layer-rests";
import { layerStore } from "../layers/layer-store";
import { imageStore } from "../store";
import { Deletion } from "./deletion";

const KEYS: string[] = ["dangling", "label", "label!", "until"];

export function pruneImages(call: Call): Refusal | null {
  const filters = new PruneFilters();
  const problem = filters.read(call.query.first("filters"), KEYS);
  if (problem !== null) return problem;
  const dangling = filters.flag("dangling", FilterFlag.True);
  if (dangling == FilterFlag.Bad) return filters.flagProblem("dangling");

  // The request is accepted from here on.
  const deletion = new Deletion(false, true);
  const chosen = choose(filters, dangling == FilterFlag.True);
  for (let i = 0; i < chosen.length; i++) drop(chosen[i], deletion);
  if (filters.isFree && setAside.forgetImages()) layerStore.forgetLost();
  if (filters.isFree) layerRests.dropAll();
  const event = new Event("image", "prune", "", engine.now.wall);
  eventRing.emit(event.with("reclaimed", deletion.freed.toString()));
  sendJson(call, 200, line(report(deletion)));
  return null;
}

/** Parent images are not chosen just because they have no name: they are deleted with their last child. */
function choose(filters: PruneFilters, dangling: bool): Image[] {
  const all = imageStore.all();
  const parents = new Set<string>();
  for (let i = 0; i < all.length; i++) if (!all[i].onlyCache) parents.add(all[i].parent);
  const chosen: Image[] = [];
  for (let i = 0; i < all.length; i++) {
    const image = all[i];
    // The builder's prune removes those.
    if (image.onlyCache) continue;
    if (parents.has(image.id) && (dangling || image.references.length == 0)) continue;
    if (dangling && image.tags.length > 0) continue;
    if (filters.match(image.created, image.labelKeys, image.labelValues)) chosen.push(image);
  }
  return chosen;
}

/**
 * Removes each of its names, as `DELETE /images` does: an obstacle to removing a name keeps it, and is not reported. So
 * an image in use keeps only its last name, as in Docker.
 */
function drop(image: Image, deletion: Deletion): void {
  // It may have been deleted with one of its children.
  if (imageStore.find(image.id) === null) return;
  const references = image.references.slice(0);
  for (let i = 0; i < references.length; i++) deletion.byReference(image, references[i].canonical);
  if (references.length == 0) deletion.byId(image);
}

function report(deletion: Deletion): JsonWriter {
  const json = new JsonWriter();
  json.beginObject();
  if (deletion.isEmpty) json.nullField("ImagesDeleted");
  else deletion.write(json.key("ImagesDeleted"));
  json.i64Field("SpaceReclaimed", <i64>deletion.freed);
  return json.endObject();
}
