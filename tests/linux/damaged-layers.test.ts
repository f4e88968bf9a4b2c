// A disk that has lost bytes of a layer: a save or a push that reads them fails, names the layer from then on, and a pull
// or a load replaces it.
import { existsSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { tarOf } from "../support/archives/images.js";
import type { DaemonProcess } from "../support/daemon-process.js";
import { EngineClient, messageOf } from "../support/engine-client.js";
import { missingLinux, startCoracle } from "../support/engines.js";
import { describeUnless } from "../support/on-engines.js";
import { startMemoryRegistry, type MemoryRegistry } from "../support/registry/memory-registry.js";
import { askPull } from "../support/registry/pulls.js";
import { digestOf, packImage } from "../support/registry/push-image.js";
import { startTakingRegistry, type TakingRegistry } from "../support/registry/taking-registry.js";

describeUnless(missingLinux(), "a damaged layer", () => {
  let daemon: DaemonProcess;
  let engine: EngineClient;
  let registry: MemoryRegistry;
  let taking: TakingRegistry;

  beforeAll(async () => {
    daemon = await startCoracle(["--insecure-registry", "10.213.0.0/16"]);
    engine = new EngineClient(daemon.socketPath);
    registry = await startMemoryRegistry(daemon.netns.hostAddress);
    taking = await startTakingRegistry(daemon.netns.hostAddress);
  });
  afterAll(async () => {
    await Promise.all([registry?.close(), taking?.close()]);
    await daemon?.close();
  });

  test("whose blob has another byte comes anew with a pull", async () => {
    const layers = await Promise.all(["a", "b"].map((name) => tarOf([{ name, body: Buffer.alloc(5000, name) }])));
    const image = packImage({ reference: null, config: { Cmd: ["x"] }, layers });
    registry.put("x", ["1"], image);
    const [name, copy] = [`${registry.host}/x:1`, `${taking.authority}/x`];
    await pull();
    await engine.must(201, "POST", `/images/${name}/tag?repo=${copy}&tag=1`);
    flip(join(daemon.directories.dataRoot, "blobs/sha256", digestOf(image.layers[1]!.bytes).slice(7)));
    const chain = digestOf(Buffer.from(`${digestOf(layers[0]!)} ${digestOf(layers[1]!)}`));
    const said = `layer ${chain} is damaged on disk: pull or load its image again`;
    expect(await push()).toContain(said);
    expect(messageOf(await engine.must(500, "GET", `/images/${name}/get`))).toBe(said);
    expect(await push()).toContain(said);
    const pulled = await pull();
    expect(pulled.match(/"Already exists"/g)).toHaveLength(1);
    expect(pulled.match(/"Pull complete"/g)).toHaveLength(1);
    await engine.must(200, "GET", `/images/${name}/get`);
    expect(await push()).not.toContain("error");
    expect(taking.blobs.get(digestOf(image.layers[1]!.bytes))).toEqual(image.layers[1]!.bytes);

    async function pull(): Promise<string> {
      return (await askPull(engine, `fromImage=${registry.host}/x&tag=1`)).text;
    }
    async function push(): Promise<string> {
      return (await engine.must(200, "POST", `/images/${copy}/push?tag=1`)).text;
    }
  });

  test("with another byte in a file comes anew with a load; a container runs on meanwhile", async () => {
    const { body } = await engine.must(200, "GET", "/images/busybox/get");
    const id = await engine.running({ Cmd: ["sh", "-c", "sleep 1000"] });
    const layers = join(daemon.directories.dataRoot, "layers");
    const [layer] = readdirSync(layers).filter((name) => readdirSync(join(layers, name)).includes("frame"));
    const file = join(layers, layer!, "diff/etc/passwd");
    flip(file);
    await expect(engine.call("GET", "/images/busybox/get")).rejects.toThrow();
    const named = `layer sha256:${layer} is damaged on disk: pull or load its image again`;
    const said = (): Promise<string> => engine.call("GET", "/images/busybox/get").then(messageOf, String);
    await expect.poll(said).toBe(named);
    await engine.load(body);
    expect((await engine.must(200, "GET", "/images/busybox/get")).body.equals(body)).toBe(true);
    await daemon.end("SIGKILL");
    await daemon.start();
    const exec = await engine.must(201, "POST", `/containers/${id}/exec`, { Cmd: ["true"] });
    const { Id } = exec.json<{ Id: string }>();
    await engine.must(200, "POST", `/exec/${Id}/start`, { Detach: true });
    await expect.poll(() => engine.read(`/exec/${Id}/json`)).toMatchObject({ Running: false, ExitCode: 0 });
    const aside = readdirSync(join(layers, "tmp")).filter((name) => name.startsWith("replaced-"));
    expect(aside.some((name) => existsSync(join(layers, "tmp", name, "layer/diff/etc/passwd")))).toBe(true);
    await engine.remove(id);
    await daemon.end("SIGKILL");
    await daemon.start();
    await expect.poll(() => readdirSync(layers)).not.toContain("tmp");
  });
});

function flip(file: string): void {
  const bytes = readFileSync(file);
  bytes[bytes.length >> 1]! ^= 1;
  writeFileSync(file, bytes);
}
