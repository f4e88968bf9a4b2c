// The public parts of this folder: archives in tar format: names, headers, readers and writers.

export {
  absolutePath,
  firstMember,
  followed,
  lastPart,
  namesAbove,
  namesOfPaths,
  refusedKind,
} from "./archive-names.js";
export { BLOCK, ownerSet } from "./entry.js";
export type { EntryType, TarEntry } from "./entry.js";
export { SplittingReader } from "./split.js";
export type { SplitPart, PlacingSink } from "./split.js";
export { malformed } from "./header.js";
export { bytesOf, isAscii, latin1Bytes, textOf } from "./latin1.js";
export {
  META,
  OPAQUE,
  WHITEOUT,
  baseOf,
  cleanName,
  nameBelow,
  parentOf,
  refuseClimbingLink,
  refuseInPlace,
  targetBelow,
} from "./names.js";
export { TarReader } from "./reader.js";
export { savedArchive } from "./saved.js";
export type { LayerTars } from "./saved.js";
export { UNLIMITED, limited, limitsOf } from "./sink.js";
export type { TarLimits, TarSink } from "./sink.js";
export { endOfArchive, headerOf, NOTHING, paddingOf } from "./writer.js";
