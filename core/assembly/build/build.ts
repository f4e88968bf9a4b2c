// POST /build (surface §2.22): Docker's classic builder, and BuildKit for clients that make no calls.

import { Call } from "../call";
import { Refusal } from "../refusal";
import { ProgressStream } from "../image/progress-stream";
import { dismissSession } from "./buildkit/session/dismissal";
import { beginTraced } from "./buildkit/traced/traced-build";
import { BuildCredentials } from "./credentials";
import { readOptions } from "./options";
import { BuildFacts } from "./run/build-facts";
import { BuildStream } from "./run/build-stream";
import { Build } from "./run/build-work";

export function buildImage(call: Call): Refusal | null {
  const refusal = begin(call);
  if (refusal !== null) dismissSession(call.query.first("session"));
  return refusal;
}

function begin(call: Call): Refusal | null {
  const options = readOptions(call);
  if (options.refusal !== null) return options.refusal;

  if (options.traced) return beginTraced(call, options);
  // Accepted from here on: the build is cancelled if the client disconnects.
  const stream = new BuildStream(new ProgressStream(call), options.quiet, options.tellsIds);
  const credentials = new BuildCredentials();
  credentials.read(call.request.headers);
  new Build(call, options, new BuildFacts(options, stream, credentials, call.version)).begin();
  return null;
}
