// Digests of documents from outside, by the algorithms of the OCI image spec ("Registered Algorithms") that can be verified
// here, and by SHA-384, which Docker knows, too.

import { digestOf } from "../text/sha256";
import { sha384Hex, sha512Hex } from "../text/sha512";

/** Whether bytes have a digest; false if its algorithm is unknown here. */
export function hasDigest(bytes: Uint8Array, digest: string): bool {
  if (digest.startsWith("sha512:")) return digest == `sha512:${sha512Hex(bytes)}`;
  if (digest.startsWith("sha384:")) return digest == `sha384:${sha384Hex(bytes)}`;
  return digest == digestOf(bytes);
}
