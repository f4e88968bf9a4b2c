// docker save and docker load, unchanged: to a file and back, and through a pipe from one engine into another.
import * as fs from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { REFERENCE } from "../support/allowed-skips.js";
import { must } from "../support/commands.js";
import type { DaemonProcess } from "../support/daemon-process.js";
import { EngineClient } from "../support/engine-client.js";
import { busyboxLayer, dockerArchive, tarOf, type ImageSpec } from "../support/archives/images.js";
import { onEngines } from "../support/on-engines.js";
import { referenceMissing, startReference } from "../support/reference.js";
import { readSaved } from "../support/archives/saved.js";
import { DOCKER_MISSING, DockerCli } from "./docker.js";

onEngines(
  "docker save",
  (engine, kind) => {
    let top = "";
    beforeAll(() => {
      top = fs.mkdtempSync(join(tmpdir(), "coracle-save-"));
    });
    afterAll(() => fs.rmSync(top, { recursive: true, force: true }));
    const docker = (): DockerCli => new DockerCli(engine().socketPath, top);

    test("into a file, and loaded from it", async () => {
      const file = join(top, "image.tar");
      await engine().load(await dockerArchive([await imageOf("filed:1")]));
      const before = await identity(engine(), "filed:1");
      await docker().well("tag", "filed:1", "filed:2");
      await docker().well("save", "-o", file, "filed");
      expect((await readSaved(fs.readFileSync(file)))?.[0]?.tags?.slice().sort()).toEqual(["filed:1", "filed:2"]);
      await docker().well("rmi", "filed:1", "filed:2");
      const said = (await docker().well("load", "-i", file)).trim().split("\n").sort();
      expect(said).toEqual(["Loaded image: filed:1", "Loaded image: filed:2"]);
      expect(await identity(engine(), "filed:2")).toEqual(before);
      expect((await docker().well("run", "--rm", "--network", "none", "filed:1")).trim()).toBe("here");
      const missing = await docker().run("save", "-o", file, "nothing:1");
      expect([missing.code, missing.stderr.trim()]).toEqual([
        1,
        "Error response from daemon: reference does not exist",
      ]);
      await docker().well("rmi", "filed:1", "filed:2");
    });

    test("docker export into a file, and docker import of it, as a file and through a pipe", async () => {
      const file = join(top, "exported.tar");
      await docker().well("create", "--name", "exported", "busybox", "true");
      await docker().well("export", "-o", file, "exported");
      await docker().well("rm", "exported");
      const change = 'CMD ["echo", "imported"]';
      const id = (await docker().well("import", "-c", change, "-m", "from a file", file, "taken:1")).trim();
      expect(id).toMatch(/^sha256:[0-9a-f]{64}$/);
      expect((await docker().well("image", "inspect", "-f", "{{.Id}} {{.Comment}}", "taken:1")).trim()).toBe(
        `${id} from a file`,
      );
      expect((await docker().well("run", "--rm", "--network", "none", "taken:1")).trim()).toBe("imported");
      await must(["sh", "-c", `cat ${file} | docker -H unix://${engine().socketPath} import - taken:2`]);
      expect(await docker().well("history", "--format", "{{.Comment}}", "taken:2")).toBe("Imported from -\n");
      await docker().well("rmi", "taken:1", "taken:2");
    });

    test("through a pipe into the reference engine, and back", async ({ skip }) => {
      const missing = kind === "reference" ? REFERENCE.self : referenceMissing();
      if (missing !== null) skip(missing);
      const reference = await startReference();
      try {
        await engine().load(await dockerArchive([await imageOf("piped:1")]));
        await committed(docker(), "piped:1", "piped:2");
        const here = await identity(engine(), "piped:2");
        await pipe(engine().daemon, reference, "piped");
        expect(await identity(new EngineClient(reference.socketPath), "piped:2")).toEqual(here);

        const there = new DockerCli(reference.socketPath, top);
        await committed(there, "piped:2", "piped:3");
        await docker().well("rmi", "piped:1", "piped:2");
        await pipe(reference, engine().daemon, "piped:3");
        expect(await identity(engine(), "piped:3")).toEqual(
          await identity(new EngineClient(reference.socketPath), "piped:3"),
        );
        expect(await docker().well("run", "--rm", "--network", "none", "piped:3", "cat", "/of-piped:1")).toBe("");
        await docker().well("rmi", "piped:3");
      } finally {
        await reference.close();
      }
    });

    async function pipe(from: DaemonProcess, to: DaemonProcess, name: string): Promise<void> {
      const [source, sink] = [from, to].map(({ socketPath }) => `docker -H unix://${socketPath}`);
      await must(["bash", "-o", "pipefail", "-c", `${source} save ${name} | ${sink} load`], {
        env: { DOCKER_CONFIG: top, DOCKER_HOST: undefined },
      });
    }
  },
  { missing: DOCKER_MISSING },
);

async function imageOf(reference: string): Promise<ImageSpec> {
  const layers = [await busyboxLayer(), await tarOf([{ name: `note of ${reference}`, body: reference }])];
  return { reference, config: { Cmd: ["echo", "here"] }, layers };
}

/** An image with an additional file. */
async function committed(docker: DockerCli, image: string, name: string): Promise<void> {
  const id = (await docker.well("create", "--network", "none", image, "touch", `/of-${image}`)).trim();
  await docker.well("start", "-a", id);
  await docker.well("commit", id, name);
  await docker.well("rm", id);
}

async function identity(engine: EngineClient, name: string): Promise<unknown> {
  const { Id, RootFS } = await engine.read<{ Id: string; RootFS: unknown }>(`/images/${name}/json`);
  return { Id, RootFS };
}
