// Clients that push, unchanged: docker push and manifest inspect, docker-compose build and push, skopeo.
import * as fs from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { UNPACKAGED } from "../../support/allowed-skips.js";
import { busyboxLayer, dockerArchive, tarOf } from "../../support/archives/images.js";
import { findProgram, must, run } from "../../support/commands.js";
import { describeUnless, onEngines } from "../../support/on-engines.js";
import {
  dockerRegistryMissing,
  startDockerRegistry,
  type DockerRegistry,
} from "../../support/registry/docker-registry.js";
import { Compose, COMPOSE_MISSING } from "../compose/compose.js";
import { DOCKER_MISSING, DockerCli } from "../docker.js";

const skopeo = findProgram("skopeo");
const BUILDX = process.env["CORACLE_TEST_BUILDX"];
const BUILDX_MISSING = DOCKER_MISSING ?? (BUILDX === undefined ? UNPACKAGED.buildx : null);

interface Manifest {
  config: { digest: string };
  layers: object[];
}

onEngines(
  "clients that push",
  (engine) => {
    let registry: DockerRegistry;
    let top = "";
    let id = "";
    beforeAll(async () => {
      top = fs.mkdtempSync(join(tmpdir(), "coracle-pushing-"));
      registry = await startDockerRegistry(engine().daemon.netns, 5004);
      const layers = [await busyboxLayer(), await tarOf([{ name: "note", body: "to be pushed" }])];
      await engine().load(await dockerArchive([{ reference: "pushing:1", config: { Cmd: ["cat", "/note"] }, layers }]));
      id = (await engine().read<{ Id: string }>("/images/pushing:1/json")).Id;
    });
    afterAll(async () => {
      fs.rmSync(top, { recursive: true, force: true });
      await registry?.close();
    });
    /** The registry's address for programs of the test. */
    const outside = (): string => new URL(registry.url).host;
    const manifestOf = async (name: string): Promise<Manifest> => {
      const accept = "application/vnd.docker.distribution.manifest.v2+json";
      const answer = await fetch(`${registry.url}/v2/${name}/manifests/1`, { headers: { accept } });
      return (await answer.json()) as Manifest;
    };

    describeUnless(DOCKER_MISSING, "docker", () => {
      const docker = (): DockerCli => new DockerCli(engine().socketPath, top);

      test("pushes, inspects the manifest, and gets the same image back", async () => {
        const name = `${registry.host}/by/docker:1`;
        await docker().well("tag", "pushing:1", name);
        const digest = /digest: (sha256:[0-9a-f]{64}) size: \d+/.exec(await docker().well("push", name))?.[1];
        expect((await manifestOf("by/docker")).config.digest).toBe(id);
        const told = await docker().well("manifest", "inspect", "--insecure", "-v", `${outside()}/by/docker:1`);
        const { Descriptor, SchemaV2Manifest } = JSON.parse(told) as {
          Descriptor: { digest: string };
          SchemaV2Manifest: Manifest;
        };
        expect([Descriptor.digest, SchemaV2Manifest]).toEqual([digest, await manifestOf("by/docker")]);
        await docker().well("rmi", name, "pushing:1");
        await docker().well("pull", name);
        expect(await docker().well("image", "inspect", "--format", "{{.Id}}", name)).toBe(`${id}\n`);
        await docker().well("tag", name, "pushing:1");
        await docker().well("rmi", name);
      });
    });

    describeUnless(BUILDX_MISSING, "docker buildx", () => {
      test("builds and pushes, and looks at what the registry has", async () => {
        const name = `${registry.host}/by/buildx:1`;
        const context = fs.mkdtempSync(join(top, "context-"));
        fs.writeFileSync(join(context, "Dockerfile"), "FROM pushing:1\nLABEL by=buildx\n");
        fs.mkdirSync(join(top, "cli-plugins"));
        fs.symlinkSync(BUILDX!, join(top, "cli-plugins/docker-buildx"));
        const docker = new DockerCli(engine().socketPath, top);
        await docker.well("buildx", "build", "--push", "-t", name, context);
        // buildx asks registries of its own machine without TLS.
        const look = engine().daemon.netns.inside(["docker", "buildx", "imagetools", "inspect", "--raw", name]);
        const { stdout } = await run(look, { env: docker.environment });
        expect(JSON.parse(stdout)).toEqual(await manifestOf("by/buildx"));
        const { Id } = await engine().read<{ Id: string }>(`/images/${name}/json`);
        expect((await manifestOf("by/buildx")).config.digest).toBe(Id);
        await docker.well("rmi", name);
      });
    });

    describeUnless(COMPOSE_MISSING, "docker-compose", () => {
      test("builds and pushes", async () => {
        const compose = await Compose.open(engine().socketPath, "pushing");
        const image = `${registry.host}/by/compose:1`;
        try {
          fs.writeFileSync(
            join(compose.folder, "Dockerfile"),
            "FROM pushing:1\nARG TEXT\nRUN echo $TEXT > /composed\n",
          );
          const build = "build: {context: ., args: {TEXT: by compose}}";
          await compose.use(`version: "3"\nservices:\n  made:\n    image: ${image}\n    ${build}\n`);
          await compose.well("build");
          await compose.well("push");
          const built = await engine().read<{ Id: string }>(`/images/${image}/json`);
          const manifest = await manifestOf("by/compose");
          expect([manifest.config.digest, manifest.layers.length]).toEqual([built.Id, 3]);
          const { stdout } = await engine().run({ Image: image, Cmd: ["cat", "/composed"] });
          expect(stdout).toBe("by compose\n");
        } finally {
          await engine().call("DELETE", `/images/${image}?force=1`);
          await compose.close();
        }
      });
    });

    describeUnless(skopeo === null ? "skopeo is not installed" : null, "skopeo", () => {
      test("copies from the engine to a registry, and back", async () => {
        const host = `unix://${engine().socketPath}`;
        const copy = (...args: string[]): Promise<string> =>
          must([skopeo!, "--insecure-policy", "copy", "--quiet", ...args]);
        const place = `docker://${outside()}/by/skopeo:1`;
        await copy("--src-daemon-host", host, "--dest-tls-verify=false", "docker-daemon:pushing:1", place);
        expect((await manifestOf("by/skopeo")).config.digest).toBe(id);
        await copy("--src-tls-verify=false", "--dest-daemon-host", host, place, "docker-daemon:returned:1");
        expect((await engine().read<{ Id: string }>("/images/returned:1/json")).Id).toBe(id);
        await engine().must(200, "DELETE", "/images/returned:1");
      });
    });
  },
  { missing: dockerRegistryMissing(), ownFlags: ["--max-api-version", "1.41"] },
);
