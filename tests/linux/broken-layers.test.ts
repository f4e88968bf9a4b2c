// A registry whose connections break: layers still arrive, and retry pauses delay no one else.
import { request } from "node:http";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { until } from "../support/commands.js";
import type { DaemonProcess } from "../support/daemon-process.js";
import { EngineClient } from "../support/engine-client.js";
import { missingLinux, startCoracle } from "../support/engines.js";
import { tarOf } from "../support/archives/images.js";
import { startMemoryRegistry, type MemoryRegistry } from "../support/registry/memory-registry.js";
import { describeUnless } from "../support/on-engines.js";
import { digestOf, packImage, type PackedImage } from "../support/registry/push-image.js";

const missing = missingLinux();
/** Bytes after which a connection breaks. */
const SENT = 10;

describeUnless(missing, "a layer whose connection breaks", () => {
  let daemon: DaemonProcess;
  let registry: MemoryRegistry;
  let engine: EngineClient;
  let image: PackedImage;
  /** The requested ranges of the layer. */
  let ranges: string[];

  beforeEach(async () => {
    daemon = await startCoracle(["--insecure-registry", "10.213.0.0/16"]);
    registry = await startMemoryRegistry(daemon.netns.hostAddress);
    engine = new EngineClient(daemon.socketPath);
    const layer = await tarOf([{ name: "x", body: Buffer.alloc(100_000, "x") }]);
    image = packImage({ reference: null, config: { Cmd: ["x"] }, layers: [layer] });
    registry.put("x", ["1"], image);
    ranges = [];
    breakOff();
  });

  afterEach(async () => {
    await registry.close();
    await daemon.close();
  });

  test("resumes where it was, and reports it", async () => {
    const { text } = await engine.call("POST", `/images/create?fromImage=${registry.host}/x&tag=1`);
    const said = text.split("\r\n").filter(Boolean);
    const statuses = said.map((line) => (JSON.parse(line) as { status: string }).status);
    expect(statuses.filter((status) => status.startsWith("Retrying"))).toEqual([
      ...[5, 4, 3, 2].map((left) => `Retrying in ${left} seconds`),
      "Retrying in 1 second",
    ]);
    expect(statuses.at(-1)).toBe(`Status: Downloaded newer image for ${registry.host}/x:1`);
    expect(ranges).toEqual(["all", `bytes=${SENT}-`]);
    await engine.must(200, "GET", `/images/${image.id}/json`);
  });

  test("does not keep its client from leaving during the pause, nor the engine from shutting down", async () => {
    const client = await pausing();
    expect(kept()).toHaveLength(1);
    client.destroy();
    await until("what was kept to be dropped", () => kept().length === 0);
    ranges = [];
    await pausing();
    await daemon.end("SIGTERM");
    expect(daemon.log()).not.toContain("SIGKILL");
    await daemon.start();
    expect(kept()).toEqual([]);
    const { text } = await engine.call("POST", `/images/create?fromImage=${registry.host}/x&tag=1`);
    expect(text).toContain("Downloaded newer image");
  });

  /** The first answer breaks off; range requests are supported. */
  function breakOff(): void {
    const digest = digestOf(image.layers[0]?.bytes ?? Buffer.alloc(0));
    registry.fault(({ url, headers }, response, bytes) => {
      if (bytes === null || url?.endsWith(digest) !== true) return false;
      ranges.push(headers.range ?? "all");
      const from = Number(/\d+/.exec(headers.range ?? "")?.[0] ?? 0);
      const part = from === 0 ? {} : { "Content-Range": `bytes ${from}-${bytes.length - 1}/${bytes.length}` };
      response.writeHead(from === 0 ? 200 : 206, part);
      response.end(ranges.length === 1 ? bytes.subarray(0, SENT) : bytes.subarray(from));
      return true;
    });
  }

  /** Begins a pull and resolves during the pause before its layer is retried. */
  function pausing(): Promise<{ destroy(): void }> {
    const path = `/v1.41/images/create?fromImage=${registry.host}/x&tag=1`;
    return new Promise((resolve, reject) => {
      const pull = request({ socketPath: daemon.socketPath, method: "POST", path }, (answer) => {
        let text = "";
        answer.on("data", (bytes: Buffer) => {
          text += bytes.toString();
          if (text.includes("Retrying in")) resolve(pull);
        });
        answer.on("error", () => {});
      });
      pull.on("error", reject);
      pull.end();
    });
  }

  function kept(): string[] {
    const directory = join(daemon.directories.dataRoot, "layers/tmp");
    try {
      return readdirSync(directory).filter((name) => name.startsWith("rest-"));
    } catch {
      return [];
    }
  }
});
