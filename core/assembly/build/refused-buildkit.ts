// POST /session, POST /grpc (surface §1.8): the ways in of BuildKit, which is not built yet. Its clients are told what
// works instead.

import { Call } from "../call";
import { Refusal, RefusalKind } from "../refusal";

export function refuseBuildKit(_call: Call): Refusal | null {
  return new Refusal(
    RefusalKind.NotBuilt,
    "builds by BuildKit are not built yet: set DOCKER_BUILDKIT=0 to use the classic builder",
  );
}
