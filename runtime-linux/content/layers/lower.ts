// What a stack of layers has under a name, read from the layers themselves as overlayfs would merge them.

import { lstatSync, readdirSync } from "node:fs";
import type { Kernel } from "../../kernel.js";
import { bytesOf } from "../../../hosts/streams/tar/latin1.js";

/**
 * Where a file stands. `layers` are directories, the top first; the name is bytes, one per character. Links on the way
 * are not followed: what lies behind one is not found.
 */
export function findInLayers(layers: readonly string[], name: string, kernel: Kernel): Buffer | undefined {
  const parts = name.split("/");
  for (const layer of layers) {
    const found = findInLayer(bytesOf(layer), parts, kernel);
    if (found !== "below") return found;
  }
  return undefined;
}

/** `below`: this layer says nothing of it. */
function findInLayer(layer: string, parts: readonly string[], kernel: Kernel): Buffer | undefined | "below" {
  let opaque = false;
  let path = layer;
  for (const [index, part] of parts.entries()) {
    path += `/${part}`;
    const at = Buffer.from(path, "latin1");
    const stat = lstatSync(at, { throwIfNoEntry: false });
    if (!stat) return opaque ? undefined : "below";
    if (stat.isCharacterDevice() && stat.rdev === 0) return undefined;
    if (index === parts.length - 1) return at;
    if (!stat.isDirectory()) return undefined;
    opaque ||= isOpaque(at, kernel);
  }
  return undefined;
}

/** Names in a directory of the stack. The same holds for links. */
export function namesInLayers(layers: readonly string[], name: string, kernel: Kernel): string[] {
  const names = new Set(layers.flatMap((layer) => namesIn(Buffer.from(`${bytesOf(layer)}/${name}`, "latin1"))));
  return [...names].filter((child) => findInLayers(layers, `${name}/${child}`, kernel) !== undefined);
}

function namesIn(path: Buffer): string[] {
  try {
    return readdirSync(path, "latin1");
  } catch {
    return []; // not in this layer, or no directory there
  }
}

export function isOpaque(path: Buffer, kernel: Kernel): boolean {
  try {
    return (kernel.lgetxattr(path, "trusted.overlay.opaque")?.length ?? 0) > 0;
  } catch {
    return false;
  }
}
