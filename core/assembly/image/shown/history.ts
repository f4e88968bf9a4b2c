// GET /images/{name}/history (surface §2.21): only implemented for images that do not exist.

import { Call } from "../../call";
import { notBuilt, Refusal } from "../../refusal";
import { imageStore } from "../store";

export function imageHistory(call: Call): Refusal | null {
  return imageStore.lookUp(call.name).refusal || notBuilt(`${call.request.method} ${call.path}`);
}
