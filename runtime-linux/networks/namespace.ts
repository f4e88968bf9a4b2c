// Network namespaces of containers. A namespace lives while something holds it. Here a mount on a file holds it, so it
// needs no process.

import { closeSync, openSync, statSync, writeFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { dirname } from "node:path";
import { makePrivate } from "../directories.js";
import { CLONE_NEWNET, MNT_DETACH, type Kernel } from "../kernel.js";

/** Makes a namespace that `file` holds. */
export async function makeNamespace(kernel: Kernel, file: string): Promise<void> {
  makePrivate(dirname(file));
  writeFileSync(file, "");
  await kernel.makeNetwork(file);
}

/**
 * Calls `inside` with the calling thread in the namespace of `file` and returns its result. `inside` must be
 * synchronous.
 */
export function enterNamespace<T>(kernel: Kernel, file: string, inside: () => T): T {
  return elsewhere(kernel, () => {
    const namespace = openSync(file, "r");
    try {
      kernel.setns(namespace, CLONE_NEWNET);
    } finally {
      closeSync(namespace);
    }
    return inside();
  });
}

/** Whether a namespace is mounted on the file. */
export function isNamespace(file: string): boolean {
  const found = statSync(file, { throwIfNoEntry: false });
  return found !== undefined && found.dev !== statSync(dirname(file)).dev;
}

/** Releases a namespace. The kernel removes it, with every interface in it, once no process is left in it. */
export async function releaseNamespace(kernel: Kernel, file: string): Promise<void> {
  while (isNamespace(file)) await kernel.umountAside(file, MNT_DETACH);
  await rm(file, { force: true });
}

const OWN = "/proc/thread-self/ns/net";

/** Only the calling thread changes its namespace. All of this is synchronous, so no other code sees it. */
function elsewhere<T>(kernel: Kernel, there: () => T): T {
  const home = openSync(OWN, "r");
  try {
    return there();
  } finally {
    kernel.setns(home, CLONE_NEWNET);
    closeSync(home);
  }
}
