// A full disk while many clients work: each gets an answer, with an error if there is no room; answers stay true, and
// once there is room again everything continues.
import { mkdtemp, readdir, rm, statfs, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { dockerArchive, tarOf } from "../support/archives/images.js";
import { rawTar } from "../support/archives/tar.js";
import { atOnce } from "../support/at-once.js";
import { must, until } from "../support/commands.js";
import { EngineClient, messageOf } from "../support/engine-client.js";
import { missingLinux, startCoracle } from "../support/engines.js";
import { describeUnless } from "../support/on-engines.js";
import type { RawResponse } from "../support/raw-http.js";
import { startTakingRegistry, type TakingRegistry } from "../support/registry/taking-registry.js";

const missing = missingLinux();
const CONTAINERS = 40;
const AT_ONCE = 8;

describeUnless(missing, "a full disk", () => {
  test(
    "under load: nothing promised is lost, and everything continues when there is room",
    { timeout: 300_000 },
    async () => {
      const small = await mkdtemp(join(tmpdir(), "coracle-full-"));
      await must(["mount", "-t", "tmpfs", "-o", "size=64m", "tmpfs", small]);
      const daemon = await startCoracle(["--insecure-registry", "10.213.0.0/16"], join(small, "data"));
      const registry = await startTakingRegistry(daemon.netns.hostAddress);
      try {
        const engine = new EngineClient(daemon.socketPath);
        const script = "head -c 3000000 /dev/urandom > /large; while :; do echo alive; sleep 0.1; done";
        const running = await engine.running({ Cmd: ["sh", "-c", script] });
        await until("its file", async () => (await engine.logs(running)).stdout.startsWith("alive"));
        await fill(small);
        await importsNothing(engine, small);
        await addsNothing(engine, small, running);
        await pushes(engine, registry, small);
        const made: string[] = [];
        const refusals: string[] = [];
        await atOnce(CONTAINERS, AT_ONCE, async () => {
          const body = { Image: "busybox", Cmd: ["sh", "-c", "echo x"], Labels: { long: "x".repeat(40_000) } };
          const created = await engine.call("POST", "/containers/create", body);
          if (created.status !== 201) return void refusals.push(`${created.status} ${messageOf(created)}`);
          const { Id } = created.json<{ Id: string }>();
          made.push(Id);
          const started = await engine.call("POST", `/containers/${Id}/start`);
          if (started.status !== 204) refusals.push(`${started.status} ${messageOf(started)}`);
        });
        expect(refusals.filter((refusal) => !/^500 .*no space left on device/.test(refusal))).toEqual([]);
        expect(refusals.length).toBeGreaterThan(0);
        await rm(join(small, "filling"));
        const list = await until("it to go on", () => listedBy(engine));
        const listed = list.map(({ Id }) => Id);
        for (const id of [...made, running]) expect(listed).toContain(id);
        expect(await engine.inspect(running)).toMatchObject({ State: { Status: "running" } });
        for (const ask of additions(engine, running)) expect(await answerOf(ask)).not.toMatch(/error|message/);
        for (const id of listed) await engine.remove(id);
        expect((await engine.run({ Cmd: ["echo", "all well"] })).stdout).toBe("all well\n");
        expect(await engine.read("/containers/json?all=1")).toEqual([]);
      } finally {
        await registry.close();
        await daemon.close();
        await must(["umount", small]);
        await rm(small, { recursive: true });
      }
    },
  );
});

/** An import that does not fit leaves no image, and no file. */
async function importsNothing(engine: EngineClient, small: string): Promise<void> {
  const images = await engine.read("/images/json?all=1");
  const tar = await tarOf([{ name: "large", body: Buffer.alloc(2 << 20, 1) }]);
  const headers = { "Content-Type": "application/x-tar" };
  const answer = await engine.call("POST", "/images/create?fromSrc=-&repo=large", tar, { headers });
  expect([answer.status, answer.text]).toEqual([500, expect.stringContaining("no space left on device")]);
  expect(await engine.read("/images/json?all=1")).toEqual(images);
  expect(await readdir(join(small, "data", "archives"))).toEqual([]);
}

/** Nor do a load, a build and a commit; the same requests succeed once there is room. */
async function addsNothing(engine: EngineClient, small: string, container: string): Promise<void> {
  const images = await engine.read("/images/json?all=1");
  for (const ask of additions(engine, container)) {
    // A command that cannot write fails by itself; there may be no room for what it says.
    expect(await answerOf(ask)).toMatch(/no space left on device|returned a non-zero code: 1/i);
    expect(await engine.read("/images/json?all=1")).toEqual(images);
    expect(await readdir(join(small, "data", "archives"))).toEqual([]);
    expect(await readdir(join(small, "data", "layers/tmp"))).toEqual([]);
  }
}

/** A push needs no room: not even for the note that says what the registry has of the layer. */
async function pushes(engine: EngineClient, registry: TakingRegistry, small: string): Promise<void> {
  const repository = `${registry.authority}/full`;
  await engine.must(201, "POST", `/images/busybox/tag?repo=${repository}&tag=1`);
  const rest = join(small, "rest");
  await writeFile(rest, Buffer.alloc(1 << 20)).catch(() => {}); // what is left, down to the last page
  try {
    const headers = { "X-Registry-Auth": Buffer.from("{}").toString("base64url") };
    const pushed = await engine.call("POST", `/images/${repository}/push?tag=1`, undefined, { headers });
    expect([pushed.status, pushed.text]).toEqual([200, expect.not.stringContaining("error")]);
    const { layers } = JSON.parse(String(registry.manifests.get("1"))) as { layers: { digest: string }[] };
    expect(layers.length).toBeGreaterThan(0);
    for (const { digest } of layers) expect(registry.blobs.has(digest)).toBe(true);
  } finally {
    await rm(rest, { force: true });
  }
  await engine.must(200, "DELETE", `/images/${repository}:1`);
}

/** Requests that need 2 MiB of disk and more. */
function additions(engine: EngineClient, container: string): (() => Promise<RawResponse>)[] {
  const large = Buffer.alloc(2 << 20, 2);
  const build = (dockerfile: string, body: Buffer): Promise<RawResponse> => {
    const context = rawTar([
      { name: "Dockerfile", body: `FROM busybox\n${dockerfile}\n` },
      { name: "large", body },
    ]);
    return engine.call("POST", "/build?forcerm=1", context);
  };
  return [
    async () => {
      const layers = [await tarOf([{ name: "loaded", body: large }])];
      return engine.call("POST", "/images/load", await dockerArchive([{ reference: "loaded:1", config: {}, layers }]));
    },
    () => build("COPY large /", large),
    () => build("RUN head -c 2000000 /dev/urandom > /made", Buffer.alloc(0)),
    () => engine.call("POST", `/commit?container=${container}&repo=committed`),
  ];
}

async function answerOf(ask: () => Promise<RawResponse>): Promise<string> {
  return (await ask()).text;
}

/** Null if it refuses; then it must give the reason. */
async function listedBy(engine: EngineClient): Promise<{ Id: string }[] | null> {
  const answer = await engine.call("GET", "/containers/json?all=1");
  if (answer.status === 200) return answer.json<{ Id: string }[]>();
  expect([answer.status, messageOf(answer)]).toEqual([500, expect.stringContaining("no space left on device")]);
  return null;
}

/** Leaves almost no free space. */
async function fill(directory: string): Promise<void> {
  const { bavail, bsize } = await statfs(directory);
  await writeFile(join(directory, "filling"), Buffer.alloc(Math.max(0, bavail * bsize - 256 * 1024)));
}
