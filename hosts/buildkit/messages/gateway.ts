// Messages of `moby.buildkit.v1.frontend.LLBBridge` (moby/buildkit, frontend/gateway/pb/gateway.proto and
// util/apicaps/pb/caps.proto): a client that directs the build itself speaks to its frontend with them.

import { workerRecord } from "./control.js";
import { definition, input, platform, result as made, warning } from "./definition.js";
import { many, map, one, type Message } from "./field.js";
import { stat } from "./files.js";
import { status } from "./status.js";

const ref: Message = { id: one(1), def: one(2, () => made) };

/** Refs by platform. */
const refMap: Message = { refs: map(1, () => ref) };

const result: Message = {
  refDeprecated: one(1),
  ref: one(3, () => ref),
  refs: one(4, () => refMap),
  metadata: map(10, "bytes"),
};

export const returnRequest: Message = { result: one(1, () => result), error: one(2, () => status) };

/** Without `CacheImports` (12), which hold credentials: the options of the frontend name the caches, too. */
export const bridgeSolveRequest: Message = {
  Definition: one(1, () => definition),
  Frontend: one(2),
  FrontendOpt: map(3),
  allowResultReturn: one(5, "bool"),
  allowResultArrayRef: one(6, "bool"),
  Final: one(10, "bool"),
  ExporterAttr: one(11, "bytes"),
  FrontendInputs: map(13, () => input),
  Evaluate: one(14, "bool"),
};

export const bridgeSolveResponse: Message = { ref: one(1), result: one(3, () => result) };

const fileRange: Message = { Offset: one(1, "int64"), Length: one(2, "int64") };

export const readFileRequest: Message = { Ref: one(1), FilePath: one(2), Range: one(3, () => fileRange) };

export const readFileResponse: Message = { Data: one(1, "bytes") };

export const readDirRequest: Message = { Ref: one(1), DirPath: one(2), IncludePattern: one(3) };

export const readDirResponse: Message = { entries: many(1, () => stat) };

export const statFileRequest: Message = { Ref: one(1), Path: one(2) };

export const statFileResponse: Message = { stat: one(1, () => stat) };

export const evaluateRequest: Message = { Ref: one(1) };

/** Without `LogName` (4), which only names a step, and what says where a layout is: layouts are refused. */
export const resolveImageConfigRequest: Message = {
  Ref: one(1),
  Platform: one(2, () => platform),
  ResolveMode: one(3),
  ResolverType: one(5, "int32"),
};

export const resolveImageConfigResponse: Message = { Digest: one(1), Config: one(2, "bytes"), Ref: one(3) };

export const inputsResponse: Message = { Definitions: map(1, () => definition) };

export const warnRequest: Message = {
  digest: one(1),
  ...warning,
};

const capability: Message = {
  ID: one(1),
  Enabled: one(2, "bool"),
  Deprecated: one(3, "bool"),
  DisabledReason: one(4),
  DisabledReasonMsg: one(5),
  DisabledAlternative: one(6),
};

export const pongResponse: Message = {
  FrontendAPICaps: many(1, () => capability),
  LLBCaps: many(2, () => capability),
  Workers: many(3, () => workerRecord),
};
