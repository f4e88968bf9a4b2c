// skopeo with its transport `docker-daemon:`, unchanged: images read from the engine's socket and written to it.
import * as fs from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { findProgram, must, run } from "../../support/commands.js";
import {
  busyboxLayer,
  dockerArchive,
  imageConfig,
  sha256,
  tarOf,
  type ImageSpec,
} from "../../support/archives/images.js";
import { onEngines } from "../../support/on-engines.js";

const skopeo = findProgram("skopeo");

onEngines(
  "skopeo",
  (engine) => {
    let top = "";
    let spec: ImageSpec;
    beforeAll(async () => {
      top = fs.mkdtempSync(join(tmpdir(), "coracle-skopeo-"));
      const layers = [await busyboxLayer(), await tarOf([{ name: "note", body: "a note" }])];
      spec = { reference: "for-skopeo:1", config: { Cmd: ["cat", "/note"], Labels: { of: "skopeo" } }, layers };
      await engine().load(await dockerArchive([spec]));
    });
    afterAll(() => fs.rmSync(top, { recursive: true, force: true }));

    const host = (): string => `unix://${engine().socketPath}`;

    test("inspects an image", async () => {
      const args = ["inspect", "--daemon-host", host(), "docker-daemon:for-skopeo:1"];
      const told = JSON.parse(await must([skopeo!, "--insecure-policy", ...args])) as Told;
      expect(told).toMatchObject({ Os: "linux", Labels: { of: "skopeo" } });
      expect(told.Layers).toEqual(spec.layers.map((layer) => `sha256:${sha256(layer)}`));
      const config = await must([skopeo!, "--insecure-policy", ...args, "--config", "--raw"]);
      expect(`sha256:${sha256(Buffer.from(config))}`).toBe(idOf(spec));
      const missing = await run([skopeo!, "inspect", "--daemon-host", host(), "docker-daemon:nothing:1"]);
      expect(missing.code).not.toBe(0);
      expect(missing.stderr).toContain("reference does not exist");
    });

    test.each(["dir", "oci", "docker-archive"])("copies an image into %s: and back", async (transport) => {
      const place = `${transport}:${join(top, transport)}`;
      await copy("--src-daemon-host", host(), "docker-daemon:for-skopeo:1", `${place}${TAGGED[transport] ?? ""}`);
      await copy("--dest-daemon-host", host(), `${place}${TAGGED[transport] ?? ""}`, `docker-daemon:back:${transport}`);
      const back = await engine().read<{ Id: string; RootFS: { Layers: string[] } }>(`/images/back:${transport}/json`);
      expect(back.RootFS.Layers).toEqual(spec.layers.map((layer) => `sha256:${sha256(layer)}`));
      // OCI configs have fewer fields, so skopeo rewrites the config, which gives another image.
      if (transport !== "oci") expect(back.Id).toBe(idOf(spec));
      const { stdout } = await engine().run({ Image: `back:${transport}`, HostConfig: { NetworkMode: "none" } });
      expect(stdout).toBe("a note");
      await engine().must(200, "DELETE", `/images/back:${transport}`);
    });

    test("writes an image that is missing in the engine", async () => {
      const layers = [await busyboxLayer(), await tarOf([{ name: "other", body: "another note" }])];
      const other: ImageSpec = { reference: "elsewhere:1", config: { Cmd: ["cat", "/other"] }, layers };
      const file = join(top, "other.tar");
      fs.writeFileSync(file, await dockerArchive([other]));
      await copy("--dest-daemon-host", host(), `docker-archive:${file}`, "docker-daemon:written:1");
      expect((await engine().read<{ Id: string }>("/images/written:1/json")).Id).toBe(idOf(other));
      const { stdout } = await engine().run({ Image: "written:1", HostConfig: { NetworkMode: "none" } });
      expect(stdout).toBe("another note");
      await engine().must(200, "DELETE", "/images/written:1");
    });

    async function copy(...args: string[]): Promise<void> {
      await must([skopeo!, "--insecure-policy", "copy", "--quiet", ...args]);
    }
  },
  { missing: skopeo === null ? "skopeo is not installed" : null },
);

interface Told {
  readonly Layers: readonly string[];
}

function idOf(spec: ImageSpec): string {
  return `sha256:${sha256(imageConfig(spec))}`;
}

/** The part that a transport needs after the path. */
const TAGGED: Readonly<Record<string, string>> = { oci: ":1", "docker-archive": ":for-skopeo:1" };
