// The public parts of this folder: the simulated host, its faults and time, and its programs.

export type { Cable, Fault, Faults, SetFault, Whom } from "./faults.js";
export { Disk } from "./files/disk.js";
export { FileError } from "./files/file-system.js";
export type { FileErrorCode, FileKind, FileStatus, FileSystem } from "./files/file-system.js";
export { MountedFiles } from "./files/mounted-files.js";
export { simulatedHost } from "./host.js";
export { KNOWN, runtimesOf } from "./machine.js";
export { loopbackOnly } from "./networks.js";
export type { PacketAim, PortDoors, SimulatedHost, SimulatedOptions, WorldView } from "./options.js";
export type { Kernel } from "./processes/kernel.js";
export { PidNamespace } from "./processes/pid-namespace.js";
export { Pipe, never } from "./processes/streams.js";
export type { Sink, Source } from "./processes/streams.js";
export { Killed, NoProgram } from "./program.js";
export type {
  Child,
  ChildStart,
  Input,
  Output,
  Process,
  ProcessDatagrams,
  ProcessListener,
  ProcessNetwork,
  ProcessSocket,
  Program,
} from "./program.js";
export { PROGRAMS } from "./programs/table.js";
export { SocketError } from "./traffic/errors.js";
export type { SocketErrorCode } from "./traffic/errors.js";
export { seededRandom } from "./random.js";
export { ACCOUNT, PRIVATE } from "./registry/images.js";
export type { Pace, SimulatedTime } from "./time.js";
export { EngineSocket } from "./engine-socket.js";
export { WorldTime } from "./world-time.js";
