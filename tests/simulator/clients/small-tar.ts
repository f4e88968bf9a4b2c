// Archives that clients copy into containers.

import { rawTar } from "../../support/archives/tar.js";

/** It has a file where the other archive has a directory. */
export function clashingTar(): Uint8Array {
  return rawTar([{ name: "data", flag: "0", mode: 0o644, body: "a file\n" }]);
}

export function smallTar(): Uint8Array {
  return rawTar([
    { name: "data/", flag: "5", mode: 0o755 },
    { name: "data/file", flag: "0", mode: 0o644, body: "copied\n" },
  ]);
}
