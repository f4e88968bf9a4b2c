// A connection that changes from HTTP to gRPC over HTTP/2, without TLS: `Upgrade: h2c`. Or one that spoke HTTP/2 from its
// first byte (RFC 9113, 3.3), and a call that carries a connection of its own: those have nothing to change from.

import { Caller, Calls, Head, ReplyCommandCalls } from "../../../../build/bindings/types";
import { perform } from "../../../../build/bindings/replies";
import { headerOf } from "../../api/headers";
import { Call, Follower } from "../../call";
import { openCalls } from "../../open-calls";
import { SECOND } from "../../text/duration";

const PROTOCOL = "h2c";
/** As often as the BuildKit of Docker 20.10 asks its clients. A docker CLI that has stopped may wait for it. */
const PULSE: u64 = <u64>SECOND;

/** Docker's sentence for a request without the right upgrade; empty if it has one. */
export function upgradeProblem(call: Call): string {
  const wanted = headerOf(call.request.headers, "Upgrade");
  if (wanted === null || wanted.length == 0) return "no upgrade proto in request";
  // Word by word: hosts say of other things that they are "not supported" (tests/sentences).
  return wanted == PROTOCOL ? "" : ["protocol", wanted, "not", "supported"].join(" ");
}

/** The follower is told when the connection is over. */
export function becomeCalls(call: Call, caller: Caller, follower: Follower): void {
  become(call, caller, follower, new Head(101, `Connection: Upgrade\nUpgrade: ${PROTOCOL}`));
}

/** The same for a connection on which HTTP/2 is spoken already. */
export function carryCalls(call: Call, caller: Caller, follower: Follower): void {
  become(call, caller, follower, new Head(200, ""));
}

function become(call: Call, caller: Caller, follower: Follower, head: Head): void {
  call.follower = follower;
  openCalls.add(call);
  const pulse = caller == Caller.Engine ? PULSE : 0;
  perform(call.id, new ReplyCommandCalls(new Calls(head, caller, pulse)));
}
