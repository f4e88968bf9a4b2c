// The examples do what they say.

import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { buildSync } from "esbuild";
import { openEngine, simulatedHost } from "coracle-engine";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { withoutAdministrators } from "./examples/own-host.js";
import { PackedPackage, ROOT } from "./packed-package.js";

const EXAMPLE = join(ROOT, "tests/embedding/examples/run-container.ts");
let packed: PackedPackage;
beforeAll(() => (packed = new PackedPackage()));
afterAll(() => packed?.remove());

test("ten lines run a container and print its output", () => {
  const lines = readFileSync(EXAMPLE, "utf8")
    .split("\n")
    .filter((line) => /^\w/.test(line));
  expect(lines.length).toBe(10);
  const program = join(packed.directory, "run-container.mjs");
  buildSync({ entryPoints: [EXAMPLE], outfile: program, format: "esm" });
  expect(execFileSync(process.execPath, [program], { encoding: "utf8" })).toBe("hello from a container\r\n\n");
});

test("README.md shows exactly these ten lines", () => {
  const program = readFileSync(EXAMPLE, "utf8").replace(/^\/\/.*\n\n/, "");
  expect(readFileSync(join(ROOT, "README.md"), "utf8")).toContain(`\n\`\`\`ts\n${program}\`\`\`\n`);
});

test("a host with one replaced interface refuses what that refuses, and does everything else", async () => {
  const engine = await openEngine({ host: withoutAdministrators(simulatedHost()) });
  onTestFinished(() => engine.close());
  const start = async (config: object) => {
    const body = JSON.stringify({ Image: "busybox", Cmd: ["true"], ...config });
    const headers = { "content-type": "application/json" };
    const created = await engine.fetch("/containers/create", { method: "POST", headers, body });
    const { Id } = (await created.json()) as { Id: string };
    return engine.fetch(`/containers/${Id}/start`, { method: "POST" });
  };
  expect((await start({})).status).toBe(204);
  const refused = await start({ HostConfig: { CapAdd: ["SYS_ADMIN"] } });
  expect(refused.status).toBe(500);
  expect(await refused.text()).toContain("this machine runs no privileged containers");
});
