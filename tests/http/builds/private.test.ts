// Base images of registries that want credentials: the header X-Registry-Config of a build, or the client of BuildKit.
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { busyboxLayer } from "../../support/archives/images.js";
import { rawTar } from "../../support/archives/tar.js";
import { BuildKitClient, openSession, type SessionOptions } from "../../support/buildkit/client.js";
import type { Fields } from "../../support/buildkit/protocol.js";
import { onEngines } from "../../support/on-engines.js";
import {
  dockerRegistryMissing,
  startDockerRegistry,
  type DockerRegistry,
} from "../../support/registry/docker-registry.js";
import { packImage, pushImage } from "../../support/registry/push-image.js";
import { builtOf, type Built } from "./building.js";

interface Identified {
  Created: string;
  Identity?: object;
}

const LOGIN = { username: "builder", password: "correct horse" };

onEngines(
  "private base images",
  (engine, kind) => {
    let registry: DockerRegistry;
    beforeAll(async () => {
      registry = await startDockerRegistry(engine().daemon.netns, 5011, LOGIN);
      const image = packImage({ reference: null, config: { Cmd: ["true"] }, layers: [await busyboxLayer()] });
      await pushImage(registry, "private/base", ["1"], image);
    });
    afterAll(async () => registry?.close());

    const build = async (config: object): Promise<Built> => {
      const base = `${registry.host}/private/base:1`;
      const context = rawTar([
        { name: "Dockerfile", body: `FROM ${base}\nLABEL a=b\nCOPY --from=${base} /bin/sh /copied\n` },
      ]);
      const header = Buffer.from(JSON.stringify(config)).toString("base64");
      // With its padding: Docker takes it for no header otherwise.
      const headers = { "X-Registry-Config": header.replaceAll("+", "-").replaceAll("/", "_") };
      return builtOf((await engine().must(200, "POST", "/build?nocache=1", context, { headers })).text);
    };

    test("are pulled with the credentials for their registry, and with no others", async () => {
      for (const config of [{}, { "other.example": LOGIN }, { [registry.host]: { ...LOGIN, password: "wrong" } }]) {
        expect((await build(config)).error?.["error"]).toMatch(/no basic auth credentials|unauthorized/);
      }
      const { id, text, error } = await build({ [registry.host]: LOGIN });
      expect(error).toBeNull();
      expect(await engine().read(`/images/${id}/json`)).toMatchObject({ Config: { Labels: { a: "b" } } });
      expect(text).not.toContain(LOGIN.password);
      if (kind !== "reference") {
        const version = "1.53";
        const made = await engine().read<Identified>(`/images/${id}/json`, { version });
        expect(made.Identity).toEqual({ Build: [{ CreatedAt: made.Created }] });
        const base = await engine().read<Identified>(`/images/${registry.host}/private/base:1/json`, { version });
        expect(base.Identity).toEqual({ Pull: [{ Repository: `${registry.host}/private/base` }] });
      }
      await engine().must(200, "DELETE", `/images/${id}`);
      await engine().must(200, "DELETE", `/images/${registry.host}/private/base:1`);
    });

    /** By BuildKit. Resolves with the answer of its `Solve`. */
    const solve = async (options: SessionOptions): Promise<Fields> => {
      const client = await BuildKitClient.open(engine().socketPath);
      const ref = randomUUID();
      const dockerfile = [{ path: "Dockerfile", bytes: `FROM ${registry.host}/private/base:1\nLABEL a=b\n` }];
      const end = await openSession(engine().socketPath, ref, { dockerfile, context: [] }, options);
      const exported = { Exporter: "moby", ExporterAttrs: { name: "private:1" } };
      const fields = { Ref: ref, Session: ref, Frontend: "dockerfile.v0", ...exported };
      try {
        return await client.control("Solve", ["SolveRequest", fields], "SolveResponse");
      } finally {
        end();
        client.close();
      }
    };

    test("are pulled with the credentials that a client of BuildKit gives when it is asked", async () => {
      const asked: string[] = [];
      const giving =
        (Secret: string) =>
        (host: string): Fields => {
          asked.push(host);
          return { Username: LOGIN.username, Secret };
        };
      for (const options of [{}, { credentials: () => ({}) }, { credentials: giving("wrong") }]) {
        await expect(solve(options)).rejects.toThrow(/no basic auth credentials|unauthorized/i);
      }
      const refusing = (): never => {
        throw new Error("the keychain is locked");
      };
      await expect(solve({ credentials: refusing })).rejects.toThrow("the keychain is locked");
      await solve({ credentials: giving(LOGIN.password) });
      expect(new Set(asked)).toEqual(new Set([registry.host]));
      expect(await engine().read("/images/private:1/json")).toMatchObject({ Config: { Labels: { a: "b" } } });
      await engine().must(200, "DELETE", "/images/private:1");
      if (kind !== "reference") await engine().must(200, "DELETE", `/images/${registry.host}/private/base:1`);
    });
  },
  { missing: dockerRegistryMissing() },
);
