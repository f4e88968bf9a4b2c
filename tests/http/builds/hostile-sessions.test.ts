// Clients of BuildKit that lie about their files: nothing outside of the context is written or read.
import { randomUUID } from "node:crypto";
import * as fs from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { BuildKitClient, openSession } from "../../support/buildkit/client.js";
import { forgetsBuilds } from "../../support/buildkit/past-builds.js";
import type { SentFile } from "../../support/buildkit/sent-files.js";
import { onEngines } from "../../support/on-engines.js";

const LINK = 2 ** 27 + 0o777;
const UP = "../".repeat(20);
const SECRET = "only the machine has this";

onEngines("a session's context", (engine, kind) => {
  forgetsBuilds(engine, kind);
  let client: BuildKitClient;
  /** Of the machine. */
  let outside = "";
  beforeAll(async () => {
    client = await BuildKitClient.open(engine().socketPath);
  });
  afterAll(() => client.close());
  beforeEach(() => {
    outside = fs.mkdtempSync(join(tmpdir(), "coracle-outside-"));
    fs.writeFileSync(join(outside, "secret"), SECRET);
  });
  afterEach(() => fs.rmSync(outside, { recursive: true, force: true }));

  test.each<[string, (outside: string) => SentFile[]]>([
    ["whose paths lead up", (path) => [{ path: `${UP}${path.slice(1)}/made`, bytes: "x" }]],
    ["whose paths begin at the root", (path) => [{ path: `${path}/made`, bytes: "x" }]],
    [
      "with a file below a link to a directory",
      (path) => [
        { path: "out", mode: LINK, target: path },
        { path: "out/made", bytes: "x" },
      ],
    ],
    [
      "with a file below a link that leads up",
      (path) => [
        { path: "out", mode: LINK, target: `${UP}${path.slice(1)}` },
        { path: "out/made", bytes: "x" },
      ],
    ],
    ["with a hard link to a file outside", (path) => [{ path: "stolen", target: `${path}/secret` }]],
    ["with a hard link to one by a path up", (path) => [{ path: "stolen", target: `${UP}${path.slice(1)}/secret` }]],
    [
      "with a hard link through a link",
      (path) => [
        { path: "out", mode: LINK, target: path },
        { path: "stolen", target: "out/secret" },
      ],
    ],
    ["with a link to a file outside", (path) => [{ path: "stolen", mode: LINK, target: `${path}/secret` }]],
  ])("%s stays by itself", async (_which, files) => {
    const ref = randomUUID();
    const dockerfile = "FROM busybox\nCOPY . /all/\nRUN cat /all/stolen > /stolen || true\nCOPY stolen* /again/\n";
    const directories = { dockerfile: [{ path: "Dockerfile", bytes: dockerfile }], context: files(outside) };
    const end = await openSession(engine().socketPath, ref, directories);
    const attributes = { Ref: ref, Session: ref, Frontend: "dockerfile.v0", Exporter: "moby" };
    const wanted = { ...attributes, ExporterAttrs: { name: "hostile:1" } };
    const built = await client
      .control("Solve", ["SolveRequest", wanted], "SolveResponse")
      .then(
        () => true,
        () => false,
      )
      .finally(end);
    expect(fs.readdirSync(outside)).toEqual(["secret"]);
    expect(fs.readFileSync(join(outside, "secret"), "utf8")).toBe(SECRET);
    if (!built) return;
    const Cmd = ["sh", "-c", "cat /stolen /again/* /all/stolen"];
    const { stdout } = await engine().run({ Image: "hostile:1", Cmd, HostConfig: { NetworkMode: "none" } });
    expect(stdout).not.toContain(SECRET);
    await engine().must(200, "DELETE", "/images/hostile:1");
  });
});
