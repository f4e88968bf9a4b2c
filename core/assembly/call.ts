// A request that has not been fully answered.

import { Body, BodyTag, Closing, Request } from "../../build/bindings/types";
import { MAX_VERSION } from "./api/versions";
import { Origin } from "./origin";
import { Query } from "./text/url";

/** Is told when the client of a long answer disconnects, and when it has read data. */
export abstract class Follower {
  abstract closed(call: Call, why: Closing): void;

  drained(_call: Call, _bytes: u32): void {}
}

export class Call {
  readonly id: u64;
  /** The decoded path after the version: `/containers/web/json`. */
  path: string = "";
  /** The text matched by a route's `*`. */
  name: string = "";
  /** Minor number of the requested version: 41 for `v1.41`; the newest version for a path without one. */
  version: i32 = 0;
  /** Minor number of the newest version that its client is served. */
  newest: i32 = MAX_VERSION;
  query: Query = new Query("");
  follower: Follower | null = null;
  /** Null until the request has found its route. */
  origin: Origin | null = null;
  /** The client has disconnected. Only known for calls that are in `openCalls`. */
  gone: bool = false;
  /** Hands the call to its route again. The router sets it, so that the nouns need not know the router. */
  again: (call: Call) => void = answeredOnce;

  constructor(readonly request: Request) {
    this.id = request.id;
  }
}

/** A request that an earlier instance of the core began to answer: only its id is known. */
export function unknownCall(request: u64): Call {
  const call = new Call(new Request(request, "", null, null, "", "", "", new Body(BodyTag.None)));
  call.version = MAX_VERSION;
  return call;
}

function answeredOnce(_call: Call): void {
  assert(false, "a call that was never routed cannot be resumed");
}
