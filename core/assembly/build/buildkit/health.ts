// grpc.health.v1.Health: whether calls are answered (grpc, health-checking.md).

import { Closing } from "../../../../build/bindings/types";
import { Call, Follower } from "../../call";
import { JsonWriter } from "../../json/writer";
import { headersOf, line, openReply, sendChunk } from "../../reply";
import { answer, answerError, CallError, Code, messageOf } from "./grpc-reply";

const SERVING: i64 = 1;
const SERVICE_UNKNOWN: i64 = 3;

export function checkHealth(call: Call): void {
  if (!isKnown(call)) return answerError(call, new CallError(Code.NotFound, "unknown service"));
  answer(call, statusOf(SERVING));
}

/** Stays open: the state only changes with the end of the connection. */
export function watchHealth(call: Call): void {
  const status = isKnown(call) ? SERVING : SERVICE_UNKNOWN;
  openReply(call, 200, headersOf(call).json, new HealthWatcher());
  sendChunk(call, line(statusOf(status)));
}

/** Without a name it is the server as a whole that is asked for. */
function isKnown(call: Call): bool {
  return messageOf(call).stringOf("service").length == 0;
}

function statusOf(status: i64): JsonWriter {
  return new JsonWriter().beginObject().i64Field("status", status).endObject();
}

class HealthWatcher extends Follower {
  closed(_call: Call, _why: Closing): void {}
}
