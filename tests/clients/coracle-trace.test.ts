// `coracle trace` and `coracle replay` on the history of our daemons: runs, execs, pulls with credentials, a kill and a
// restart.

import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { run, type Finished } from "../support/commands.js";
import type { DaemonProcess } from "../support/daemon-process.js";
import { EngineClient } from "../support/engine-client.js";
import { CORACLE, engines, startSimulated, startWithBusybox, type Engine } from "../support/engines.js";
import { busyboxLayer } from "../support/archives/images.js";
import { startMemoryRegistry, type MemoryRegistry } from "../support/registry/memory-registry.js";
import { describeUnless } from "../support/on-engines.js";
import { packImage } from "../support/registry/push-image.js";
import { secretsIn } from "../support/secret-search.js";
import { bareLines, summed } from "../trace/sums.js";

const USER = "jane.of.the-registry";
const PASSWORD = 'corre"ct-horse/battery+staple';
const TOKEN = "eyJhbGciOi.identity-token.Zk9";
const CREDENTIALS = [USER, PASSWORD, TOKEN];
/** Typical values in environments and labels. */
const VALUES = {
  ofEnv: 'env-value "quoted" & ünusual/1',
  ofLabel: "label-value-of-mine",
  ofExec: "exec-env-value",
  ofImage: "image-env-value",
  ofFilter: "filtered-label-value",
};

function coracle(...args: string[]): Promise<Finished> {
  return run([...CORACLE, ...args], { timeoutMs: 120_000 });
}

for (const engine of engines().filter(({ kind }) => kind !== "reference")) {
  describeUnless(engine.missing, `the trace of a daemon, ${engine.kind}`, () => storyOf(engine));
}

function storyOf(engine: Engine): void {
  let daemon: DaemonProcess;
  let registry: MemoryRegistry;
  let saved: Finished;
  const file = (name: string): string => join(daemon.directories.root, name);
  const host = (): string[] => ["-H", `unix://${daemon.socketPath}`];

  beforeAll(async () => {
    daemon = await startWithBusybox(engine, ["--insecure-registry", "10.213.0.0/16", "--trace-size", "32m"]);
    registry = await startMemoryRegistry(daemon.netns.isOwn ? daemon.netns.hostAddress : "127.0.0.1");
    const config = { Cmd: ["true"], Env: [`IMAGE=${VALUES.ofImage}`] };
    registry.put("app", ["1"], packImage({ reference: null, config, layers: [await busyboxLayer()] }));
    registry.fault((request, response) => {
      const basic = Buffer.from(`${USER}:${PASSWORD}`).toString("base64");
      if (request.headers.authorization === `Basic ${basic}`) return false;
      response.writeHead(401, { "WWW-Authenticate": 'Basic realm="registry"' }).end();
      return true;
    });
    await live(new EngineClient(daemon.socketPath));
    saved = await coracle("trace", "save", ...host(), file("a"));
  });
  afterAll(async () => {
    await registry?.close();
    await daemon?.close();
  });

  async function live(client: EngineClient): Promise<void> {
    const labels = { mine: VALUES.ofLabel };
    await client.run({ Cmd: ["sh", "-c", "echo hello"], Env: [`SECRET=${VALUES.ofEnv}`], Labels: labels });
    const id = await client.running({ Env: [`SECRET=${VALUES.ofEnv}`], Labels: labels }, "?name=web");
    const exec = { Cmd: ["true"], Env: [`MORE=${VALUES.ofExec}`] };
    const made = await client.must(201, "POST", `/containers/${id}/exec`, exec);
    await client.must(200, "POST", `/exec/${made.json<{ Id: string }>().Id}/start`, { Detach: true });
    const auth = { username: USER, password: PASSWORD, serveraddress: registry.host };
    const headers = { "X-Registry-Auth": encoded(auth) };
    const image = encodeURIComponent(`${registry.host}/app`);
    const pulled = await client.must(200, "POST", `/images/create?fromImage=${image}&tag=1`, undefined, { headers });
    expect(pulled.text).not.toContain('"error"');
    await client.call("POST", "/auth", { ...auth, identitytoken: TOKEN });
    const more = { "X-Registry-Config": encoded({ [registry.host]: auth }), Authorization: `Bearer ${TOKEN}` };
    await client.call("POST", "/build?remote=x", undefined, { headers: more });
    await client.call("POST", "/swarm/join", { JoinToken: TOKEN, RemoteAddrs: ["a"] });
    await client.call("POST", "/plugins/pull?remote=x", [], { headers });
    await client.call("POST", `/images/create?fromSrc=${encodeURIComponent(`http://${USER}:${PASSWORD}@x/y`)}`);
    const filters = encodeURIComponent(JSON.stringify({ label: [`other=${VALUES.ofFilter}`] }));
    await client.must(200, "GET", `/containers/json?all=1&filters=${filters}`);
    await client.must(409, "POST", "/containers/create?name=web", { Image: "busybox" });
    await client.inspect(id);
  }

  test("is saved for its user, and has no credentials", async () => {
    expect(saved).toMatchObject({ code: 0, stderr: "" });
    expect(statSync(file("a")).mode & 0o777).toBe(0o600);
    const bytes = readFileSync(file("a"));
    expect(secretsIn(bytes, CREDENTIALS)).toEqual([]);
    // Existing values are found.
    expect(secretsIn(bytes, Object.values(VALUES)).sort()).toEqual(Object.values(VALUES).sort());
  });

  test("is replayed to the same outputs, and described in words", async () => {
    const { code, stdout, stderr } = await coracle("replay", file("a"));
    expect([code, stderr]).toEqual([0, ""]);
    const told = stdout.trimEnd().split("\n");
    expect(told.pop()).toMatch(/^\d+ steps, all with the recorded results$/);
    expect(stdout).toMatch(/^\S+Z 1:\d+ POST \/v1.41\/containers\/\w+\/start → .*network/m);
    expect(stdout).toMatch(/^\S+Z 1:\d+ launch web succeeded → /m);
    expect(stdout).toMatch(/refused \(conflict, 409\): Conflict. The container name "\/web" is already in use/);
  });

  test("is replayed up to a step, or a moment", async () => {
    const upTo = await coracle("replay", "--until", "1:20", file("a"));
    expect(upTo.code).toBe(0);
    expect(upTo.stdout.trimEnd().split("\n").slice(0, -1).at(-1)).toMatch(/^\S+ 1:20 /);
    const { time, previous } = laterThanTheOneBefore(upTo.stdout);
    const before = await coracle("replay", "--until", time, file("a"));
    expect(before.stdout).toContain(` 1:${previous} `);
    expect(before.stdout.length).toBeLessThan(upTo.stdout.length);
    expect(await coracle("replay", "--until", "soon", file("a"))).toMatchObject({ code: 1, stdout: "" });
  });

  test("that was changed differs at that step, in a replay and in a diff", async () => {
    const lines = bareLines(readFileSync(file("a"), "utf8"));
    const at = lines.findIndex((line) => line.includes("/containers/create?name=web"));
    lines[at] = lines[at]!.replace("name=web", "name=wob");
    // The checksums fit, so only the replay shows the change.
    writeFileSync(file("b"), summed(lines));
    const replayed = await coracle("replay", file("b"));
    expect(replayed.code).toBe(1);
    expect(replayed.stderr).toMatch(/^step 1:\d+ differs from the recording: records differ/);
    const compared = await coracle("trace", "diff", file("a"), file("b"));
    expect(compared.code).toBe(1);
    const told = `"/v1.41/containers/create?name=web" and "/v1.41/containers/create?name=wob"`;
    expect(compared.stderr).toContain(`input.val.target: ${told}`);
    expect(compared.stderr.split(":")[1]!.split(",")[0]).toBe(replayed.stderr.split(":")[1]!.split(" ")[0]);
    expect(await coracle("trace", "diff", file("a"), file("a"))).toMatchObject({ code: 0 });
  });

  test("of another core is refused, or replayed on request", async () => {
    const text = readFileSync(file("a"), "utf8").replaceAll(/"core":"[0-9a-f]{64}"/g, `"core":"${"0".repeat(64)}"`);
    writeFileSync(file("c"), summed(bareLines(text)));
    const refused = await coracle("replay", file("c"));
    expect(refused).toMatchObject({ code: 1, stdout: "" });
    expect(refused.stderr).toContain("was recorded with another core");
    expect((await coracle("replay", "--any-core", file("c"))).code).toBe(0);
  });

  test("can be shared without values of environments and labels", async () => {
    const saved = await coracle("trace", "save", "--share", ...host(), file("shared"));
    expect(saved).toMatchObject({ code: 0, stderr: "" });
    expect(statSync(file("shared")).mode & 0o777).toBe(0o600);
    const bytes = readFileSync(file("shared"));
    expect(secretsIn(bytes, [...CREDENTIALS, ...Object.values(VALUES)])).toEqual([]);
    expect(secretsIn(bytes, ["SECRET=", "mine", "busybox"])).toHaveLength(3);
    const { code, stdout } = await coracle("replay", file("shared"));
    expect(code).toBe(0);
    expect(stdout).toMatch(/launch web succeeded/);
    expect(stdout).toMatch(/\d+ steps, not verified: values are hidden in this trace\n$/);
    // Hidden values may differ, so they are not compared, in either position.
    for (const files of [
      [file("shared"), file("a")],
      [file("a"), file("shared")],
      [file("shared"), file("shared")],
    ]) {
      const compared = await coracle("trace", "diff", ...files);
      expect(compared).toMatchObject({ code: 1, stdout: "" });
      expect(compared.stderr).toContain(`${file("shared")} was saved with --share: values are hidden in it`);
      expect(compared.stderr).toContain("neither verified nor compared");
    }
    expect((await coracle("trace", "diff", "--help")).stdout).toContain("saved with --share cannot be compared");
  });

  test("is readable after the daemon was killed, and continues with the next one", async () => {
    await daemon.end("SIGKILL");
    const elsewhere = ["--config-file", configFile(file("else.json"), { "data-root": file("elsewhere") })];
    const left = await coracle("trace", "save", ...host(), ...elsewhere, file("left"));
    const place = engine.kind === "linux" ? ["--data-root", daemon.directories.dataRoot] : host();
    expect(left.code).toBe(engine.kind === "linux" ? 1 : 0);
    expect(await coracle("trace", "save", ...place, file("left"))).toMatchObject({ code: 0 });
    expect((await coracle("trace", "diff", file("a"), file("left"))).stdout).toMatch(/^the same in \d+ steps/);
    await daemon.start();
    await new EngineClient(daemon.socketPath).must(200, "GET", "/containers/json?all=1");
    expect(await coracle("trace", "save", ...host(), file("d"))).toMatchObject({ code: 0 });
    const { code, stdout } = await coracle("replay", file("d"));
    expect(code).toBe(0);
    expect(stdout).toMatch(
      / 1:\d+ the engine is gone: the engine was killed, or the rest could not be written|\n\S+ 2:0 /,
    );
    expect(stdout).toMatch(/^\S+ 2:0 the engine starts/m);
    expect(stdout.split("\n").length).toBeGreaterThan(readFileSync(file("a"), "utf8").split("\n").length - 3);
    expect(secretsIn(readFileSync(file("d")), CREDENTIALS)).toEqual([]);
  });
}

function configFile(path: string, config: object): string {
  writeFileSync(path, JSON.stringify(config));
  return path;
}

function encoded(auth: unknown): string {
  return Buffer.from(JSON.stringify(auth)).toString("base64").replaceAll("+", "-").replaceAll("/", "_");
}

describe("coracle trace", () => {
  test("reports that a daemon records nothing if tracing is off", async () => {
    const daemon = await startSimulated(["--trace=false"]);
    try {
      const { code, stderr } = await coracle("trace", "save", "-H", `unix://${daemon.socketPath}`, "/dev/null");
      expect([code, stderr]).toEqual([1, expect.stringContaining("records no trace")]);
      expect(existsSync(`${daemon.socketPath}.trace`)).toBe(false);
    } finally {
      await daemon.close();
    }
  });

  test("reports errors in its arguments", async () => {
    for (const [args, said] of [
      [["trace"], "'coracle trace' needs save or diff after it"],
      [["trace", "save"], "one file name is required"],
      [["trace", "diff", "a"], "2 file names are required"],
      [["trace", "save", "--until", "1:1", "x"], "unknown flag: --until"],
      [["replay", "/nowhere/at/all"], "ENOENT"],
      [
        ["trace", "save", "-H", "unix:///nowhere/at/all", "--data-root", "/nowhere", "x"],
        "there is no trace in /nowhere/trace",
      ],
    ] as const) {
      const { code, stderr } = await coracle(...args);
      expect([code, stderr]).toEqual([1, expect.stringContaining(said)]);
    }
    for (const args of [
      ["trace", "--help"],
      ["replay", "--help"],
      ["trace", "save", "--help"],
    ]) {
      expect(await coracle(...args)).toMatchObject({ code: 0, stderr: "" });
    }
  });
});

/** A step before the last one of a run whose time shows, to the millisecond, that the previous step was over. */
function laterThanTheOneBefore(told: string): { time: string; previous: number } {
  const moments = new Map(Array.from(told.matchAll(/^(\S+) 1:(\d+) /gm), ([, time, step]) => [Number(step), time!]));
  for (let step = moments.size - 1; step > 2; step -= 1) {
    const time = moments.get(step);
    const earlier = moments.get(step - 1);
    if (time !== undefined && earlier !== undefined && Date.parse(time) > Date.parse(earlier)) {
      return { time, previous: step - 1 };
    }
  }
  throw new Error(`no step is later than the one before it:\n${told}`);
}
