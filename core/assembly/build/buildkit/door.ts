// POST /grpc (surface §1.8), and HTTP/2 from the first byte: a connection on which a client makes calls. Each call comes in
// as a request of its own.

import { Caller, Request } from "../../../../build/bindings/types";
import { Call } from "../../call";
import { internal, notFound, Refusal } from "../../refusal";
import { bridge, BridgeCall } from "./bridge";
import { cacheUsage, pruneCall } from "./cache-calls";
import { Connection, connections } from "./connections";
import { solve, watch } from "./control";
import { answerError, CallError, Code } from "./grpc-reply";
import { listenHistory, updateHistory } from "./history/history-calls";
import { checkHealth, watchHealth } from "./health";
import { openSession } from "./session/sessions";
import { becomeCalls, carryCalls, upgradeProblem } from "./upgrade";
import { info, listWorkers } from "./workers";

const CONTROL = "moby.buildkit.v1.Control/";
const BRIDGE = "moby.buildkit.v1.frontend.LLBBridge/";
const HEALTH = "grpc.health.v1.Health/";
const NO_PAGE = "page not found";

export function beginCalls(call: Call): Refusal | null {
  const problem = upgradeProblem(call);
  if (problem.length > 0) return internal(problem);
  const connection = new Connection(call.id);
  becomeCalls(call, Caller.Client, connection);
  connections.add(connection);
  return null;
}

/** Whether the client speaks HTTP/2 on this connection: what it begins with looks like a request (RFC 9113, 3.4). */
export function isNative(request: Request): bool {
  return request.method == "PRI" && request.target == "*";
}

/** HTTP/2 from the first byte, which newer versions of buildx try first (moby#50744). */
export function beginNativeCalls(call: Call): void {
  const connection = new Connection(call.id);
  carryCalls(call, Caller.Client, connection);
  connections.add(connection);
}

/** POST /grpc/SERVICE/METHOD: there is no such page for a client that makes no calls. */
export function takeCall(call: Call): Refusal | null {
  if (connections.of(call) === null) return notFound(NO_PAGE);
  const name = call.name;
  if (name.startsWith(CONTROL)) control(call, name.slice(CONTROL.length));
  else if (name.startsWith(BRIDGE)) ofBuild(call, name.slice(BRIDGE.length));
  else if (name == `${HEALTH}Check`) checkHealth(call);
  else if (name == `${HEALTH}Watch`) watchHealth(call);
  else answerUnknown(call);
  return null;
}

function control(call: Call, method: string): void {
  if (method == "Solve") solve(call);
  else if (method == "Status") watch(call);
  else if (method == "ListWorkers") listWorkers(call);
  else if (method == "Info") info(call);
  else if (method == "DiskUsage") cacheUsage(call);
  else if (method == "Prune") pruneCall(call);
  else if (method == "ListenBuildHistory") listenHistory(call);
  else if (method == "UpdateBuildHistory") updateHistory(call);
  else if (method == "Session") openSession(call);
  else answerUnknown(call);
}

function ofBuild(call: Call, method: string): void {
  if (method == "Ping") bridge(call, BridgeCall.Ping);
  else if (method == "Solve") bridge(call, BridgeCall.Solve);
  else if (method == "Return") bridge(call, BridgeCall.Return);
  else if (method == "Inputs") bridge(call, BridgeCall.Inputs);
  else if (method == "Warn") bridge(call, BridgeCall.Warn);
  else if (method == "ReadFile") bridge(call, BridgeCall.ReadFile);
  else if (method == "ReadDir") bridge(call, BridgeCall.ReadDir);
  else if (method == "StatFile") bridge(call, BridgeCall.StatFile);
  else if (method == "Evaluate") bridge(call, BridgeCall.Evaluate);
  else if (method == "ResolveImageConfig") bridge(call, BridgeCall.ResolveImageConfig);
  else answerUnknown(call);
}

/** In the words of gRPC's own server. */
function answerUnknown(call: Call): void {
  const slash = call.name.indexOf("/");
  const method = call.name.slice(slash + 1);
  const service = slash < 0 ? "" : call.name.slice(0, slash);
  answerError(call, new CallError(Code.Unimplemented, `unknown method ${method} for service ${service}`));
}
