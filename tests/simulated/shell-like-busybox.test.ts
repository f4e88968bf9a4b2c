// The simulated shell and programs against the machine's real busybox: the same scripts must give the same output,
// errors and exit codes. Each script runs in an empty directory.

import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { sandbox } from "./process-fixture.js";
import { describeUnless } from "../support/on-engines.js";

const BUSYBOX = "/bin/busybox";
const missing = existsSync(BUSYBOX) ? null : `needs ${BUSYBOX}`;

/** Scripts are separated by lines of `---`; the text before `###` on such a line is the title. */
const SCRIPTS = readFileSync(new URL("shell-scripts.txt", import.meta.url), "utf8")
  .split(/^---\n/m)
  .map((script) => script.replace(/\n$/, ""))
  .filter((script) => script.trim() !== "");

describeUnless(missing, "as busybox does it", () => {
  let directory: string;
  let applets: string;

  beforeAll(() => {
    directory = mkdtempSync(join(tmpdir(), "coracle-shell-"));
    applets = join(directory, "bin");
    mkdirSync(applets);
    for (const name of execFileSync(BUSYBOX, ["--list"], { encoding: "utf8" }).trim().split("\n"))
      symlinkSync(BUSYBOX, join(applets, name));
  });

  afterAll(() => rmSync(directory, { recursive: true, force: true }));

  it.each(SCRIPTS)("%s", async (script) => {
    const place = mkdtempSync(join(directory, "run-"));
    const env = { PATH: applets, HOME: "/root" };
    const input = "one\ntwo words\nthree\n";
    const real = spawnSync(join(applets, "sh"), ["-c", script], {
      cwd: place,
      env,
      input,
      argv0: "sh",
      encoding: "utf8",
    });
    const simulated = await sandbox().run(script, { stdin: input });
    const plain = (text: string): string => text.replaceAll(`${place}`, "/tmp").replaceAll(applets, "/bin");
    expect(simulated).toEqual({
      stdout: plain(real.stdout),
      stderr: plain(real.stderr),
      code: real.status ?? 128 + 15,
    });
  });
});
