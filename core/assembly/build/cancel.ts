// POST /build/cancel (surface §1). It cancels builds by BuildKit, which have an id: a build of the classic builder is
// cancelled by hanging up. For a build that is over or never existed Docker answers without an error.

import { Call } from "../call";
import { badParameter, Refusal } from "../refusal";
import { sendEmpty } from "../reply";
import { tracedBuilds } from "./buildkit/traced/traced-builds";

export function cancelBuild(call: Call): Refusal | null {
  const id = call.query.first("id");
  if (id.length == 0) return badParameter("build ID not provided");
  const build = tracedBuilds.find(id);
  if (build !== null) build.cancel();
  sendEmpty(call, 200);
  return null;
}
