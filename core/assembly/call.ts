// A request that is being answered.

import { Body, BodyTag, Closing, Request } from "../../build/bindings/types";
import { MAX_VERSION } from "./api/versions";
import { Origin } from "./origin";
import { Query } from "./text/url";

/** Whoever answers a call over time is told when its client goes away, and when it has read. */
export abstract class Follower {
  abstract closed(call: Call, why: Closing): void;

  drained(_call: Call, _bytes: u32): void {}
}

export class Call {
  readonly id: u64;
  /** What follows the version in the path, decoded: `/containers/web/json`. */
  path: string = "";
  /** What a route's `{…}` stood for. */
  name: string = "";
  /** Minor number of the requested version: 41 for `v1.41`; the newest for a bare path. */
  version: i32 = 0;
  query: Query = new Query("");
  follower: Follower | null = null;
  /** Null before it has found its route. */
  origin: Origin | null = null;
  /** Its client has gone away. Known of those that want to hear of it. */
  gone: bool = false;
  /** Hands the call to its route once more: set by the router, which the nouns do not know. */
  again: (call: Call) => void = answeredOnce;

  constructor(readonly request: Request) {
    this.id = request.id;
  }
}

/** One that an earlier instance of the core has begun to answer: nothing but its id is known. */
export function unknownCall(request: u64): Call {
  const call = new Call(new Request(request, "", null, "", "", "", new Body(BodyTag.None)));
  call.version = MAX_VERSION;
  return call;
}

function answeredOnce(_call: Call): void {
  assert(false, "a call that was never routed cannot be taken up again");
}
