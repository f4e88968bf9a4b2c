// `npm start` with nothing but the sources.

import { spawnSync } from "node:child_process";
import { chmodSync, cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { ROOT } from "../support/engines.js";

/** `nobody`, as most systems number it. */
const NOBODY = 65534;

test("a user who may not start the daemon is told before anything is installed or built", () => {
  const directory = mkdtempSync(join(tmpdir(), "coracle-start-"));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  chmodSync(directory, 0o755);
  for (const name of ["start.mjs", "setup.mjs", "setup"]) {
    cpSync(join(ROOT, "hosts/node", name), join(directory, "hosts/node", name), { recursive: true });
  }
  const user = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {};
  const start = spawnSync(process.execPath, [join(directory, "hosts/node/start.mjs")], { encoding: "utf8", ...user });
  expect(start).toMatchObject({ status: 1, stdout: "" });
  expect(start.stderr).toBe(
    "coracle: the daemon must be run as root\n" +
      "To try it without root, with simulated containers: npm start -- --simulated\n",
  );
});
