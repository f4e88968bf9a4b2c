// The public parts of this folder: what hosts share, such as the Host type, failures as data, and clocks.

export { sendOnOrAnew } from "./begun-upload.js";
export type { Begun, UploadNote } from "./begun-upload.js";
export { fromBase64, toBase64, twelveToBase64 } from "./base64.js";
export { ByteWriter, ascii, textOf } from "./byte-writer.js";
export { ByteBuilder, joined } from "./bytes.js";
export { after, realClock, timeOfDay } from "./clock.js";
export { isWithin, refuseClosed } from "./closed-places.js";
export { isQuestion, lasts, mayBeGivenUp, onlyAsks, subjectIn } from "./commands.js";
export type { Asked, QuestionOf } from "./commands.js";
export { withRates } from "./device-rates.js";
export type { BlockIO, DeviceNumber, ThrottledDevice } from "./device-rates.js";
export {
  HostFailure,
  cutShort,
  damaged,
  failedTool,
  failureOf,
  firstOf,
  failureText,
  faultyName,
  imaginedOnly,
  interrupted,
  isMissing,
  isUnreachable,
  malformed,
  mismatch,
  noSuch,
  placeInVolume,
  refusedByRuntime,
  refusedCall,
  refusedDirectory,
  refusedMount,
  refusedPort,
  refusedProgram,
  silent,
  startBroke,
  tooLarge,
  unmoved,
  wrongKind,
} from "./failure.js";
export { IgnorePatterns } from "./ignore-patterns.js";
export type { PortConnection } from "./port-connection.js";
export type { ProcessSpec } from "./failure.js";
export type {
  Bodies,
  Clock,
  Delivery,
  ExecStdio,
  Host,
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
  Replies,
  SentBefore,
  ReplyOrCut,
  Report,
  RequestBytes,
  RequestId,
  SshAgent,
  KeptBlob,
  SshConnection,
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
} from "./host.js";
export { LateBodies } from "./late-bodies.js";
export { ENTRY_BYTES, JOURNAL_BYTES, MemoryJournal, checkNext, firstNot, sizeOf } from "./journal.js";
export { parseMountOptions } from "./mount-options.js";
export type { Effect, HostEffect, Reply, StepOutputs } from "./outputs.js";
export { resolvConf } from "./resolv-conf.js";
export { turn } from "./turn.js";
export { Unpacking } from "./unpacking.js";
export type { Work } from "./unpacking.js";
export { NO_SPACE, Unwritten } from "./unwritten.js";
export { ACCOUNTS_BYTES_MAX, identify } from "./users.js";
export type { Identity } from "./users.js";
export { VERSION } from "./version.js";
