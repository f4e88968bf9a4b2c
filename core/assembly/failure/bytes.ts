// Messages for bytes that are wrong or damaged (surface §6.3).

import { Damage, Damaged, Digested, Mismatch } from "../../../build/bindings/types";
import { FailureKind } from "./failure-kind";

export function mismatchText(bytes: Mismatch): string {
  switch (bytes.what) {
    case Digested.Manifest:
      return `manifest verification failed for digest ${bytes.wanted}`;
    case Digested.Blob:
      return `filesystem layer verification failed for digest ${bytes.wanted}`;
    case Digested.DiffId:
      return "layers from manifest don't match image configuration";
    default:
      return `tar of a layer is ${bytes.found}, not ${bytes.wanted}`;
  }
}

/** The data of a registry or a file ends too early. */
export const CUT = "unexpected EOF";

/** An unknown type of entry may have been written by a newer program. */
export function damageKind(what: Damage): FailureKind {
  return what == Damage.TarType ? FailureKind.Unsupported : FailureKind.Corrupt;
}

export function damageText(bytes: Damaged): string {
  switch (bytes.what) {
    case Damage.Cut:
      return CUT;
    case Damage.Compression:
      return `decompression failed: ${bytes.said}`;
    case Damage.TarHeader:
      return "archive/tar: invalid tar header";
    case Damage.TarType:
      return `unhandled tar header type ${bytes.said}`;
    case Damage.SparseMissing:
      return "archive/tar: sparse file references non-existent data";
    case Damage.LayerFile:
      return `"${bytes.said}" is not what it was when its layer was unpacked`;
    case Damage.TagList:
      return "list of tags is not JSON";
    default:
      return "archive/tar: sparse file contains unreferenced data";
  }
}
