// The calls that clients of BuildKit make, and the messages of each.

import {
  buildHistoryEvent,
  buildHistoryRequest,
  bytesMessage,
  diskUsageRequest,
  diskUsageResponse,
  empty,
  infoResponse,
  listWorkersRequest,
  listWorkersResponse,
  pruneRequest,
  solveRequest,
  solveResponse,
  statusRequest,
  statusResponse,
  updateBuildHistoryRequest,
  usageRecord,
} from "./messages/control.js";
import type { Message } from "./messages/field.js";
import {
  bridgeSolveRequest,
  bridgeSolveResponse,
  evaluateRequest,
  inputsResponse,
  pongResponse,
  readDirRequest,
  readDirResponse,
  readFileRequest,
  readFileResponse,
  resolveImageConfigRequest,
  resolveImageConfigResponse,
  returnRequest,
  statFileRequest,
  statFileResponse,
  warnRequest,
} from "./messages/gateway.js";
import { healthCheckRequest, healthCheckResponse } from "./messages/health.js";

/** One message comes in, and one goes out; or any number of them. */
export interface Method {
  request: Message;
  response: Message;
  /** The answer is any number of messages. */
  streams?: true;
  /** The messages of both directions are the bytes of a connection. */
  carries?: true;
}

const CONTROL = "/moby.buildkit.v1.Control";
const HEALTH = "/grpc.health.v1.Health";
const BRIDGE = "/moby.buildkit.v1.frontend.LLBBridge";

/** By the path of a call: `/moby.buildkit.v1.Control/Solve`. */
export const METHODS: ReadonlyMap<string, Method> = new Map<string, Method>([
  [`${CONTROL}/DiskUsage`, { request: diskUsageRequest, response: diskUsageResponse }],
  [`${CONTROL}/Prune`, { request: pruneRequest, response: usageRecord, streams: true }],
  [`${CONTROL}/Solve`, { request: solveRequest, response: solveResponse }],
  [`${CONTROL}/Status`, { request: statusRequest, response: statusResponse, streams: true }],
  [`${CONTROL}/ListenBuildHistory`, { request: buildHistoryRequest, response: buildHistoryEvent, streams: true }],
  [`${CONTROL}/UpdateBuildHistory`, { request: updateBuildHistoryRequest, response: empty }],
  [`${CONTROL}/Session`, { request: bytesMessage, response: bytesMessage, carries: true }],
  [`${CONTROL}/ListWorkers`, { request: listWorkersRequest, response: listWorkersResponse }],
  [`${CONTROL}/Info`, { request: empty, response: infoResponse }],
  [`${HEALTH}/Check`, { request: healthCheckRequest, response: healthCheckResponse }],
  [`${HEALTH}/Watch`, { request: healthCheckRequest, response: healthCheckResponse, streams: true }],
  [`${BRIDGE}/Ping`, { request: empty, response: pongResponse }],
  [`${BRIDGE}/Solve`, { request: bridgeSolveRequest, response: bridgeSolveResponse }],
  [`${BRIDGE}/ReadFile`, { request: readFileRequest, response: readFileResponse }],
  [`${BRIDGE}/ReadDir`, { request: readDirRequest, response: readDirResponse }],
  [`${BRIDGE}/StatFile`, { request: statFileRequest, response: statFileResponse }],
  [`${BRIDGE}/Evaluate`, { request: evaluateRequest, response: empty }],
  [`${BRIDGE}/ResolveImageConfig`, { request: resolveImageConfigRequest, response: resolveImageConfigResponse }],
  [`${BRIDGE}/Inputs`, { request: empty, response: inputsResponse }],
  [`${BRIDGE}/Return`, { request: returnRequest, response: empty }],
  [`${BRIDGE}/Warn`, { request: warnRequest, response: empty }],
]);
