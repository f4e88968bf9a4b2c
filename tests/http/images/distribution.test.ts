// What a registry says of an image without a pull: descriptors, platforms, credentials, refusals.
import { afterAll, beforeAll, expect, test } from "vitest";
import { findProgram } from "../../support/commands.js";
import { messageOf, type Json } from "../../support/engine-client.js";
import { describeUnless, onEngines } from "../../support/on-engines.js";
import {
  dockerRegistryMissing,
  startDockerRegistry,
  type DockerRegistry,
} from "../../support/registry/docker-registry.js";
import { smallImage } from "../../support/registry/pulls.js";
import {
  digestOf,
  packImage,
  packIndex,
  pushBlob,
  pushImage,
  pushManifest,
  type Blob,
} from "../../support/registry/push-image.js";

const LOGIN = { username: "someone", password: "s3cret" };
const htpasswd = dockerRegistryMissing() ?? (findProgram("htpasswd") === null ? "htpasswd is not installed" : null);

onEngines(
  "distribution",
  (engine) => {
    let registry: DockerRegistry;
    beforeAll(async () => {
      registry = await startDockerRegistry(engine().daemon.netns);
    });
    afterAll(async () => registry.close());

    const ask = async (name: string, login?: object): Promise<[number, Json | string]> => {
      const header = Buffer.from(JSON.stringify(login ?? {})).toString("base64");
      const headers =
        login === undefined ? {} : { "X-Registry-Auth": header.replaceAll("+", "-").replaceAll("/", "_") };
      const answer = await engine().call("GET", `/distribution/${name}/json`, undefined, { headers });
      return [answer.status, answer.status === 200 ? answer.json<Json>() : messageOf(answer)];
    };

    test("of an image: by tag, without one, and by digest; nothing is pulled", async () => {
      const image = packImage({ ...(await smallImage("told", 1)), architecture: "arm64" });
      await pushImage(registry, "told", ["1", "latest"], image);
      const told = {
        Descriptor: {
          mediaType: image.manifest.mediaType,
          digest: image.digest,
          size: image.manifest.bytes.length,
        },
        Platforms: [{ architecture: "arm64", os: "linux" }],
      };
      for (const suffix of [":1", "", `@${image.digest}`, `:none@${image.digest}`]) {
        expect(await ask(`${registry.host}/told${suffix}`)).toEqual([200, told]);
      }
      expect((await engine().call("GET", `/images/${registry.host}/told:1/json`)).status).toBe(404);
    });

    test("of an image in OCI's format, which has a platform, too", async () => {
      const image = packImage({ ...(await smallImage("oci", 1)), architecture: "riscv64" }, "oci");
      await pushImage(registry, "oci", ["1"], image);
      const Platforms = [{ architecture: "riscv64", os: "linux" }];
      expect(await ask(`${registry.host}/oci:1`)).toEqual([
        200,
        {
          Descriptor: { mediaType: image.manifest.mediaType, digest: image.digest, size: image.manifest.bytes.length },
          Platforms: engine().expected("distribution-platforms", Platforms, null),
        },
      ]);
    });

    test.each(["oci", "schema2"] as const)(
      "of an index (%s): its entries' platforms in their order",
      async (format) => {
        const image = packImage(await smallImage("many", 1), format);
        const entries = ["linux/arm/v7", "unknown/unknown", "linux/amd64"].map(
          (platform) => [platform, image] as const,
        );
        const plain = packIndex(entries, format);
        const document = JSON.parse(plain.bytes.toString()) as { manifests: { platform: Json }[] };
        Object.assign(document.manifests[2]?.platform ?? {}, { "os.version": "10.0", "os.features": ["a", "b"] });
        const index: Blob = { ...plain, bytes: Buffer.from(JSON.stringify(document)) };
        await pushImage(registry, `many-${format}`, ["one"], image);
        await pushManifest(registry, `many-${format}`, "all", index);
        expect(await ask(`${registry.host}/many-${format}:all`)).toEqual([
          200,
          {
            Descriptor: { mediaType: index.mediaType, digest: digestOf(index.bytes), size: index.bytes.length },
            Platforms: [
              { architecture: "arm", os: "linux", variant: "v7" },
              { architecture: "unknown", os: "unknown" },
              { architecture: "amd64", os: "linux", "os.version": "10.0", "os.features": ["a", "b"] },
            ],
          },
        ]);
      },
    );

    test("of an artifact that is no image: no platform", async () => {
      const blob = { mediaType: "application/vnd.example.chart", bytes: Buffer.from('{"name":"chart"}') };
      const image = packImage(await smallImage("chart", 1), "oci");
      await pushImage(registry, "chart", ["image"], image);
      await pushBlob(registry, "chart", blob);
      const config = { mediaType: blob.mediaType, size: blob.bytes.length, digest: digestOf(blob.bytes) };
      const { layers, ...rest } = JSON.parse(image.manifest.bytes.toString()) as Json;
      const bytes = Buffer.from(JSON.stringify({ ...rest, config, layers }));
      await pushManifest(registry, "chart", "1", { ...image.manifest, bytes });
      expect(await ask(`${registry.host}/chart:1`)).toEqual([
        200,
        {
          Descriptor: { mediaType: image.manifest.mediaType, digest: digestOf(bytes), size: bytes.length },
          Platforms: engine().expected("distribution-platforms", [], null),
        },
      ]);
    });

    test("refusals: unknown, unreachable, ids and wrong names", async () => {
      await pushImage(registry, "known", ["1"], packImage(await smallImage("known", 1)));
      expect(await ask(`${registry.host}/known:2`)).toEqual([404, "manifest unknown: manifest unknown"]);
      expect((await ask(`${registry.host}/unknown:1`))[0]).toBe(404);
      const digest = `sha256:${"0".repeat(64)}`;
      expect(await ask(`${registry.host}/known@${digest}`)).toEqual([404, "manifest unknown: manifest unknown"]);
      expect(await ask("127.0.0.1:9/x:1")).toEqual([
        500,
        'Get "http://127.0.0.1:9/v2/": dial tcp 127.0.0.1:9: connect: connection refused',
      ]);
      for (const id of [digest, "0".repeat(64)]) {
        expect(await ask(id)).toEqual([500, "no manifest found for full image ID"]);
      }
      const [status, text] = await ask("Upper");
      expect([status, text]).toEqual([400, expect.stringMatching(/^invalid reference format: .* must be lowercase$/)]);
      expect((await ask("a:b:c"))[0]).toBe(400);
    });

    describeUnless(htpasswd, "with a login", () => {
      let closed: DockerRegistry;
      beforeAll(async () => {
        closed = await startDockerRegistry(engine().daemon.netns, 5001, LOGIN);
        await pushImage(closed, "private", ["1"], packImage(await smallImage("private", 1)));
      });
      afterAll(async () => closed.close());

      test("the right one is answered; another one, and none, is unauthorized", async () => {
        const name = `${closed.host}/private:1`;
        expect((await ask(name, LOGIN))[0]).toBe(200);
        const [wrong, text] = await ask(name, { ...LOGIN, password: "guessed" });
        expect([wrong, text]).toEqual([401, "unauthorized: authentication required"]);
        const [none, words] = await ask(name);
        expect([none, words]).toEqual([
          engine().expected("distribution-credentials", 401, 500),
          expect.stringContaining("no basic auth credentials"),
        ]);
      });
    });
  },
  { missing: dockerRegistryMissing() },
);
