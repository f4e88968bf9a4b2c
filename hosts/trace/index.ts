// The public parts of this folder: recording, reading, replaying and sharing traces.

export { Chain, SUM_BYTES, leavePlace } from "./chain.js";
export { TraceError, decodeSegments, decodeTrace } from "./decode.js";
export type { DecodeOptions } from "./decode.js";
export { compareTraces } from "./difference.js";
export type { Call, End, Position, Segment, Start, Trace } from "./format.js";
export { deflatedLine, deflatedSnapshotLine, endLine } from "./lines.js";
export { Recorder } from "./recorder.js";
export type { RecorderOptions, ShorteningSink, Sink } from "./recorder.js";
export { replay } from "./replay.js";
export type { Difference, ReplayOptions, ReplayedStep } from "./replay.js";
export { Ring } from "./ring.js";
export { isShared, listen, listening, share } from "./shared.js";
export { tell, telling } from "./tell.js";
