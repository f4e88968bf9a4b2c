// coracle-engine: a container engine that speaks the Docker Engine API, in your own program.

export { openEngine } from "./open.js";
export type { Connection, Engine, EngineEvent, EngineOptions, EventQuery } from "./engine.js";

// A host of one's own.
export type {
  Bodies,
  Clock,
  Host,
  Input,
  LogBytes,
  Operation,
  Outcome,
  Perform,
  Progress,
  RecordStore,
  Report,
  RequestId,
  Stdin,
  Stdio,
  content,
  engine,
  networks,
  processes,
  records,
  timers,
  types,
  volumes,
} from "../host.js";
export { HostFailure } from "../failure.js";
export { realClock } from "../clock.js";

// Those who watch.
export type { Attempt, ObservedStep, Observer, Opening } from "../observer.js";

// The simulated host.
export type { SimulatedHost, SimulatedOptions, WorldView } from "../simulated/options.js";
export type { Pace, SimulatedTime } from "../simulated/time.js";
export type { Fault, Faults, SetFault } from "../simulated/faults.js";
export type { Child, ChildStart, Input as ProcessInput, Output, Process, Program } from "../simulated/program.js";
export { Killed, NoProgram } from "../simulated/program.js";
export { FileError } from "../simulated/files/file-system.js";
export type { FileKind, FileStatus, FileSystem } from "../simulated/files/file-system.js";
export { fetchTransport } from "../registry/transport.js";
export type { Transport, TransportRequest, TransportResponse } from "../registry/transport.js";
