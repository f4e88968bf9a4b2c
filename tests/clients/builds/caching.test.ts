// docker build with the plugin buildx, with a cache that comes from a registry, inside an image, or from a directory.
import { createHash } from "node:crypto";
import * as fs from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { REFERENCE, UNPACKAGED } from "../../support/allowed-skips.js";
import { forgetsBuilds } from "../../support/buildkit/past-builds.js";
import { describeUnless, onEngines, testExcept } from "../../support/on-engines.js";
import {
  dockerRegistryMissing,
  startDockerRegistry,
  type DockerRegistry,
} from "../../support/registry/docker-registry.js";
import { DOCKER_MISSING, DockerCli } from "../docker.js";

const BUILDX = process.env["CORACLE_TEST_BUILDX"];
const MEMBER = "moby.buildkit.cache.v0";

interface Record {
  digest: string;
  layers: { layer: number }[];
  inputs?: { link: number }[][];
}

onEngines(
  "docker buildx, caches",
  (engine, kind) => {
    forgetsBuilds(engine, kind);
    let top = "";
    beforeAll(() => {
      top = fs.mkdtempSync(join(tmpdir(), "coracle-caching-"));
      fs.mkdirSync(join(top, "cli-plugins"));
      fs.symlinkSync(BUILDX!, join(top, "cli-plugins/docker-buildx"));
      fs.mkdirSync(join(top, "context"));
      fs.writeFileSync(join(top, "context/file"), "of the context");
    });
    afterAll(() => fs.rmSync(top, { recursive: true, force: true }));
    const docker = (): DockerCli => new DockerCli(engine().socketPath, top);
    /** Builds, and tells what the client has shown. */
    const build = async (dockerfile: string, ...flags: string[]): Promise<string> => {
      const words = ["build", "--progress", "plain", ...flags, "-f", "-", join(top, "context")];
      const { code, stderr } = await docker().runWith(dockerfile, ...words);
      expect([code, stderr]).toEqual([0, expect.any(String)]);
      return stderr;
    };
    const cachedIn = (shown: string): number => shown.match(/ CACHED$/gm)?.length ?? 0;
    /** Removes the image and all of the builder's cache. */
    const forget = async (...names: string[]): Promise<void> => {
      await docker().well("rmi", ...names);
      await docker().well("builder", "prune", "-a", "-f");
    };

    test("an export of a kind that nobody offers fails the build", async () => {
      const words = ["build", "--cache-to", "type=gha,token=x,url=http://localhost:1", join(top, "context")];
      const failed = await docker().runWith("FROM busybox\n", ...words);
      expect(failed.code).toBe(1);
    });

    testExcept(kind, { reference: REFERENCE.ours })(
      "an import of a kind that nobody offers tells what to do, and the build goes on",
      async () => {
        const from = ["--cache-from", "type=azblob,name=a,secret_access_key=hidden"];
        const shown = await build("FROM busybox\nRUN true\n", ...from);
        expect(shown).toContain("--cache-from of type azblob is not built yet: type=registry names an image");
        expect(shown).not.toContain("hidden");
      },
    );

    describeUnless(kind === "reference" ? REFERENCE.ours : null, "in a directory of the client", () => {
      const builder = `caching-${kind}`;
      const STAGES = [
        "FROM busybox AS one",
        "RUN echo one > /one",
        "FROM busybox",
        "ENV A=1",
        "RUN echo two > /two",
        "COPY --from=one /one /one",
        "",
      ].join("\n");
      beforeAll(() =>
        docker().well("buildx", "create", "--name", builder, "--driver", "remote", `unix://${engine().socketPath}`),
      );
      const kept = (name: string): string => join(top, name);
      /** Builds, and then forgets all of it. */
      const built = async (...flags: string[]): Promise<{ id: string; cached: number; shown: string }> => {
        const image = ["--builder", builder, "-o", "type=image,name=caching:5", "--iidfile", kept("iid")];
        const shown = await build(STAGES, ...image, ...flags);
        const { Id } = await engine().read<{ Id: string }>("/images/caching:5/json");
        await forget("caching:5");
        return { id: Id, cached: cachedIn(shown), shown };
      };
      const blobs = (name: string): string[] =>
        fs.readdirSync(kept(`${name}/blobs/sha256`)).map((blob) => kept(`${name}/blobs/sha256/${blob}`));

      test("all steps come from there, and make the same image; the directory may be the same one again", async () => {
        const made = await built("--cache-to", `type=local,dest=${kept("all")},mode=max`);
        expect(made.cached).toBe(0);
        for (const path of blobs("all")) {
          expect(createHash("sha256").update(fs.readFileSync(path)).digest("hex")).toBe(path.split("/").at(-1));
        }
        const local = [`type=local,src=${kept("all")}`, `type=local,dest=${kept("all")},mode=max`] as const;
        for (let again = 0; again < 2; again++) {
          const { id, cached } = await built("--cache-from", local[0], "--cache-to", local[1]);
          expect([id, cached]).toEqual([made.id, 3]);
        }
      });

      test("with mode=min, stages that the result is not made of are built again", async () => {
        const made = await built("--cache-to", `type=local,dest=${kept("least")}`);
        const { id, cached } = await built("--cache-from", `type=local,src=${kept("least")}`);
        expect([id, cached]).toEqual([made.id, 2]);
      });

      test("steps whose layers are other ones by now are done again", async () => {
        await built("--cache-to", `type=local,dest=${kept("changed")},mode=max`);
        const layers = blobs("changed").filter((path) => fs.readFileSync(path, "latin1")[0] !== "{");
        expect(layers.length).toBeGreaterThan(2);
        for (const layer of layers) fs.appendFileSync(layer, "x");
        expect((await built("--cache-from", `type=local,src=${kept("changed")}`)).cached).toBe(0);
      });

      test("a form that layers cannot have is refused before anything is built", async () => {
        const to = `type=local,dest=${kept("never")},compression=zstd`;
        const words = ["build", "--builder", builder, "--cache-to", to, "-f", "-", join(top, "context")];
        const { code, stderr } = await docker().runWith(STAGES, ...words);
        expect([code, stderr]).toEqual([1, expect.stringContaining("layers are kept uncompressed")]);
        expect(fs.existsSync(kept("never/index.json"))).toBe(false);
      });
    });

    describeUnless(
      kind === "simulated" ? "the registry is outside of its world" : dockerRegistryMissing(),
      "in a registry",
      () => {
        let registry: DockerRegistry;
        beforeAll(async () => {
          registry = await startDockerRegistry(engine().daemon.netns, 5011);
        });
        afterAll(() => registry?.close());

        const STEPS = (mark: string): string =>
          [
            "FROM busybox",
            "ENV A=1",
            `RUN echo ${mark} > /made && cat /proc/sys/kernel/random/uuid > /unique`,
            "COPY file /copied",
            "WORKDIR /work",
            'CMD ["cat", "/made"]',
            "",
          ].join("\n");
        const unique = (image: string): Promise<string> =>
          docker().well("run", "--rm", "--network", "none", image, "cat", "/unique");
        const configOf = async (name: string): Promise<{ [key: string]: unknown }> => {
          const accept = "application/vnd.docker.distribution.manifest.v2+json";
          const manifest = await fetch(`${registry.url}/v2/${name}/manifests/1`, { headers: { accept } });
          const { config } = (await manifest.json()) as { config: { digest: string } };
          return (await (await fetch(`${registry.url}/v2/${name}/blobs/${config.digest}`)).json()) as never;
        };

        test("an image with its cache inside gives its layers to a machine that has none of them", async () => {
          const name = `${registry.host}/by/cache:1`;
          await build(STEPS("whole"), "--cache-to", "type=inline", "-t", name);
          await docker().well("push", name);
          const made = await unique(name);
          const records = JSON.parse(
            Buffer.from((await configOf("by/cache"))[MEMBER] as string, "base64").toString(),
          ) as Record[];
          expect(records.length).toBeGreaterThanOrEqual(3);
          for (const { digest } of records) expect(digest).toMatch(/^sha256:[0-9a-f]{64}$/);
          await forget(name);

          const shown = await build(STEPS("whole"), "--cache-from", `type=registry,ref=${name}`, "-t", "caching:1");
          expect(cachedIn(shown)).toBe(3);
          expect(shown).toContain(`importing cache manifest from ${name}`);
          expect(await unique("caching:1")).toBe(made);
          // Nobody has asked for that image here.
          expect(await docker().well("images", "-q", name)).toBe("");
          await forget("caching:1");

          const longer = STEPS("whole").replace("COPY file", "COPY --chown=1:1 file");
          expect(cachedIn(await build(longer, "--cache-from", name, "-t", "caching:2"))).toBe(1);
          expect(await unique("caching:2")).toBe(made);
          await forget("caching:2");
        });

        test("so does one whose build argument asks for it", async () => {
          const name = `${registry.host}/by/argument:1`;
          await build(STEPS("argument"), "--build-arg", "BUILDKIT_INLINE_CACHE=1", "-t", name);
          await docker().well("push", name);
          await forget(name);
          expect(cachedIn(await build(STEPS("argument"), "--cache-from", name, "-t", "caching:3"))).toBe(3);
          await forget("caching:3");
        });

        test("an image without one is no cache, nor is what is not there", async () => {
          const name = `${registry.host}/by/plain:1`;
          await build(STEPS("plain"), "-t", name);
          await docker().well("push", name);
          await forget(name);
          const from = ["--cache-from", name, "--cache-from", `${registry.host}/by/nobody:1`];
          const shown = await build(STEPS("plain"), ...from, "-t", "caching:4");
          expect(cachedIn(shown)).toBe(0);
          expect(shown).toMatch(/ERROR: .*by\/nobody/);
          await forget("caching:4");
        });
      },
    );
  },
  { missing: DOCKER_MISSING ?? (BUILDX === undefined ? UNPACKAGED.buildx : null) },
);
