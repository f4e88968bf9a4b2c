// Finds names in a stack of layers as overlayfs would merge them, but reads the layers directly.

import { lstatSync, readdirSync } from "node:fs";
import type { Kernel } from "../../kernel.js";
import { bytesOf } from "../../../hosts/streams/tar/index.js";

/**
 * The path of a file. `layers` are directories, the top first. The name is bytes, one for each character. Links on the
 * way are not followed, so files behind them are not found.
 */
export function findInLayers(layers: readonly string[], name: string, kernel: Kernel): Buffer | undefined {
  const parts = name.split("/");
  for (const layer of layers) {
    const found = findInLayer(bytesOf(layer), parts, kernel);
    if (found !== "below") return found;
  }
  return undefined;
}

/** `below`: this layer has nothing to say about the name. */
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

/** Names in a directory of the stack. Links are not followed here either. */
export function namesInLayers(layers: readonly string[], name: string, kernel: Kernel): string[] {
  const names = new Set(layers.flatMap((layer) => namesIn(Buffer.from(`${bytesOf(layer)}/${name}`, "latin1"))));
  return [...names].filter((child) => findInLayers(layers, `${name}/${child}`, kernel) !== undefined);
}

function namesIn(path: Buffer): string[] {
  try {
    return readdirSync(path, "latin1");
  } catch {
    return []; // not in this layer, or not a directory there
  }
}

export function isOpaque(path: Buffer, kernel: Kernel): boolean {
  try {
    return (kernel.lgetxattr(path, "trusted.overlay.opaque")?.length ?? 0) > 0;
  } catch {
    return false;
  }
}
