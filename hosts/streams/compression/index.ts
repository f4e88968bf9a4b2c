// The public parts of this folder: compression: recognizing it, and undoing it.

export { decompressed } from "./decompress.js";
export { compressionOf, recognized } from "./recognize.js";
export { bunzip2, unxz } from "./rare.js";
