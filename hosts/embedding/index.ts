// coracle-engine: a container engine that speaks the Docker Engine API, in your own program.

export { openEngine } from "./open.js";
export type { CompiledCore, Connection, DryRun, Engine, EngineEvent, EngineOptions, EventQuery } from "./engine.js";
export type { Plan, PlanEntry, PlannedAnswer, PlannedBytes, PlannedEffect, PlannedRecord } from "../dry-run/format.js";

// For a host of your own.
export type {
  Bodies,
  Clock,
  Host,
  Input,
  Journal,
  ExecStdio,
  LogBytes,
  OutputPiece,
  Operation,
  Outcome,
  Perform,
  Progress,
  RecordChange,
  RecordStore,
  RequestId,
  Stdin,
  Stdio,
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
} from "../shared/host.js";
// Browsers have a `Report` and a `FileSystem` of their own. If you forgot the import, you would get those by mistake.
export type { Report as ReportProgress } from "../shared/host.js";
export type { HostOffers } from "../engine/index.js";
export { hostWith } from "../engine/index.js";
export { HostFailure } from "../shared/failure.js";
export { MemoryJournal } from "../shared/journal.js";
export { realClock } from "../shared/clock.js";

// For observers.
export type { Attempt, ObservedRest, ObservedStep, Observer, Opening } from "../driver/index.js";
export type { Effect, HostEffect, Reply, StepOutputs } from "../shared/outputs.js";
export { Recorder } from "../trace/recorder.js";
export type { RecorderOptions, Sink } from "../trace/recorder.js";
export { Ring } from "../trace/ring.js";
export { TraceError, decodeTrace } from "../trace/decode.js";
export type { DecodeOptions } from "../trace/decode.js";
export { OUTPUT_KINDS } from "../trace/format.js";
export type { OutputHashes, OutputKind, Position, Segment, Trace } from "../trace/format.js";
export type { Call as SegmentCall, End as SegmentEnd, Start as SegmentStart } from "../trace/format.js";
export type { Difference, ReplayOptions, ReplayedStep } from "../trace/replay.js";
export { replay } from "./replay.js";
export type { Replay } from "./replay.js";
export { coreIdentity, embeddedCore } from "./core.js";
export { Trap } from "../driver/index.js";

// The simulated host.
export { simulatedHost } from "../simulated/host.js";
export type { SimulatedHost, SimulatedOptions, WorldView } from "../simulated/options.js";
export type { Pace, SimulatedTime } from "../simulated/time.js";
export type { Fault, Faults, SetFault, Whom } from "../simulated/faults.js";
export type { Child, ChildStart, Process, Program } from "../simulated/program.js";
export type { Input as ProcessInput, Output as ProcessOutput } from "../simulated/program.js";
export { Killed, NoProgram } from "../simulated/program.js";
export { FileError } from "../simulated/files/file-system.js";
export type { FileErrorCode, FileKind, FileStatus } from "../simulated/files/file-system.js";
export type { FileSystem as SimulatedFileSystem } from "../simulated/files/file-system.js";
export { fetchTransport } from "../registry/transport.js";
export type { Transport, TransportRequest, TransportResponse } from "../registry/transport.js";
