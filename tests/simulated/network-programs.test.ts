// ping, nslookup, wget, nc and httpd of the simulated world against the machine's real busybox: the same scripts must give
// the same output, errors and exit codes. The real ones run in a network namespace that has only its loopback.

import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { describeUnless } from "../support/on-engines.js";
import { sandbox } from "./process-fixture.js";

const BUSYBOX = "/bin/busybox";

const SCRIPTS = readFileSync(new URL("network-scripts.txt", import.meta.url), "utf8")
  .split(/^---\n/m)
  .map((script) => script.replace(/\n$/, ""));

describeUnless(missing(), "networks as busybox uses them", () => {
  let directory: string;
  let applets: string;

  beforeAll(() => {
    directory = mkdtempSync(join(tmpdir(), "coracle-network-"));
    applets = join(directory, "bin");
    mkdirSync(applets);
    for (const name of execFileSync(BUSYBOX, ["--list"], { encoding: "utf8" }).trim().split("\n"))
      symlinkSync(BUSYBOX, join(applets, name));
  });

  afterAll(() => rmSync(directory, { recursive: true, force: true }));

  it.each(SCRIPTS)("%s", async (script) => {
    const place = mkdtempSync(join(directory, "run-"));
    const apart = ["--net", "--pid", "--fork", "--mount-proc", "sh", "-c", `${ALONE} exec sh -c "$SCRIPT"`];
    const env = { PATH: `${applets}:${process.env["PATH"]}`, SCRIPT: script };
    const real = spawnSync("unshare", apart, { cwd: place, env, encoding: "utf8" });
    const simulated = await sandbox().run(script);
    expect(plain(simulated)).toEqual(plain({ stdout: real.stdout, stderr: real.stderr, code: real.status }));
  });
});

/** Its own name servers: none. */
const ALONE = "ip link set lo up; echo > /tmp/none.$$; mount --bind /tmp/none.$$ /etc/resolv.conf; rm /tmp/none.$$;";

function missing(): string | null {
  if (process.getuid?.() !== 0) return "a network namespace needs root";
  return existsSync(BUSYBOX) ? null : `needs ${BUSYBOX}`;
}

/** Without times, and without what depends on the time of a file. */
function plain<T extends { stdout: string; stderr: string }>(ran: T): T {
  const timeless = (text: string): string =>
    text
      .replace(/time=\d+\.\d{3} ms/g, "time=T ms")
      .replace(/= [\d.]+\/[\d.]+\/[\d.]+ ms/g, "= T ms")
      .replace(/^(Date|Last-Modified): \w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT/gm, "$1: T")
      .replace(/^ETag: "[0-9a-f]+-/gm, 'ETag: "T-');
  return { ...ran, stdout: timeless(ran.stdout), stderr: timeless(ran.stderr) };
}
