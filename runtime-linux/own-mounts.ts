// Mounts that an engine makes itself, beside the bundle of a run, for the runtime to bind: they go with the run.

import { closeSync, constants, existsSync, fstatSync, mkdirSync, openSync, readdirSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { HostFailure } from "../hosts/failure.js";
import { confine } from "./confine.js";
import { MNT_DETACH, MS_BIND, MS_REC, type Kernel } from "./kernel.js";
import type { Paths } from "./paths.js";
import type { Run } from "./run.js";

/** A descriptor that stands for a place only (open(2)). */
const O_PATH = 0o10000000;

export class OwnMounts {
  readonly #directory: string;

  constructor(
    run: Run,
    readonly paths: Paths,
    readonly kernel: Kernel,
  ) {
    this.#directory = directoryOf(run);
  }

  /** Where the source of a mount is, if it is one that has to be made: of `volume:NAME/PATH`. */
  source(source: string): string | undefined {
    const [, name, path] = /^volume:([^/]+)\/(.+)$/.exec(source) ?? [];
    return name !== undefined && path !== undefined ? this.#below(name, path) : undefined;
  }

  /**
   * Something in a volume, bound while it is held open: whoever writes to the volume meanwhile cannot put a link in its
   * place that leads out.
   */
  #below(name: string, path: string): string {
    const held = openBelow(this.paths.volume(name), path, name);
    try {
      const target = this.#place(fstatSync(held).isDirectory());
      this.kernel.mount(`/proc/self/fd/${held}`, target, "", MS_BIND | MS_REC, "");
      return target;
    } finally {
      closeSync(held);
    }
  }

  #place(isDirectory: boolean): string {
    mkdirSync(this.#directory, { recursive: true, mode: 0o700 });
    const target = join(this.#directory, String(readdirSync(this.#directory).length));
    if (isDirectory) mkdirSync(target);
    else writeFileSync(target, "");
    return target;
  }
}

/** To be called before the run's directory is removed: what is mounted there would be emptied. */
export function unmountOwn(run: Run, kernel: Kernel): void {
  const directory = directoryOf(run);
  if (!existsSync(directory)) return;
  for (const name of readdirSync(directory)) unmount(join(directory, name), kernel);
}

function unmount(path: string, kernel: Kernel): void {
  try {
    kernel.umount(path, MNT_DETACH);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EINVAL") throw error; // a crash came before the mount
  }
}

function directoryOf(run: Run): string {
  return join(run.directory, "mounts");
}

/** Opens it name by name; none of the names is a link when it is gone through. */
function openBelow(root: string, path: string, volume: string): number {
  let held = openSync(root, O_PATH | constants.O_DIRECTORY);
  try {
    for (const name of relative(root, confine(root, path)).split("/").filter(Boolean)) {
      const next = openSync(`/proc/self/fd/${held}/${name}`, O_PATH | constants.O_NOFOLLOW);
      closeSync(held);
      held = next;
      if (fstatSync(held).isSymbolicLink()) throw new HostFailure("invalid", `${path} of volume ${volume} is changing`);
    }
    return held;
  } catch (error) {
    closeSync(held);
    const { code } = error as NodeJS.ErrnoException;
    if (code !== "ENOENT" && code !== "ENOTDIR" && code !== "ELOOP") throw error;
    throw new HostFailure("invalid", `cannot access path ${path} of volume ${volume}: no such file or directory`);
  }
}
