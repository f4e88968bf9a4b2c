// Mounts overlayfs (Linux overlayfs.rst).

import { closeSync, constants, openSync, readFileSync } from "node:fs";
import type { Kernel } from "../kernel.js";

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
  const mount = async (names: readonly string[]): Promise<void> => {
    const directories = `lowerdir=${names.join(":")},upperdir=${escaped(upper)},workdir=${escaped(work)}`;
    await kernel.mountAside("overlay", target, "overlay", 0, [directories, ...unwanted()].join(","));
  };
  const names = lower.map((path) => escaped(path).replaceAll(":", "\\:"));
  // mount(2) takes one page of options. Many names fit only in a short form.
  if (names.reduce((size, name) => size + Buffer.byteLength(name) + 1, 0) < ROOM_FOR_NAMES) return mount(names);
  const open: number[] = [];
  try {
    for (const path of lower) open.push(openSync(path, constants.O_RDONLY | constants.O_DIRECTORY));
    await mount(open.map((fd) => `/proc/self/fd/${fd}`));
  } finally {
    open.forEach(closeSync);
  }
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
