// buildah with its transport `docker-daemon:`, unchanged: it builds on an image of the engine, and writes its own there.
import * as fs from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { busyboxLayer, dockerArchive, sha256, tarOf, type ImageSpec } from "../../support/archives/images.js";
import { findProgram, must } from "../../support/commands.js";
import { onEngines } from "../../support/on-engines.js";

const buildah = findProgram("buildah");

/** It finds an engine only at /run/docker.sock: it gets a /run of its own, with that name in it. */
const AT_ITS_SOCKET =
  'mount --bind "$1" /mnt; mount -t tmpfs none /run; ln -s "/mnt/$2" /run/docker.sock; shift 2; exec "$@"';

onEngines(
  "buildah",
  (engine) => {
    let top = "";
    let spec: ImageSpec;
    beforeAll(async () => {
      top = fs.mkdtempSync(join(tmpdir(), "coracle-buildah-"));
      fs.writeFileSync(join(top, "policy.json"), JSON.stringify({ default: [{ type: "insecureAcceptAnything" }] }));
      const layers = [await busyboxLayer(), await tarOf([{ name: "note", body: "a note" }])];
      spec = { reference: "for-buildah:1", config: { Cmd: ["true"], Labels: { of: "us" } }, layers };
      await engine().load(await dockerArchive([spec]));
    });
    afterAll(() => fs.rmSync(top, { recursive: true, force: true }));

    test("builds on an image, and pushes the result", async () => {
      fs.writeFileSync(join(top, "other"), "another note");
      const container = await call("from", ...TRUSTING, "--quiet", "docker-daemon:for-buildah:1");
      await call("copy", "--quiet", container, join(top, "other"), "/other");
      await call("config", "--label", "of=buildah", "--cmd", '["cat","/note","/other"]', container);
      const id = await call("commit", ...TRUSTING, "--quiet", "--format", "docker", container);
      await call("push", ...TRUSTING, "--quiet", id, "docker-daemon:pushed:1");
      const pushed = await engine().read<Pushed>("/images/pushed:1/json");
      expect([pushed.Id, pushed.Config.Labels]).toEqual([`sha256:${id}`, expect.objectContaining({ of: "buildah" })]);
      expect(pushed.RootFS.Layers.slice(0, -1)).toEqual(spec.layers.map((layer) => `sha256:${sha256(layer)}`));
      const { stdout } = await engine().run({ Image: "pushed:1", HostConfig: { NetworkMode: "none" } });
      expect(stdout).toBe("a noteanother note");
      await engine().must(200, "DELETE", "/images/pushed:1");
    });

    /** What the command says, without the last newline. */
    async function call(command: string, ...args: string[]): Promise<string> {
      const { socketPath } = engine();
      const own = ["--root", join(top, "root"), "--runroot", join(top, "run"), "--storage-driver", "vfs"];
      const placed = args.map((arg) => (arg === POLICY ? join(top, POLICY) : arg));
      const program = [buildah!, ...own, "--registries-conf", "/dev/null", command, ...placed];
      const inside = ["sh", "-ec", AT_ITS_SOCKET, "sh", dirname(socketPath), basename(socketPath)];
      return (await must(["unshare", "--mount", ...inside, ...program])).trim();
    }
  },
  { missing: missing() },
);

interface Pushed {
  readonly Id: string;
  readonly Config: { readonly Labels: Record<string, string> };
  readonly RootFS: { readonly Layers: readonly string[] };
}

const POLICY = "policy.json";
const TRUSTING = ["--signature-policy", POLICY];

function missing(): string | null {
  if (buildah === null) return "buildah is not installed";
  return process.getuid?.() === 0 ? null : "buildah needs root here";
}
