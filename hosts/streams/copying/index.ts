// The public parts of this folder: choosing and copying files of containers.

export { chosenFiles } from "./choose.js";
export { copyFiles, copyGiven } from "./copy.js";
export type { CopySource, Hashing } from "./source.js";
