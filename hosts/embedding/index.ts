// coracle-engine: a container engine that speaks the Docker Engine API, in your own program.

export { openEngine } from "./open.js";
export type {
  CompiledCore,
  Connection,
  DryRun,
  Engine,
  EngineEvent,
  EngineOptions,
  EventQuery,
  PortConnection,
} from "./engine.js";
export type { Plan, PlanEntry, PlannedAnswer, PlannedBytes, PlannedEffect, PlannedRecord } from "../dry-run/index.js";

// For a host of your own.
export { HostFailure, MemoryJournal, realClock } from "../shared/index.js";
export type {
  Bodies,
  Clock,
  Delivery,
  Effect,
  ExecStdio,
  Host,
  HostEffect,
  Input,
  Journal,
  LogBytes,
  Operation,
  Outcome,
  OutputPiece,
  Perform,
  Progress,
  RecordChange,
  RecordStore,
  Reply,
  Report as ReportProgress,
  RequestBytes,
  RequestId,
  SentBefore,
  SshAgent,
  KeptBlob,
  SshConnection,
  Stdin,
  Stdio,
  StepOutputs,
  content,
  engine,
  failures,
  networks,
  processes,
  records,
  replies,
  timers,
  types,
  volumes,
} from "../shared/index.js";
// Browsers have a `Report` and a `FileSystem` of their own. If you forgot the import, you would get those by mistake.
export type { HostOffers } from "../engine/index.js";
export { hostWith } from "../engine/index.js";

// For observers.
export type { Attempt, ObservedRest, ObservedStep, Observer, Opening } from "../driver/index.js";
export { Recorder, Ring, TraceError, decodeTrace } from "../trace/index.js";
export type {
  Call as SegmentCall,
  DecodeOptions,
  Difference,
  End as SegmentEnd,
  Position,
  RecorderOptions,
  ReplayOptions,
  ReplayedStep,
  Segment,
  Sink,
  Start as SegmentStart,
  Trace,
} from "../trace/index.js";
export { OUTPUT_KINDS } from "../hashes/index.js";
export type { OutputHashes, OutputKind } from "../hashes/index.js";
export { replay } from "./replay.js";
export type { Replay } from "./replay.js";
export { coreIdentity, embeddedCore } from "./core.js";
export { Trap } from "../driver/index.js";

// The simulated host.
export { FileError, Killed, NoProgram, SocketError, simulatedHost } from "../simulated/index.js";
export type {
  Cable,
  Child,
  ChildStart,
  Fault,
  Faults,
  FileErrorCode,
  FileKind,
  FileStatus,
  FileSystem as SimulatedFileSystem,
  Input as ProcessInput,
  Output as ProcessOutput,
  Pace,
  PacketAim,
  PortDoors,
  Process,
  ProcessDatagrams,
  ProcessListener,
  ProcessNetwork,
  ProcessSocket,
  Program,
  SetFault,
  SimulatedHost,
  SimulatedOptions,
  SimulatedTime,
  SocketErrorCode,
  Whom,
  WorldView,
} from "../simulated/index.js";
export { fetchTransport } from "../registry/index.js";
export type { RequestBody, Transport, TransportRequest, TransportResponse } from "../registry/index.js";
