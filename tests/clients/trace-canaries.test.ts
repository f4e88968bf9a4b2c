// Places secrets everywhere they may enter our daemons, and searches everywhere they might come out: traces, shared
// traces, messages about them, the database, the log.

import { lstatSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { decodeTrace } from "../../hosts/trace/decode.js";
import type { Segment } from "../../hosts/trace/format.js";
import { run, type Finished } from "../support/commands.js";
import type { DaemonProcess } from "../support/daemon-process.js";
import { EngineClient } from "../support/engine-client.js";
import { CORACLE, engines, startWithBusybox, type Engine } from "../support/engines.js";
import { startMemoryRegistry, type MemoryRegistry } from "../support/registry/memory-registry.js";
import { describeUnless } from "../support/on-engines.js";
import { secretsIn } from "../support/secret-search.js";
import { Canaries, answerWithSecrets, tellHeaders, tellPrivate, tellSecrets } from "../support/told/canaries.js";

function coracle(...args: string[]): Promise<Finished> {
  return run([...CORACLE, ...args], { timeoutMs: 120_000 });
}

for (const engine of engines().filter(({ kind }) => kind !== "reference")) {
  describeUnless(engine.missing, `the outputs of a daemon, ${engine.kind}`, () => searched(engine));
}

function searched(engine: Engine): void {
  const canaries = new Canaries();
  const settings = mkdtempSync(join(tmpdir(), "coracle-settings-"));
  let daemon: DaemonProcess;
  let registry: MemoryRegistry;
  const file = (name: string): string => join(daemon.directories.root, name);
  const save = async (name: string, ...flags: string[]): Promise<void> => {
    const saved = await coracle("trace", "save", "-H", `unix://${daemon.socketPath}`, ...flags, file(name));
    expect(saved).toMatchObject({ code: 0, stderr: "" });
  };

  beforeAll(async () => {
    const flags = ["--insecure-registry", "10.213.0.0/16", "--log-level", "debug", "--registry-certs", settings];
    daemon = await startWithBusybox(engine, flags);
    registry = await startMemoryRegistry(daemon.netns.isOwn ? daemon.netns.hostAddress : "127.0.0.1");
    answerWithSecrets(canaries, registry);
    const client = new EngineClient(daemon.socketPath);
    await tellSecrets(canaries, client, registry.host);
    await tellHeaders(canaries, client, settings, registry.host, () => process.kill(daemon.pid(), "SIGHUP"));
    await tellPrivate(canaries, client);
    await save("whole");
    await save("shared", "--share");
  });
  afterAll(async () => {
    await registry?.close();
    await daemon?.close();
    rmSync(settings, { recursive: true });
  });

  test("the registry was asked for all of its content", () => {
    const paths = ["/token", "/elsewhere/location", "/v2/moved-away/manifests/1", "/v2/moved-nowhere/manifests/1"];
    const others = ["wrong", "gone", "busy", "app"].map((name) => `/v2/${name}/manifests/1`);
    expect(registry.asked).toEqual(expect.arrayContaining([...paths, ...others].map((path) => `GET ${path}`)));
  });

  test("the registry got the credentials of pulls and of builds, in every form", () => {
    const used = secretsIn(Buffer.from([...canaries.used].join("\n")), canaries.secret);
    const forms = ["pull0-registry-token", "build0-registry-token", "build1-name", "build1-pw", "meta3", "set-header"];
    for (const of of forms) {
      expect(used).toContainEqual(expect.stringMatching(`-${of}\\.$`));
    }
  });

  test("no secret is in the trace or its replay, but all private values are", async () => {
    const whole = readFileSync(file("whole"));
    expect(secretsIn(whole, canaries.secret)).toEqual([]);
    expect(secretsIn(whole, canaries.private)).toEqual(canaries.private);
    const { code, stdout, stderr } = await coracle("replay", file("whole"));
    expect([code, stderr]).toEqual([0, ""]);
    expect(secretsIn(Buffer.from(stdout), canaries.secret)).toEqual([]);
  });

  test("no secret or private value is in a shared trace or its replay", async () => {
    const all = [...canaries.secret, ...canaries.private];
    const shared = readFileSync(file("shared"));
    expect(secretsIn(shared, all)).toEqual([]);
    expect(secretsIn(shared, ["/containers/create", "busybox", "DriverOpts"])).toHaveLength(3);
    const { code, stdout } = await coracle("replay", file("shared"));
    expect(code).toBe(0);
    expect(secretsIn(Buffer.from(stdout), all)).toEqual([]);
  });

  test("no secret is in the daemon's files, and its log has no private values either", () => {
    // The layers are the test's own.
    const files = filesBelow(daemon.directories.root).filter((path) => !path.includes("/layers/"));
    expect(files.some((path) => path.endsWith("daemon.log"))).toBe(true);
    if (engine.kind === "linux") expect(files.some((path) => path.endsWith(".mdb"))).toBe(true);
    for (const path of files) expect([path, secretsIn(bytesIn(path), canaries.secret)]).toEqual([path, []]);
    expect(secretsIn(Buffer.from(daemon.log()), canaries.private)).toEqual([]);
  });

  test("no event has a secret", async () => {
    const client = new EngineClient(daemon.socketPath);
    const { text } = await client.must(200, "GET", `/events?since=0&until=${Math.ceil(Date.now() / 1000)}`);
    expect(text).toContain("coracle.why");
    expect(secretsIn(Buffer.from(text), canaries.secret)).toEqual([]);
  });

  // A simulated daemon keeps no records.
  if (engine.kind !== "linux") return;

  test("no secret or private value is in a shared trace that begins after a restart", async () => {
    await daemon.end("SIGTERM");
    rmSync(join(daemon.directories.dataRoot, "trace"), { recursive: true });
    await daemon.start();
    await save("later");
    await save("later-shared", "--share");
    // The trace has no requests of before. These values are only in the records that the engine opens with.
    const opened = openedWith(file("later"));
    const found = secretsIn(opened, canaries.private);
    for (const place of ["cmd", "env", "label", "test", "network", "network-label", "ipam"]) {
      expect(found).toContainEqual(expect.stringMatching(`-${place}\\.$`));
    }
    expect(secretsIn(opened, canaries.secret)).toEqual([]);
    expect(secretsIn(readFileSync(file("later-shared")), [...canaries.secret, ...canaries.private])).toEqual([]);
  });
}

/** The records that a trace begins with. */
function openedWith(file: string): Buffer {
  const [{ start }] = decodeTrace(readFileSync(file, "utf8")).segments as [Segment];
  return Buffer.concat(start.tag === "open" ? start.opening.records.map(({ value }) => value) : []);
}

/** Nothing if the engine has removed it meanwhile. */
function bytesIn(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return Buffer.alloc(0);
    throw error;
  }
}

/** Without the files of mounts. */
function filesBelow(directory: string): string[] {
  const { dev } = statSync(directory);
  return readdirSync(directory).flatMap((name) => {
    const path = join(directory, name);
    const status = lstatSync(path, { throwIfNoEntry: false });
    if (status === undefined || status.dev !== dev) return [];
    if (status.isDirectory()) return filesBelow(path);
    return status.isFile() ? [path] : [];
  });
}
