// Messages of `moby.buildkit.v1.Control` (moby/buildkit, api/services/control/control.proto and api/types/worker.proto).

import { status } from "./status.js";
import { many, map, one, type Message } from "./field.js";
import { definition, input, platform, warning } from "./definition.js";

export const pruneRequest: Message = {
  filter: many(1),
  all: one(2, "bool"),
  keepDuration: one(3, "int64"),
  keepBytes: one(4, "int64"),
  maxUsedSpace: one(5, "int64"),
  minFreeSpace: one(6, "int64"),
};

/** Bytes of a connection that a call carries. */
export const bytesMessage: Message = { data: one(1, "raw") };

export const diskUsageRequest: Message = { filter: many(1) };

export const usageRecord: Message = {
  ID: one(1),
  Mutable: one(2, "bool"),
  InUse: one(3, "bool"),
  Size: one(4, "int64"),
  Parent: one(5),
  CreatedAt: one(6, "time"),
  LastUsedAt: one(7, "time"),
  UsageCount: one(8, "int64"),
  Description: one(9),
  RecordType: one(10),
  Shared: one(11, "bool"),
  Parents: many(12),
};

export const diskUsageResponse: Message = { record: many(1, () => usageRecord) };

const exporter: Message = { Type: one(1), Attrs: map(2) };

/** The attributes may hold credentials: `secrets.ts` empties them, but for those of the type `local`. */
const cache: Message = { Type: one(1), Attrs: map(2) };

const cacheOptions: Message = { Exports: many(4, () => cache), Imports: many(5, () => cache) };

export const solveRequest: Message = {
  Ref: one(1),
  Definition: one(2, () => definition),
  Exporter: one(3),
  ExporterAttrs: map(4),
  Session: one(5),
  Frontend: one(6),
  FrontendAttrs: map(7),
  Cache: one(8, () => cacheOptions),
  Entitlements: many(9),
  FrontendInputs: map(10, () => input),
  Internal: one(11, "bool"),
  Exporters: many(13, () => exporter),
  EnableSessionExporter: one(14, "bool"),
};

export const solveResponse: Message = { ExporterResponse: map(1) };

export const statusRequest: Message = { Ref: one(1) };

const vertex: Message = {
  digest: one(1),
  inputs: many(2),
  name: one(3),
  cached: one(4, "bool"),
  started: one(5, "time"),
  completed: one(6, "time"),
  error: one(7),
};

const vertexStatus: Message = {
  ID: one(1),
  vertex: one(2),
  name: one(3),
  current: one(4, "int64"),
  total: one(5, "int64"),
  timestamp: one(6, "time"),
  started: one(7, "time"),
  completed: one(8, "time"),
};

const vertexLog: Message = { vertex: one(1), timestamp: one(2, "time"), stream: one(3, "int64"), msg: one(4, "bytes") };

const vertexWarning: Message = {
  vertex: one(1),
  ...warning,
};

export const statusResponse: Message = {
  vertexes: many(1, () => vertex),
  statuses: many(2, () => vertexStatus),
  logs: many(3, () => vertexLog),
  warnings: many(4, () => vertexWarning),
};

export const listWorkersRequest: Message = { filter: many(1) };

const gcPolicy: Message = {
  all: one(1, "bool"),
  keepDuration: one(2, "int64"),
  reservedSpace: one(3, "int64"),
  filters: many(4),
  maxUsedSpace: one(5, "int64"),
  minFreeSpace: one(6, "int64"),
};

export const buildkitVersion: Message = { package: one(1), version: one(2), revision: one(3) };

export const workerRecord: Message = {
  ID: one(1),
  Labels: map(2),
  platforms: many(3, () => platform),
  GCPolicy: many(4, () => gcPolicy),
  BuildkitVersion: one(5, () => buildkitVersion),
};

export const listWorkersResponse: Message = { record: many(1, () => workerRecord) };

export const infoResponse: Message = { buildkitVersion: one(1, () => buildkitVersion) };

export const buildHistoryRequest: Message = {
  ActiveOnly: one(1, "bool"),
  Ref: one(2),
  EarlyExit: one(3, "bool"),
  Filter: many(4),
  Limit: one(5, "int32"),
};

/** Without the fields that name blobs: a client could not read them, as there is no content store for it. */
const buildHistoryRecord: Message = {
  Ref: one(1),
  Frontend: one(2),
  FrontendAttrs: map(3),
  Exporters: many(4, () => exporter),
  error: one(5, () => status),
  CreatedAt: one(6, "time"),
  CompletedAt: one(7, "time"),
  ExporterResponse: map(9),
  Generation: one(12, "int32"),
  pinned: one(14, "bool"),
  numCachedSteps: one(15, "int32"),
  numTotalSteps: one(16, "int32"),
  numCompletedSteps: one(17, "int32"),
  numWarnings: one(19, "int32"),
};

export const buildHistoryEvent: Message = { type: one(1, "int32"), record: one(2, () => buildHistoryRecord) };

export const updateBuildHistoryRequest: Message = {
  Ref: one(1),
  Pinned: one(2, "bool"),
  Delete: one(3, "bool"),
  Finalize: one(4, "bool"),
};

/** A message without fields. */
export const empty: Message = {};
