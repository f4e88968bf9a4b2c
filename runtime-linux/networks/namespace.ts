// Network namespaces of containers. A namespace lives while something holds it. Here a mount on a file holds it, so it
// needs no process.

import { closeSync, fstatSync, openSync, statSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { pid } from "node:process";
import { noSuch } from "../../hosts/shared/index.js";
import { makePrivate, removeFile } from "../directories.js";
import { isAlive, type FirstProcess } from "../ends/run.js";
import { CLONE_NEWNET, MNT_DETACH, MS_BIND, type Kernel } from "../kernel.js";

/** Makes a namespace that `file` holds. */
export async function makeNamespace(kernel: Kernel, file: string): Promise<void> {
  makePrivate(dirname(file));
  writeFileSync(file, "");
  await kernel.makeNetwork(file);
}

/**
 * Holds a process's namespace by `file`, too, but never that of the machine itself. The process may end meanwhile, and
 * its id may become another one's: what was opened counts, and it is the process's if that is alive afterwards.
 */
export async function holdNamespace(kernel: Kernel, file: string, process: FirstProcess): Promise<void> {
  const opened = openSync(`/proc/${process.pid}/ns/net`, "r");
  try {
    if (fstatSync(opened).ino === statSync(OWN).ino || !isAlive(process)) throw noSuch("run");
    makePrivate(dirname(file));
    writeFileSync(file, "");
    await kernel.mountAside(`/proc/${pid}/fd/${opened}`, file, "", MS_BIND, "");
  } finally {
    closeSync(opened);
  }
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
  await removeFile(file);
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
