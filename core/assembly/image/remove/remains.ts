// What is left of an image whose records were set aside. It is removed by force, by the image's id or by one of the
// names set aside; or when the image is pulled or loaded again.

import { flagOf } from "../../api/parameters";
import { Call } from "../../call";
import { JsonWriter } from "../../json/writer";
import { CONFIG_RECORDS, IMAGE_RECORDS, REFERENCE_RECORDS } from "../../records/kinds";
import { setAside } from "../../records/set-aside";
import { conflict, Refusal } from "../../refusal";
import { line, sendJson } from "../../reply";
import { layerStore } from "../layers/layer-store";
import { parseReference } from "../reference";

/** `forPlatform`: only for one. `unknown`: the refusal if the name means no such image, either. */
export function deleteRemains(call: Call, forPlatform: bool, unknown: Refusal): Refusal | null {
  const id = call.name.startsWith("sha256:") ? call.name : `sha256:${call.name}`;
  const isImage = setAside.has(CONFIG_RECORDS + id) || setAside.has(IMAGE_RECORDS + id);
  const reference = parseReference(call.name);
  const canonical = reference === null ? "" : reference.withDefaultTag().canonical;
  const isReference = setAside.has(REFERENCE_RECORDS + canonical);
  if (!isImage && !isReference) return unknown;
  if (forPlatform) {
    return conflict(
      `cannot remove image "${call.name}" for a platform: its record is damaged, so its platform is not known`,
    );
  }
  if (!flagOf(call.query, "force")) {
    return conflict(
      `cannot remove image "${call.name}": its record is damaged: force remove to drop what is left of it`,
    );
  }

  // The request is accepted from here on.
  const json = new JsonWriter();
  json.beginArray();
  if (isReference) {
    setAside.forget(REFERENCE_RECORDS + canonical);
    json.beginObject().stringField("Untagged", reference!.withDefaultTag().familiar).endObject();
  } else {
    setAside.forget(CONFIG_RECORDS + id);
    setAside.forget(IMAGE_RECORDS + id);
    json.beginObject().stringField("Deleted", id).endObject();
    layerStore.forgetLost();
  }
  sendJson(call, 200, line(json.endArray()));
  return null;
}
