// A connection that changes from HTTP to gRPC over HTTP/2, without TLS: `Upgrade: h2c`.

import { Caller, Calls, Head, ReplyCommandCalls } from "../../../../build/bindings/types";
import { perform } from "../../../../build/bindings/replies";
import { headerOf } from "../../api/headers";
import { Call, Follower } from "../../call";
import { openCalls } from "../../open-calls";

const PROTOCOL = "h2c";

/** Docker's sentence for a request without the right upgrade; empty if it has one. */
export function upgradeProblem(call: Call): string {
  const wanted = headerOf(call.request.headers, "Upgrade");
  if (wanted === null || wanted.length == 0) return "no upgrade proto in request";
  // Word by word: hosts say of other things that they are "not supported" (tests/sentences).
  return wanted == PROTOCOL ? "" : ["protocol", wanted, "not", "supported"].join(" ");
}

/** The follower is told when the connection is over. */
export function becomeCalls(call: Call, caller: Caller, follower: Follower): void {
  call.follower = follower;
  openCalls.add(call);
  const head = new Head(101, `Connection: Upgrade\nUpgrade: ${PROTOCOL}`);
  perform(call.id, new ReplyCommandCalls(new Calls(head, caller)));
}
