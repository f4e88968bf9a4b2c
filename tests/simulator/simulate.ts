// Runs `npm run simulate` as people do.

import { spawn } from "node:child_process";
import { constants, setPriority } from "node:os";
import { fileURLToPath } from "node:url";

const SETUP = fileURLToPath(new URL("../../hosts/node/setup.mjs", import.meta.url));

/** The output of `npm run simulate`. It runs with a lower priority, since it has no timeouts and other tests do. */
export function simulate(...args: string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [SETUP, "simulate", ...args], { stdio: ["ignore", "pipe", "pipe"] });
    if (child.pid !== undefined) setPriority(child.pid, constants.priority.PRIORITY_BELOW_NORMAL);
    let text = "";
    child.stdout.on("data", (bytes: Buffer) => (text += bytes.toString()));
    child.stderr.on("data", (bytes: Buffer) => (text += bytes.toString()));
    child.on("error", reject);
    child.on("close", () => resolve(text));
  });
}
