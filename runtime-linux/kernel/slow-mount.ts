// Mounts on a thread of its own: a server of files that does not answer keeps the call waiting for minutes.

import { createRequire } from "node:module";
import { Worker } from "node:worker_threads";

/** The arguments of mount(2). */
export type MountCall = [source: string, target: string, type: string, flags: number, data: string];

/** The errno; 0 on success. Rejects if the thread does not work. */
export function slowMount(mount: MountCall): Promise<number> {
  const workerData = { koffi: createRequire(import.meta.url).resolve("koffi"), mount };
  const thread = new Worker(PROGRAM, { eval: true, workerData, execArgv: [] });
  return new Promise((resolve, reject) => {
    thread.on("message", resolve);
    thread.on("error", reject);
    thread.on("exit", () => reject(new Error("the thread that mounts has ended")));
  });
}

/** A text, so that it needs no file of its own when bundled. */
const PROGRAM = `
  const { parentPort, workerData } = require("node:worker_threads");
  const koffi = require(workerData.koffi);
  const mount = koffi.load(null).func("int mount(const char *source, const char *target, const char *type, unsigned long flags, const char *data)");
  parentPort.postMessage(mount(...workerData.mount) < 0 ? koffi.errno() : 0);
`;
