// The working directory of a container: it is made at creation if the image lacks it.
import { expect, test } from "vitest";
import { messageOf, type Json } from "../support/engine-client.js";
import { onEngines } from "../support/on-engines.js";
import { rawTar } from "../support/archives/tar.js";

onEngines("working directory", (engine) => {
  test("exists before the first start", async () => {
    const id = await engine().create({ WorkingDir: "/new/dir", User: "1000", Cmd: ["sh", "-c", "pwd; ls -ld ."] });
    expect(await modeOf(id, "/new/dir")).toBe(DIRECTORY + 0o755);
    expect(await changes(id)).toEqual(["A /new", "A /new/dir"]);
    const entry = rawTar([{ name: "f", body: "x" }]);
    await engine().must(200, "PUT", `/containers/${id}/archive?path=/new/dir`, entry);
    await engine().start(id);
    expect(await engine().wait(id)).toBe(0);
    expect((await engine().logs(id)).stdout).toMatch(/^\/new\/dir\ndrwxr-xr-x +\d+ root +root .* \.\n$/);
    await engine().remove(id);
  });

  test("its path is shown normalized", async () => {
    for (const [given, told] of [
      ["/a//c/", "/a/c"],
      ["/a/../b/.", "/b"],
      ["/tmp", "/tmp"],
    ] as const) {
      const id = await engine().create({ WorkingDir: given });
      expect(await engine().inspect(id)).toMatchObject({ Config: { WorkingDir: told } });
      expect(await modeOf(id, told)).toBe(told === "/tmp" ? STICKY + DIRECTORY + 0o777 : DIRECTORY + 0o755);
      await engine().remove(id);
    }
  });

  test("links to it are followed within the container", async () => {
    const image = await imageWith("ln -s /behind/it /link; ln -s ../../../../../../beyond/all /up");
    for (const [WorkingDir, made] of [
      ["/link/x", ["A /behind", "A /behind/it", "A /behind/it/x"]],
      ["/link", ["A /behind", "A /behind/it"]],
      ["/up/x", ["A /beyond", "A /beyond/all", "A /beyond/all/x"]],
    ] as const) {
      const id = await engine().create({ Image: image, WorkingDir });
      expect(await changes(id)).toEqual(made);
      await engine().remove(id);
    }
    await engine().must(200, "DELETE", `/images/${image}`);
  });

  test("is made in the container even below a mount point, and a new volume gets it", async () => {
    const HostConfig = { Binds: ["entered:/vol"], Tmpfs: { "/ram": "" } };
    for (const [WorkingDir, made] of [
      ["/vol/x", ["A /vol", "A /vol/x"]],
      ["/ram/x", ["A /ram", "A /ram/x"]],
    ] as const) {
      const id = await engine().create({ WorkingDir, HostConfig });
      expect((await changes(id)).filter((line) => made.includes(line as never))).toEqual(made);
      await engine().remove(id);
    }
    const { stdout } = await engine().run({ Cmd: ["ls", "/vol"], HostConfig });
    expect(stdout).toBe("x\n");
  });

  test("the image's is made too", async () => {
    const image = await imageWith("true", ["WORKDIR /of/image"]);
    const id = await engine().create({ Image: image });
    expect(await modeOf(id, "/of/image")).toBe(DIRECTORY + 0o755);
    await engine().remove(id);
    await engine().must(200, "DELETE", `/images/${image}`);
  });

  test("a file in its place is an error", async () => {
    for (const [WorkingDir, text] of [
      ["/etc/passwd", /^Cannot mkdir: \/etc\/passwd is not a directory$/],
      ["/etc/hosts", /^Cannot mkdir: \/etc\/hosts is not a directory$/],
      ["/etc/passwd/x", /^lstat \/.*etc\/passwd\/x: not a directory$/],
    ] as const) {
      const body = { Image: "busybox", Cmd: ["true"], WorkingDir };
      const answer = await engine().call("POST", "/containers/create?name=blocked", body);
      expect([answer.status, messageOf(answer)]).toEqual([500, expect.stringMatching(text)]);
      // Nothing of it is left.
      expect((await engine().call("GET", "/containers/blocked/json")).status).toBe(404);
    }
  });

  test("an exec's working directory is not made", async () => {
    const id = await engine().running();
    const exec = { Cmd: ["true"], WorkingDir: "/nowhere" };
    const { Id } = (await engine().must(201, "POST", `/containers/${id}/exec`, exec)).json<{ Id: string }>();
    expect((await engine().call("POST", `/exec/${Id}/start`, { Detach: true })).status).not.toBe(200);
    expect(await engine().read(`/exec/${Id}/json`)).toMatchObject({
      ExitCode: engine().expected("exec-failed-code", 127, 126),
      Running: false,
    });
    expect((await engine().call("HEAD", `/containers/${id}/archive?path=/nowhere`)).status).toBe(404);
    await engine().remove(id);
  });

  /** The directory bit in Docker's file modes. */
  const DIRECTORY = 2 ** 31;
  const STICKY = 2 ** 20;

  async function modeOf(id: string, path: string): Promise<number> {
    const answer = await engine().must(200, "HEAD", `/containers/${id}/archive?path=${path}`);
    const told = Buffer.from(answer.header("X-Docker-Container-Path-Stat") ?? "", "base64").toString();
    return (JSON.parse(told) as { mode: number }).mode;
  }

  async function changes(id: string): Promise<string[]> {
    const found = await engine().read<{ Kind: number; Path: string }[]>(`/containers/${id}/changes`);
    return (found ?? []).map(({ Kind, Path }) => `${"CAD"[Kind]} ${Path}`).sort();
  }

  /** An image made from busybox by running a script. */
  async function imageWith(script: string, lines: readonly string[] = []): Promise<string> {
    const container = await engine().create({ Cmd: ["sh", "-c", script] } as Json);
    await engine().start(container);
    expect(await engine().wait(container)).toBe(0);
    const query = lines.map((line) => `&changes=${encodeURIComponent(line)}`).join("");
    await engine().must(201, "POST", `/commit?container=${container}&repo=entered${query}`);
    await engine().remove(container);
    return "entered";
  }
});
