// What a container has changed in its image's files: compares its upper directory with the layers below.

import * as fs from "node:fs";
import type { content, engine } from "../../../hosts/shared/index.js";
import { bytesOf, parentOf, textOf } from "../../../hosts/streams/tar/index.js";
import type { Kernel } from "../../kernel.js";
import type { Paths } from "../../paths.js";
import { checked } from "../filesystems.js";
import type { Layers } from "../layers/layers.js";
import { findInLayers, isOpaque, namesInLayers } from "../layers/lower.js";
import { walk, type Found } from "./walk.js";

export interface CompareDeps {
  paths: Paths;
  kernel: Kernel;
}

/** One page of changes, sorted by the bytes of their paths. */
export async function compare(
  { container, chain, after, limit }: content.Compare,
  { paths, kernel }: CompareDeps,
  layers: Layers,
): Promise<engine.Changed[]> {
  const changes = new Changes(layers.lower(chain), kernel);
  for await (const found of walk(paths.upper(checked(container)))) changes.add(found);
  const behind = bytesOf(after).slice(1);
  const names: string[] = [];
  // Allocates nothing for each name, because there may be very many.
  for (const name of changes.kinds.keys()) if (name > behind) names.push(name);
  const page = names.sort().slice(0, limit);
  return page.map((name) => ({ path: textOf(`/${name}`), kind: changes.kinds.get(name)! }));
}

class Changes {
  /** The kinds by name. Names are bytes, one for each character (see `tar/latin1.ts`). */
  readonly kinds = new Map<string, engine.ChangeKind>();
  readonly #lower: readonly string[];
  readonly #kernel: Kernel;

  constructor(lower: readonly string[], kernel: Kernel) {
    this.#lower = lower;
    this.#kernel = kernel;
  }

  add(found: Found): void {
    const { name, path, stat } = found;
    const below = this.#below(name);
    if (stat.isCharacterDevice() && stat.rdev === 0n) {
      if (below) this.#tell(name, "deleted");
      return;
    }
    if (!below) return this.#tell(name, "added");
    const old = fs.lstatSync(below, { bigint: true });
    if (isChanged(stat, old) || this.#capability(path) !== this.#capability(below)) this.#tell(name, "modified");
    if (!stat.isDirectory() || !old.isDirectory() || !isOpaque(path, this.#kernel)) return;
    const kept = new Set(fs.readdirSync(path, "latin1"));
    for (const child of namesInLayers(this.#lower, name, this.#kernel)) {
      if (!kept.has(child)) this.#tell(`${name}/${child}`, "deleted");
    }
  }

  /** What the image has under a name, unless the container created a directory above it. */
  #below(name: string): Buffer | undefined {
    if (this.kinds.get(parentOf(name)) === "added") return undefined;
    return findInLayers(this.#lower, name, this.#kernel);
  }

  /** Also marks the directories above as changed. */
  #tell(name: string, kind: engine.ChangeKind): void {
    this.kinds.set(name, kind);
    for (let at = parentOf(name); at !== "" && !this.kinds.has(at); at = parentOf(at)) this.kinds.set(at, "modified");
  }

  #capability(path: Buffer): string {
    try {
      return Buffer.from(this.#kernel.lgetxattr(path, "security.capability") ?? []).toString("latin1");
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error; // the container has removed it meanwhile
      return "";
    }
  }
}

/** Compares what a copy of a file keeps. Times and sizes of directories say nothing. */
function isChanged(now: fs.BigIntStats, before: fs.BigIntStats): boolean {
  if (now.mode !== before.mode || now.uid !== before.uid || now.gid !== before.gid) return true;
  if (now.isDirectory()) return false;
  return now.mtimeNs !== before.mtimeNs || now.size !== before.size || now.rdev !== before.rdev;
}
