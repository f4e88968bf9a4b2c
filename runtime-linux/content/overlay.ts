// Mounts overlayfs (Linux overlayfs.rst).

import { closeSync, constants, openSync, readFileSync } from "node:fs";
import { MS_RDONLY, type Kernel } from "../kernel.js";

export interface OverlayDirectories {
  /** The top first; at least one. */
  lower: readonly string[];
  upper: string;
  work: string;
}

/** Takes as many layers as the kernel does (500). */
export async function mountOverlay(
  kernel: Kernel,
  target: string,
  { lower, upper, work }: OverlayDirectories,
): Promise<void> {
  const { names, held } = namesOf(lower);
  const directories = `lowerdir=${names},upperdir=${escaped(upper)},workdir=${escaped(work)}`;
  try {
    await kernel.mountAside("overlay", target, "overlay", 0, [directories, ...unwanted()].join(","));
  } finally {
    held.forEach(closeSync);
  }
}

/** Mounts layers that nobody can change. `lower`: the top first; at least two. */
export function mountLayers(kernel: Kernel, target: string, lower: readonly string[]): void {
  const { names, held } = namesOf(lower);
  try {
    kernel.mount("overlay", target, "overlay", MS_RDONLY, [`lowerdir=${names}`, ...unwanted()].join(","));
  } finally {
    held.forEach(closeSync);
  }
}

/** mount(2) takes one page of options. Many names fit only in a short form, while their directories are held open. */
function namesOf(lower: readonly string[]): { names: string; held: number[] } {
  const names = lower.map((path) => escaped(path).replaceAll(":", "\\:"));
  const held: number[] = [];
  if (names.reduce((size, name) => size + Buffer.byteLength(name) + 1, 0) < ROOM_FOR_NAMES)
    return { names: names.join(":"), held };
  try {
    for (const path of lower) held.push(openSync(path, constants.O_RDONLY | constants.O_DIRECTORY));
  } catch (error) {
    held.forEach(closeSync);
    throw error;
  }
  return { names: held.map((fd) => `/proc/self/fd/${fd}`).join(":"), held };
}

/**
 * Turns off features that a kernel may have on by default. With `redirect_dir` and `metacopy`, an upper directory alone
 * does not show what a container has written; `index` ties it to the exact layers of its first mount.
 */
function unwanted(): string[] {
  return ["index", "metacopy", "redirect_dir"].filter(isOn).map((name) => `${name}=off`);
}

function isOn(parameter: string): boolean {
  try {
    return readFileSync(`/sys/module/overlay/parameters/${parameter}`, "latin1").startsWith("Y");
  } catch {
    return false;
  }
}

/** Commas end an option; backslashes quote. */
function escaped(path: string): string {
  return path.replaceAll(/[\\,]/g, "\\$&");
}

/** One page, minus the other directories and options. */
const ROOM_FOR_NAMES = 3000;
