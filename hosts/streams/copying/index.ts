// The public parts of this folder: choosing and copying files of containers.

export { chosenFiles } from "./choose.js";
export { copyFiles } from "./copy.js";
export { describedBy, modifiedAt, putDownload } from "./download.js";
export type { Arrived, Incoming } from "./download.js";
export { copyGiven } from "./given.js";
export { endsOf, upTo } from "./part.js";
export { pour } from "./source.js";
export type { CopySource, CopyTarget, Hashing, Wants } from "./source.js";
