// The network namespace of a container, which its first network makes.

import { findRunning } from "../launch/joined-namespaces.js";
import type { Kernel } from "../kernel.js";
import type { Paths } from "../paths.js";
import { holdNamespace, isNamespace, makeNamespace } from "./namespace.js";

/** Whether the container's namespace had to be made. */
export async function ensureNamespace(kernel: Kernel, paths: Paths, container: string): Promise<boolean> {
  const file = paths.namespace(container);
  if (isNamespace(file) || (await takeRunning(kernel, paths, container))) return false;
  await makeNamespace(kernel, file);
  return true;
}

/** Holds the namespace of a container that is running without networks. False if it is not running. */
async function takeRunning(kernel: Kernel, paths: Paths, container: string): Promise<boolean> {
  const running = findRunning(container, paths);
  if (running === undefined) return false;
  await holdNamespace(kernel, paths.namespace(container), running.process);
  return true;
}
