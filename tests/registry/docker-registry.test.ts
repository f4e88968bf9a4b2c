// The client against a real registry, open and with a password.

import { afterAll, beforeAll, expect, test } from "vitest";
import { registryClient } from "../../hosts/registry/client.js";
import { nodeTransport } from "../../hosts/node/registry/index.js";
import type { DockerRegistry } from "../support/registry/docker-registry.js";
import { tarOf } from "../support/archives/images.js";
import { describeUnless } from "../support/on-engines.js";
import { digestOf, packImage, pushImage, type PackedImage } from "../support/registry/push-image.js";
import { loginRegistryMissing, startLoopbackRegistry } from "../support/registry/registry.js";
import { NOBODY, readAll } from "./fake.js";
import { shownFailure } from "../support/failed.js";
import { INSECURE } from "../support/registry/security.js";

const missing = loginRegistryMissing();

const USER = { username: "ann", password: "s3cret" };
const TRANSPORTS = { fetch: {}, "node:http": { transport: nodeTransport() } };

for (const [name, options] of Object.entries(TRANSPORTS))
  describeUnless(missing, `over ${name}`, () => clientOver(options));

function clientOver(options: (typeof TRANSPORTS)[keyof typeof TRANSPORTS]): void {
  let registry: DockerRegistry;
  let locked: DockerRegistry;
  let image: PackedImage;
  const at = ({ host }: DockerRegistry) => ({
    endpoint: { authority: host, security: INSECURE },
    repository: "some/thing",
    limit: 4 << 20,
  });

  beforeAll(async () => {
    [registry, locked] = await Promise.all([startLoopbackRegistry(), startLoopbackRegistry(USER)]);
    const layer = await tarOf([{ name: "file", body: "hello\n" }]);
    image = packImage({ reference: null, config: {}, layers: [layer] });
    for (const one of [registry, locked]) await pushImage(one, "some/thing", ["1.0", "2.0"], image);
  });
  afterAll(async () => {
    await registry?.close();
    await locked?.close();
  });

  test("manifest, config, layer and tags come as they were pushed", async () => {
    const client = registryClient(options);
    const accept = [image.manifest.mediaType];
    const resolved = await client.resolve({ ...at(registry), reference: "1.0", accept });
    expect(resolved).toMatchObject({ digest: image.digest, mediaType: image.manifest.mediaType });
    expect((await client.resolve({ ...at(registry), reference: image.digest, accept })).digest).toBe(image.digest);
    expect((await client.tags(at(registry))).sort()).toEqual(["1.0", "2.0"]);
    const config = { from: at(registry), digest: image.id, size: BigInt(image.config.bytes.length) };
    expect(Buffer.from(await client.blob(config))).toEqual(image.config.bytes);
    const layer = image.layers[0]!.bytes;
    const { body } = await client.stream({ from: at(registry), digest: digestOf(layer), size: BigInt(layer.length) });
    expect(await readAll(body)).toEqual(layer);
  });

  test("missing content is not found, with the registry's code", async () => {
    const asked = registryClient(options).resolve({ ...at(registry), reference: "none", accept: [] });
    const failure = shownFailure(await asked.catch((error: unknown) => error));
    expect(failure).toMatchObject({
      tag: "registry-answer",
      val: { status: 404, errors: [{ code: "MANIFEST_UNKNOWN" }] },
    });
  });

  test("the right password works, and a wrong one does not", async () => {
    const client = registryClient(options);
    const endpoint = { authority: locked.host, security: INSECURE };
    const tags = await client.tags({ ...at(locked), credentials: { ...NOBODY, ...USER } });
    expect(tags.sort()).toEqual(["1.0", "2.0"]);
    expect(await client.login({ endpoint, credentials: { ...NOBODY, ...USER } })).toBe("");
    const wrong = client.login({ endpoint, credentials: { ...NOBODY, ...USER, password: "no" } });
    const failure = shownFailure(await wrong.catch((error: unknown) => error));
    expect(failure).toMatchObject({ tag: "registry-answer", val: { url: `http://${locked.host}/v2/`, status: 401 } });
  });
}
