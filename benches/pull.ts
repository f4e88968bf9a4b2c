// How long does the pull of an image with five layers take, from a registry on the engine's loopback?
import { createCipheriv } from "node:crypto";
import { gzipSync } from "node:zlib";
import type { RunningEngine } from "../tests/support/engines.js";
import { startDockerRegistry, type DockerRegistry } from "../tests/support/registry/docker-registry.js";
import { tarOf, type TarEntry } from "../tests/support/archives/images.js";
import { packImage, pushImage } from "../tests/support/registry/push-image.js";
import { atMost, medians, round, timed, type Answer, type Sizes } from "./question.js";

const LAYERS = 5;
const FILE_BYTES = 48 << 10;
const TYPE = "application/vnd.docker.image.rootfs.diff.tar.gzip";

export async function pull(engines: readonly RunningEngine[], sizes: Sizes): Promise<Answer[]> {
  const layers = await Promise.all(Array.from({ length: LAYERS }, (_, index) => layerOf(index, sizes.layerBytes)));
  const packed = layers.map((layer) => ({ mediaType: TYPE, bytes: gzipSync(layer, { level: 1 }) }));
  const image = packImage({ reference: null, config: { Cmd: ["true"] }, layers }, "schema2", packed);
  const registries = new Map<string, DockerRegistry>();
  try {
    for (const engine of engines) {
      const registry = await startDockerRegistry(engine.daemon.netns, 5005);
      registries.set(engine.kind, registry);
      await pushImage(registry, "bench", ["1"], image);
    }
    const figures = await medians(engines, sizes.rounds, (engine) => pullOnce(engine, registries.get(engine.kind)));
    const mib = layers.reduce((sum, layer) => sum + layer.length, 0) / (1 << 20);
    const wire = packed.reduce((sum, layer) => sum + layer.bytes.length, 0) / (1 << 20);
    const note = `${LAYERS} layers, ${round(mib)} MiB unpacked, ${round(wire)} MiB on the wire`;
    return [{ question: "pull", unit: "ms", figures, goal: atMost(1), note }];
  } finally {
    for (const registry of registries.values()) await registry.close();
  }
}

async function pullOnce(engine: RunningEngine, registry: DockerRegistry | undefined): Promise<number> {
  if (registry === undefined) throw new Error("no registry was started for this engine");
  const name = `${registry.host}/bench:1`;
  const path = `/images/create?fromImage=${registry.host}/bench&tag=1`;
  const ms = await timed(async () => {
    const answer = await engine.must(200, "POST", path, undefined, { timeoutMs: 300_000 });
    if (!answer.text.includes("Downloaded newer image")) throw new Error(answer.text.slice(-500));
  });
  await engine.must(200, "DELETE", `/images/${name}`);
  return ms;
}

/** A layer of many files. Half of its bytes cannot be compressed. */
async function layerOf(index: number, bytes: number): Promise<Buffer> {
  const key = Buffer.alloc(32, index + 1);
  const noise = createCipheriv("aes-256-ctr", key, Buffer.alloc(16));
  const entries: TarEntry[] = [];
  for (let file = 0; file * FILE_BYTES < bytes; file += 1) {
    const random = noise.update(Buffer.alloc(FILE_BYTES / 2));
    const text = Buffer.alloc(FILE_BYTES / 2, `layer ${index} file ${file}\n`);
    entries.push({ name: `bench/layer${index}/${file % 100}/file${file}`, body: Buffer.concat([random, text]) });
  }
  return tarOf(entries);
}
