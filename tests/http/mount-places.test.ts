// Mount points: links of the image are followed within the container, and no mount may be placed in /proc.
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { SIMULATED } from "../support/allowed-skips.js";
import { messageOf, type Json } from "../support/engine-client.js";
import { busyboxLayer, dockerArchive } from "../support/archives/images.js";
import { onEngines, testExcept } from "../support/on-engines.js";
import type { RawResponse } from "../support/raw-http.js";
import { rawTar } from "../support/archives/tar.js";

const IMAGE = "linked:1";
const NOT_PROC = "it is not of type proc";
const INSIDE = "it is inside /proc";
const link = (name: string, target: string) => ({ name, flag: "2", target });

onEngines("mount places", (engine, kind) => {
  const real = testExcept(kind, { simulated: SIMULATED.mounts });
  let directory = "";

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), "coracle-places-"));
    await writeFile(join(directory, "file"), "ours\n");
    const links = [link("foo", "/proc"), link("up", "../../proc"), link("cpu", "proc/cpuinfo")];
    await load(IMAGE, [...links, link("dangling", "/nowhere/deep")], { Volumes: { "/kept": {} } });
  });
  afterAll(() => rm(directory, { recursive: true, force: true }));

  test.each([
    ["/proc", "/proc", NOT_PROC],
    ["/proc/sys", "/proc/sys", INSIDE],
    ["/proc/of/nobody", "/proc/of/nobody", INSIDE],
    ["/foo", "/proc", NOT_PROC],
    ["/foo/bar", "/proc/bar", INSIDE],
    ["/up/self/../version", "/proc/version", INSIDE],
  ])("no volume at %s", async (destination, place, why) => {
    const refused = { to: destination.replace("/self/..", ""), place, why };
    await expectRefused({ HostConfig: { Binds: [`somebody:${destination}`] } }, refused);
    await expectRefused({ HostConfig: { Mounts: [{ Type: "volume", Target: destination }] } }, refused);
    await load("voluminous:1", [link("foo", "/proc"), link("up", "proc")], { Volumes: { [destination]: {} } });
    await expectRefused({ Image: "voluminous:1" }, refused);
  });

  test("links in a volume are followed too", async () => {
    const filled = await run({ Cmd: ["ln", "-s", "/proc", "/a/link"], HostConfig: { Binds: ["leading:/a"] } });
    expect(filled).toBe("");
    const refused = { to: "/a/link/sys", place: "/proc/sys", why: INSIDE };
    await expectRefused({ HostConfig: { Binds: ["leading:/a", "other:/a/link/sys"] } }, refused);
  });

  test.each(["/proc", "/proc/scsi", "/foo"])("no memory at %s", async (destination) => {
    const place = destination.replace("/foo", "/proc");
    const refused = { to: destination, place, why: place === "/proc" ? NOT_PROC : INSIDE };
    for (const HostConfig of [
      { Tmpfs: { [destination]: "" } },
      { Mounts: [{ Type: "tmpfs", Target: destination }] },
    ] as Json[]) {
      const id = await engine().create({ Image: IMAGE, HostConfig: { NetworkMode: "none", ...HostConfig } });
      const { status } = await engine().call("POST", `/containers/${id}/start`);
      // The reference's runtime fails because of the existing content.
      expect(status).toBe(engine().expected("memory-in-proc", 500, 400));
      if (status === 500) await expectRefused({ HostConfig }, refused);
    }
  });

  real("files that file systems like lxcfs show in the kernel's place may be mounted over", async () => {
    for (const Runtime of await runtimes()) {
      const Binds = [`${directory}/file:/proc/uptime`, `${directory}/file:/cpu`];
      const HostConfig = { Runtime, Binds };
      expect(await run({ Cmd: ["cat", "/proc/uptime", "/proc/cpuinfo"], HostConfig })).toBe("ours\nours\n");
    }
  });

  real("what the kernel tells elsewhere may be told in /proc, and nowhere in it", async () => {
    for (const Runtime of await runtimes()) {
      const HostConfig = { Runtime, Binds: ["/proc:/proc"] };
      expect(await run({ Cmd: ["cat", "/proc/self/comm"], HostConfig })).toBe("cat\n");
      const refused = { to: "/proc/bus", place: "/proc/bus", why: INSIDE };
      await expectRefused({ HostConfig: { Runtime, Binds: ["/proc/bus:/proc/bus"] } }, refused);
    }
  });

  test("a mount point behind a dangling link is created at the link's target", async () => {
    const HostConfig = { Binds: ["beyond:/dangling/x"] };
    const Cmd = ["sh", "-c", "echo seen > /nowhere/deep/x/file; cat /dangling/x/file; readlink /dangling"];
    expect(await run({ Cmd, HostConfig })).toBe("seen\n/nowhere/deep\n");
    expect(await run({ Cmd: ["cat", "/y/file"], HostConfig: { Binds: ["beyond:/y"] } })).toBe("seen\n");
  });

  real("a place whose name is too long is told by the container's name of it", async () => {
    const long = `/${"x".repeat(256)}`;
    const HostConfig = { NetworkMode: "none" };
    const create = (more: Json): Promise<RawResponse> =>
      engine().call("POST", "/containers/create", { Image: IMAGE, HostConfig, ...more });
    const refused = await create({ Volumes: { [long]: {} } });
    const said = messageOf(refused);
    expect([refused.status, /^lstat \/.*: file name too long$/.test(said)], said).toEqual([500, true]);
    for (const more of [{ Tmpfs: { [long]: "" } }, { Binds: [`${directory}:${long}`] }, { Binds: [`${long}:/x`] }]) {
      const { Id } = (await create({ HostConfig: { ...HostConfig, ...more } })).json<{ Id: string }>();
      const failed = messageOf(await engine().call("POST", `/containers/${Id}/start`));
      expect(failed).toContain(`${long}`);
      expect(failed).toContain("file name too long");
      if (kind !== "reference") expect(failed).not.toContain(engine().daemon.directories.execRoot);
      await engine().remove(Id);
    }
  });

  test.each(["proc", "sys", "dev"])("an image whose /%s is a link or a file gets a directory there", async (name) => {
    for (const [index, entry] of [link(name, "/elsewhere"), { name, flag: "0", body: "x" }].entries()) {
      const image = `without-${name}:${index}`;
      await load(image, [entry], {});
      for (const Runtime of await runtimes()) {
        const Cmd = ["sh", "-c", `[ -d /${name} ] && [ ! -L /${name} ] && grep -c ' /proc proc ' /proc/mounts`];
        expect(await run({ Image: image, Cmd, HostConfig: { Runtime } })).toBe("1\n");
      }
    }
  });

  real("a client's mount takes the place of a usual one", async () => {
    for (const Runtime of await runtimes()) {
      const look = async (at: string, script: string) =>
        run({ Cmd: ["sh", "-c", script], HostConfig: { Runtime }, Volumes: { [at]: {} } });
      const count = (at: string) => `grep -cE '^(\\S+ ){4}${at}' /proc/self/mountinfo`;
      expect(await look("/sys/fs/cgroup", `${count("/sys/fs/cgroup")}; ls /sys/fs/cgroup`)).toBe("1\n");
      expect(await look("/dev/shm", count("/dev/shm"))).toBe("1\n");
      expect(await look("/sys", `${count("/sys ")}; ls /sys/kernel 2>/dev/null`)).toBe("1\n");
    }
  });

  /** `to`: the path as the client named it; `place`: where it leads. */
  async function expectRefused(config: Json, { to, place, why }: { to: string; place: string; why: string }) {
    const HostConfig = { NetworkMode: "none", ...(config["HostConfig"] as Json) };
    const id = await engine().create({ Image: IMAGE, ...config, HostConfig });
    const answer = await engine().call("POST", `/containers/${id}/start`);
    expect(answer.status).toBe(500);
    const message = messageOf(answer);
    expect(message).toMatch(/OCI runtime create failed: runc create failed: unable to start container process: /);
    expect(message).toContain(`to rootfs at "${to}": `);
    // The reference reports the path on the machine.
    expect(message.replace(/: "[^"]*\/merged\//, ': "/')).toMatch(
      new RegExp(`: "${place}" cannot be mounted because ${why}: unknown$`),
    );
    expect((await engine().inspect<{ State: Json }>(id)).State).toMatchObject({ Status: "created", ExitCode: 128 });
    await engine().remove(id);
  }

  async function run(config: Json): Promise<string> {
    const HostConfig = { NetworkMode: "none", ...(config["HostConfig"] as Json) };
    const { stdout, stderr } = await engine().run({ Image: IMAGE, ...config, HostConfig });
    return stdout + stderr;
  }

  async function load(reference: string, entries: Parameters<typeof rawTar>[0], config: Json): Promise<void> {
    const layers = [await rootFiles(), rawTar(entries)];
    await engine().load(await dockerArchive([{ reference, config: { Cmd: ["true"], ...config }, layers }]));
  }

  /** The runtimes that the engine found; for the simulated engine and the reference only the default. */
  async function runtimes(): Promise<string[]> {
    if (kind !== "linux") return [""];
    const { Runtimes } = await engine().read<{ Runtimes: Json }>("/info");
    return Object.keys(Runtimes);
  }
});

let layer: Promise<Buffer> | undefined;

function rootFiles(): Promise<Buffer> {
  return (layer ??= busyboxLayer());
}
