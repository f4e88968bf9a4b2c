// Failures of the machine: a full disk, and an OCI runtime that is missing, fails or is killed.
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { must } from "../support/commands.js";
import { EngineClient, type Json } from "../support/engine-client.js";
import { missingLinux, startCoracle } from "../support/engines.js";
import { tarOf } from "../support/archives/images.js";
import { startMemoryRegistry } from "../support/registry/memory-registry.js";
import { describeUnless } from "../support/on-engines.js";
import { findProcesses } from "../support/processes.js";
import { packImage } from "../support/registry/push-image.js";

const missing = missingLinux();

/** A runtime that cannot report its version is not offered. */
const VERSION = 'case "$1" in --version) echo "runc version 1.1.5"; exit 0;; esac';

describeUnless(missing, "the machine fails", () => {
  test("a full disk during a pull: an error in the stream, nothing incomplete, and the engine continues", async () => {
    const small = await mkdtemp(join(tmpdir(), "coracle-small-"));
    await must(["mount", "-t", "tmpfs", "-o", "size=48m", "tmpfs", small]);
    const daemon = await startCoracle(["--insecure-registry", "10.213.0.0/16"], join(small, "data"));
    const registry = await startMemoryRegistry(daemon.netns.hostAddress);
    try {
      const engine = new EngineClient(daemon.socketPath);
      const layer = await tarOf([{ name: "big", body: Buffer.alloc(100 << 20, "x") }]);
      const image = packImage({ reference: null, config: { Cmd: ["x"] }, layers: [layer] });
      registry.put("big", ["1"], image);
      const answer = await engine.call("POST", `/images/create?fromImage=${registry.host}/big&tag=1`);
      expect(answer.text).toContain('"error"');
      expect(answer.text).toContain("no space left on device");
      expect((await engine.call("GET", `/images/${image.id}/json`)).status).toBe(404);
      expect((await engine.run({ Cmd: ["echo", "still here"] })).stdout).toBe("still here\n");
    } finally {
      await registry.close();
      await daemon.close();
      await must(["umount", small]);
      await rm(small, { recursive: true });
    }
  });

  test("the OCI runtime missing, failing or killed", async () => {
    const directory = await mkdtemp(join(tmpdir(), "coracle-runtimes-"));
    const script = async (name: string, text: string): Promise<string> => {
      await writeFile(join(directory, name), `#!/bin/sh\n${VERSION}\n${text}\n`, { mode: 0o755 });
      return `${name}=${join(directory, name)}`;
    };
    const runtimes = [
      await script("gone", "exit 1"),
      await script("failing", "echo 'the runtime says no' >&2; exit 1"),
      await script("killed", "kill -9 $$"),
    ];
    const daemon = await startCoracle(runtimes.flatMap((runtime) => ["--add-runtime", runtime]));
    try {
      const engine = new EngineClient(daemon.socketPath);
      await rm(join(directory, "gone"));
      for (const Runtime of ["gone", "failing", "killed"]) {
        const id = await engine.create({ Cmd: ["true"], HostConfig: { Runtime } });
        const answer = await engine.call("POST", `/containers/${id}/start`);
        expect([Runtime, answer.status >= 400]).toEqual([Runtime, true]);
        const { State } = await engine.inspect<{ State: Json }>(id);
        expect(State).toMatchObject({ Status: "created", Running: false });
        expect(State["Error"]).not.toBe("");
        await engine.remove(id);
        expect(findProcesses(id)).toEqual([]);
      }
      expect((await engine.run({ Cmd: ["echo", "fine"] })).stdout).toBe("fine\n");
    } finally {
      await daemon.close();
      await rm(directory, { recursive: true });
    }
  });

  test("a runtime that is missing or has no version is named in the log and refused, and the daemon starts", async () => {
    const directory = await mkdtemp(join(tmpdir(), "coracle-lacking-"));
    const mute = join(directory, "mute");
    await writeFile(mute, "#!/bin/sh\nexit 1\n", { mode: 0o755 });
    const flags = ["--add-runtime", `gone=${join(directory, "gone")}`, "--add-runtime", `mute=${mute}`];
    const daemon = await startCoracle([...flags, "--default-runtime", "mute"]);
    try {
      const engine = new EngineClient(daemon.socketPath);
      expect(daemon.log()).toMatch(/cannot be used.*gone.*no such file/);
      expect(daemon.log()).toMatch(/cannot be used.*mute.*does not answer --version/);
      for (const [Runtime, meant] of [
        ["gone", "gone"],
        ["mute", "mute"],
        ["", "mute"],
      ]) {
        const body = { Image: "busybox", Cmd: ["true"], HostConfig: { Runtime } };
        const answer = await engine.call("POST", "/containers/create", body);
        expect([answer.status, answer.json()]).toEqual([400, { message: `unknown or invalid runtime name: ${meant}` }]);
      }
      const { Runtimes } = await engine.read<{ Runtimes: Json }>("/info");
      expect(Object.keys(Runtimes)).not.toContain("mute");
    } finally {
      await daemon.close();
      await rm(directory, { recursive: true });
    }
  });
});
