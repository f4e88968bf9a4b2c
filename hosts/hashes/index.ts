// The public parts of this folder: hashes of a step's outputs, and of the core.

export { murmur3 } from "./murmur3.js";
export { OUTPUT_KINDS, hashesOf, identityOf } from "./output-hashes.js";
export type { OutputHashes, OutputKind } from "./output-hashes.js";
