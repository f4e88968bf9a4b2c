// Stubs: empty files and directories that an OCI runtime mounts something on. They have a layer of their own between
// the image's layers and the container's changes, so that they do not count as written by the container.

import * as fs from "node:fs";
import type { Kernel } from "../kernel.js";
import { copyAttributes } from "./files/copy.js";
import { findInLayers } from "./layers/lower.js";
import { parentOf } from "../../hosts/streams/tar/index.js";

/** Fills an empty directory with the stubs that are missing in the layers below, the top first. */
export function makeStubs(root: string, layers: readonly string[], kernel: Kernel): void {
  const find = (name: string): Buffer | undefined => findInLayers(layers, name, kernel);
  const copied = new Map<string, Buffer>();
  for (const { name, type } of STUBS) {
    if (stands(find(name), type)) continue;
    const parent = parentOf(name);
    const below = parent === "" ? undefined : find(parent);
    if (parent !== "") fs.mkdirSync(`${root}/${parent}`, { recursive: true, mode: 0o755 });
    if (below && kindOf(below) === "directory") copied.set(parent, below);
    make(`${root}/${name}`, type);
  }
  fs.chmodSync(root, 0o755);
  // Last, since every file that is put into a directory changes its times.
  for (const [name, below] of copied) copyAttributes(below, Buffer.from(`${root}/${name}`), kernel);
}

/**
 * Whether a stub may stay as the image has it. A link, or a file instead of a directory, is replaced, as dockerd does:
 * runtimes would mount elsewhere or refuse it.
 */
function stands(found: Buffer | undefined, wanted: Stub["type"]): boolean {
  if (!found) return false;
  const kind = kindOf(found);
  if (wanted === "directory") return kind === "directory";
  return wanted === "link" || kind !== "link";
}

function kindOf(path: Buffer): Stub["type"] {
  const stat = fs.lstatSync(path);
  if (stat.isSymbolicLink()) return "link";
  return stat.isDirectory() ? "directory" : "file";
}

function make(path: string, type: Stub["type"]): void {
  if (type === "directory") fs.mkdirSync(path, { recursive: true });
  else if (type === "file") fs.writeFileSync(path, "", { flag: "wx" });
  else fs.symlinkSync("/proc/mounts", path);
  if (type !== "link") fs.chmodSync(path, 0o755);
}

interface Stub {
  name: string;
  type: "directory" | "file" | "link";
}

/** The same as dockerd's, including modes. */
const STUBS: readonly Stub[] = [
  { name: "dev", type: "directory" },
  { name: "dev/pts", type: "directory" },
  { name: "dev/shm", type: "directory" },
  { name: "dev/console", type: "file" },
  { name: "proc", type: "directory" },
  { name: "sys", type: "directory" },
  { name: ".dockerenv", type: "file" },
  { name: "etc", type: "directory" },
  { name: "etc/resolv.conf", type: "file" },
  { name: "etc/hosts", type: "file" },
  { name: "etc/hostname", type: "file" },
  { name: "etc/mtab", type: "link" },
];
