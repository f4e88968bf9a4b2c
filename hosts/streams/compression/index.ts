// The public parts of this folder: compression: recognizing it, and undoing it.

export { bunzip2 } from "./bzip2.js";
export { decompressed } from "./decompress.js";
export { compressionOf, recognized } from "./recognize.js";
export { unxz } from "./xz.js";
