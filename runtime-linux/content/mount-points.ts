// What is in a container's own files only because something was mounted on it or below it: runtimes make mount points.

import { lstatSync, readdirSync, readlinkSync } from "node:fs";
import { bytesOf, followed, namesAbove, namesOfPaths } from "../../hosts/streams/tar/index.js";
import type { Kernel } from "../kernel.js";
import type { Found } from "./files/walk.js";
import { findInLayers } from "./layers/lower.js";

export class MountPoints {
  readonly #points: ReadonlySet<string>;
  readonly #above: ReadonlySet<string>;
  /** Where the layers below the container have a name. */
  readonly #below: (name: string) => Buffer | undefined;

  /** `paths`: as in `commit`. `lower`: directories of the layers below, the top first. Their links lead to mount points. */
  constructor(paths: readonly string[], lower: readonly string[], kernel: Kernel) {
    this.#below = (name) => findInLayers(lower, name, kernel);
    this.#points = namesOfPaths(paths.map((path) => followed(path, (directory, name) => this.#link(directory, name))));
    this.#above = namesAbove(this.#points);
  }

  /** Whether a file of the container's own is there only because of a mount. */
  has(found: Found): boolean {
    const { name, stat } = found;
    if (this.#points.has(name) && isEmpty(found)) return true;
    if (!this.#above.has(name) || !stat.isDirectory() || this.#below(name) !== undefined) return false;
    return readdirSync(found.path, "latin1").every((child) => this.has(childOf(found, child)));
  }

  #link(directory: string, name: string): string | undefined {
    const found = this.#below(bytesOf(`${directory}/${name}`.replace(/^\/+/, "")));
    return found !== undefined && lstatSync(found).isSymbolicLink() ? readlinkSync(found, "utf8") : undefined;
  }
}

/** Nobody can have changed it while something was mounted on it, so it is there only because of that. */
function isEmpty({ path, stat }: Found): boolean {
  return stat.isDirectory() ? readdirSync(path).length === 0 : stat.isFile() && stat.size === 0n;
}

function childOf({ name, path }: Found, child: string): Found {
  const at = Buffer.from(`${path.toString("latin1")}/${child}`, "latin1");
  return { name: `${name}/${child}`, path: at, stat: lstatSync(at, { bigint: true }) };
}
