// What makes images, each with layers of its own, and how an answer tells that it is done.

import { randomBytes } from "node:crypto";
import { busyboxLayer, dockerArchive, tarOf } from "../../support/archives/images.js";
import { rawTar } from "../../support/archives/tar.js";
import type { EngineClient } from "../../support/engine-client.js";
import type { RawResponse } from "../../support/raw-http.js";
import type { MemoryRegistry } from "../../support/registry/memory-registry.js";
import { packImage } from "../../support/registry/push-image.js";
import type { TakingRegistry } from "../../support/registry/taking-registry.js";

export interface Operation {
  /** The image that is there once it is done. */
  readonly reference: string;
  /** Whether the image was there before. */
  readonly known?: boolean;
  ask(): Promise<RawResponse>;
  isDone(answer: RawResponse): boolean;
}

export interface Around {
  readonly engine: EngineClient;
  readonly source: MemoryRegistry;
  readonly target: TakingRegistry;
}

/** `name`: another one each time. Makes what the operation needs first. */
export type Prepare = (around: Around, name: string) => Promise<Operation>;

export const PREPARED: Readonly<Record<string, Prepare>> = {
  load: async ({ engine }, name) => {
    const archive = await dockerArchive([{ reference: `${name}:1`, config: {}, layers: await layersOf() }]);
    return {
      reference: `${name}:1`,
      ask: () => engine.call("POST", "/images/load?quiet=1", archive),
      isDone: ({ text }) => text.includes("Loaded image"),
    };
  },
  import: async ({ engine }, name) => {
    const tar = await large();
    return {
      reference: `${name}:1`,
      ask: () => engine.call("POST", `/images/create?fromSrc=-&repo=${name}&tag=1`, tar),
      isDone: ({ text }) => text.includes('"status":"sha256:'),
    };
  },
  build: async ({ engine }, name) => {
    const dockerfile = "FROM busybox\nCOPY large /large\nRUN cat /large /large > /larger\nLABEL built=1\n";
    const context = rawTar([
      { name: "Dockerfile", body: dockerfile },
      { name: "large", body: randomBytes(LARGE) },
    ]);
    return {
      reference: `${name}:1`,
      ask: () => engine.call("POST", `/build?t=${name}:1`, context),
      isDone: ({ text }) => text.includes("Successfully built"),
    };
  },
  commit: async ({ engine }, name) => {
    const id = await engine.create({ Cmd: ["true"] }, `?name=${name}`);
    await engine.must(200, "PUT", `/containers/${id}/archive?path=/`, await large());
    return {
      reference: `${name}:1`,
      ask: () => engine.call("POST", `/commit?container=${id}&repo=${name}&tag=1`, {}),
      isDone: ({ status }) => status === 201,
    };
  },
  pull: async ({ engine, source }, name) => {
    source.put(name, ["1"], packImage({ reference: null, config: {}, layers: await layersOf() }));
    const reference = `${source.host}/${name}:1`;
    return {
      reference,
      ask: () => engine.call("POST", `/images/create?fromImage=${reference}`),
      isDone: ({ text }) => text.includes("Status: Downloaded newer image"),
    };
  },
  push: async ({ engine, target }, name) => {
    const repository = `${target.authority}/${name}`;
    await engine.load(await dockerArchive([{ reference: `${repository}:1`, config: {}, layers: await layersOf() }]));
    const headers = { "X-Registry-Auth": "e30=" };
    return {
      reference: `${repository}:1`,
      known: true,
      ask: () => engine.call("POST", `/images/${repository}/push?tag=1`, undefined, { headers }),
      isDone: ({ text }) => text.includes("1: digest: sha256:"),
    };
  },
};

async function layersOf(): Promise<Buffer[]> {
  return [await busyboxLayer(), await large(), await tarOf([{ name: "small", body: randomBytes(1000) }])];
}

async function large(): Promise<Buffer> {
  return tarOf([{ name: "large", body: randomBytes(LARGE) }]);
}

const LARGE = 8_000_000;
