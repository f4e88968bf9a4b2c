// Stages and builds that begin with the same private image, which is not here: it is pulled once.
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect } from "vitest";
import { busyboxLayer } from "../../support/archives/images.js";
import { BuildKitClient, openSession } from "../../support/buildkit/client.js";
import type { Fields } from "../../support/buildkit/protocol.js";
import { REFERENCE } from "../../support/allowed-skips.js";
import { onEngines, testExcept } from "../../support/on-engines.js";
import {
  dockerRegistryMissing,
  startDockerRegistry,
  type DockerRegistry,
} from "../../support/registry/docker-registry.js";
import { packImage, pushImage } from "../../support/registry/push-image.js";

const LOGIN = { username: "builder", password: "correct horse" };

onEngines(
  "an image that several want at once",
  (engine, kind) => {
    let registry: DockerRegistry;
    beforeAll(async () => {
      registry = await startDockerRegistry(engine().daemon.netns, 5013, LOGIN);
      const image = packImage({ reference: null, config: { Cmd: ["true"] }, layers: [await busyboxLayer()] });
      await pushImage(registry, "private/shared", ["1", "2"], image);
    });
    afterAll(async () => registry?.close());

    /** Returns how often its client was asked for credentials. */
    const build = async (dockerfile: string): Promise<number> => {
      const client = await BuildKitClient.open(engine().socketPath);
      const ref = randomUUID();
      let asked = 0;
      const credentials = (): Fields => {
        asked++;
        return { Username: LOGIN.username, Secret: LOGIN.password };
      };
      const files = { dockerfile: [{ path: "Dockerfile", bytes: dockerfile }], context: [] };
      const end = await openSession(engine().socketPath, ref, files, { credentials });
      const exported = { Exporter: "moby", ExporterAttrs: { name: `shared:${ref}` } };
      const fields = { Ref: ref, Session: ref, Frontend: "dockerfile.v0", ...exported };
      try {
        await client.control("Solve", ["SolveRequest", fields], "SolveResponse");
      } finally {
        end();
        client.close();
      }
      await engine().must(200, "DELETE", `/images/shared:${ref}`);
      return asked;
    };

    /** How often the base was pulled since then, in milliseconds. It is removed. */
    const pulls = async (base: string, began: number): Promise<number> => {
      const filters = encodeURIComponent(JSON.stringify({ event: ["pull"], image: [base] }));
      // An engine's time of day may be some 20 ms away from ours.
      const since = (began - 100) / 1000;
      const until = Math.ceil(Date.now() / 1000);
      const { text } = await engine().must(200, "GET", `/events?since=${since}&until=${until}&filters=${filters}`);
      await engine().must(200, "DELETE", `/images/${base}`);
      return text.split("\n").filter((line) => line !== "").length;
    };

    const ofOurs = testExcept(kind, { reference: REFERENCE.buildkit });
    ofOurs("is pulled once for two stages, and their client is asked for credentials once", async () => {
      const [base, began] = [`${registry.host}/private/shared:1`, Date.now()];
      const one = `FROM ${base} AS one\nWORKDIR /one\n`;
      const two = `FROM ${base} AS two\nLABEL a=b\nCOPY --from=one /bin/sh /copied\n`;
      expect([await build(one + two), await pulls(base, began)]).toEqual([1, 1]);
    });

    ofOurs("is pulled once for several builds", async () => {
      const [base, began] = [`${registry.host}/private/shared:2`, Date.now()];
      await Promise.all([1, 2, 3].map((at) => build(`FROM ${base}\nLABEL at=${at}\n`)));
      expect(await pulls(base, began)).toBe(1);
    });
  },
  { missing: dockerRegistryMissing() },
);
