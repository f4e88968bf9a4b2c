// Mounts in a container: named volumes, mounts of each type, another container's mounts.
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readFile, rmdir, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { REFERENCE, SIMULATED } from "../support/allowed-skips.js";
import { until } from "../support/commands.js";
import { messageOf, type Json } from "../support/engine-client.js";
import { busyboxLayer, dockerArchive } from "../support/archives/images.js";
import { onEngines, testExcept } from "../support/on-engines.js";
import { past, short, stamp, type Event } from "../support/past-events.js";
import { rawTar } from "../support/archives/tar.js";

interface Point {
  Type: string;
  Name?: string;
  Source: string;
  Destination: string;
  Mode: string;
  RW: boolean;
}

const HOLDS =
  /^invalid mount config: must use either propagation mode "rslave" or "rshared" when mount source is within the daemon root,/;

onEngines("mounts", (engine, kind) => {
  const sh = async (script: string, HostConfig: Json, more: Json = {}) => {
    const { stdout, stderr } = await engine().run({ Cmd: ["sh", "-c", script], HostConfig, ...more });
    return stdout + stderr;
  };
  /** A container that has ended. */
  const ran = async (config: Json) => {
    const id = await engine().create(config);
    await engine().start(id);
    await engine().wait(id);
    return id;
  };
  const pointsOf = async (id: string) => (await engine().inspect<{ Mounts: Point[] }>(id)).Mounts;
  const volumeNames = async () => {
    const { Volumes } = await engine().read<{ Volumes: { Name: string }[] }>("/volumes");
    return Volumes.map(({ Name }) => Name);
  };

  test("a named volume is created on demand, kept from one container to the next, and never removed with them", async () => {
    const id = await engine().create({ Cmd: ["sh", "-c", "echo kept > /x/file"], HostConfig: { Binds: ["first:/x"] } });
    expect(await pointsOf(id)).toMatchObject([
      { Type: "volume", Name: "first", Destination: "/x", Driver: "local", Mode: "z", RW: true, Propagation: "" },
    ]);
    await engine().start(id);
    await engine().wait(id);
    await engine().remove(id);
    expect(await sh("cat /y/file", { Binds: ["first:/y"] })).toBe("kept\n");
    expect(await sh("echo no > /y/file", { Binds: ["first:/y:ro"] })).toContain("Read-only file system");
    const volume = await engine().read("/volumes/first");
    expect(volume).toMatchObject({ Name: "first", Driver: "local", Labels: null, Options: null, Scope: "local" });
    expect(volume["Mountpoint"]).toMatch(/\/volumes\/first\/_data$/);
  });

  test("a volume in use is not dangling", async () => {
    const id = await engine().create({ HostConfig: { Binds: ["busy:/x"] } });
    const dangling = async (word: string) => {
      const filters = encodeURIComponent(JSON.stringify({ dangling: [word], name: ["^busy$"] }));
      return (await engine().read<{ Volumes: Json[] }>(`/volumes?filters=${filters}`)).Volumes?.length ?? 0;
    };
    expect([await dangling("true"), await dangling("false")]).toEqual([0, 1]);
    await engine().remove(id);
    expect([await dangling("true"), await dangling("false")]).toEqual([1, 0]);
  });

  test("an empty volume is filled with the image's files, unless the client disables it", async () => {
    const data = rawTar([
      { name: "data/", flag: "5", mode: 0o750 },
      { name: "data/from-image", flag: "0", mode: 0o644, body: "image\n" },
    ]);
    const layers = [await busyboxLayer(), data];
    await engine().load(await dockerArchive([{ reference: "filled:1", config: { Cmd: ["sh"] }, layers }]));
    const look = (binds: string[]) => sh("ls /data; stat -c %a /data", { Binds: binds }, { Image: "filled:1" });
    expect(await look(["unfilled:/data:nocopy"])).toBe("755\n");
    const bare = { Type: "volume", Source: "bare-too", Target: "/data", VolumeOptions: { NoCopy: true } };
    expect(await sh("ls /data; stat -c %a /data", { Mounts: [bare] }, { Image: "filled:1" })).toBe("755\n");
    expect(await look(["filled:/data"])).toBe("from-image\n750\n");
    await sh("rm /x/from-image; touch /x/other", { Binds: ["filled:/x"] });
    expect(await look(["filled:/data"])).toBe("other\n750\n");
  });

  test("it is filled when the container is created, whichever container uses it first", async () => {
    const Binds = ["early:/etc", "bare:/usr:nocopy"];
    const id = await engine().create({ HostConfig: { Binds }, Volumes: { "/root": {} } });
    const look = "echo $(ls /bare); ls /early; touch /early/more; rm /early/group";
    const seen = await sh(look, { Binds: ["early:/early", "bare:/bare"] });
    expect(seen).toMatch(/^\n(.*\n)*group\n(.*\n)*passwd\n/);
    // Files that were changed since stay changed.
    const again = await sh("ls /early", { Binds: ["early:/early"] });
    expect(again).toContain("more\n");
    expect(again).not.toContain("group\n");
    await engine().start(id);
    await engine().remove(id);
    expect(await sh("ls /early", { Binds: ["early:/early"] })).toBe(again);
  });

  test("create has an event also for an existing volume; a run has one for its mount", async () => {
    const since = await stamp(engine());
    const body = { Cmd: ["true"], HostConfig: { Binds: ["told:/x:ro"], NetworkMode: "none" } };
    await engine().remove(await ran(body));
    await engine().remove(await engine().create(body));
    const told = (): Promise<Event[]> => past(engine(), since, { volume: ["told"] });
    await until("as many events", async () => (await told()).length >= 4).catch(() => {});
    const events = await told();
    expect(events.map(short)).toEqual(["volume create", "volume mount", "volume unmount", "volume create"]);
    expect(events[1]?.Actor.Attributes).toMatchObject({ destination: "/x", "read/write": "false", driver: "local" });
  });

  test("mounts of each type", async () => {
    const Mounts = [
      { Type: "bind", Source: "/etc", Target: "/bound", ReadOnly: true },
      { Type: "volume", Source: "labelled", Target: "/named", VolumeOptions: { Labels: { a: "b" } } },
      { Type: "volume", Target: "/nameless" },
      { Type: "tmpfs", Target: "/memory", TmpfsOptions: { SizeBytes: 1 << 20, Mode: 0o700 } },
    ];
    const script =
      "cat /bound/hostname >/dev/null && echo bound; touch /bound/x; touch /named/x /nameless/x && echo written; " +
      "mount | grep ' on /memory '; stat -c %a /memory";
    const text = await sh(script, { Mounts });
    expect(text).toMatch(/^bound\n/);
    expect(text).toContain("Read-only file system");
    expect(text).toContain("written\n");
    expect(text).toMatch(/tmpfs on \/memory type tmpfs \(rw,.*size=1024k/);
    expect(text).toContain("700\n");
    expect((await engine().read("/volumes/labelled"))["Labels"]).toEqual({ a: "b" });
    const id = await engine().create({ HostConfig: { Mounts } });
    const shown = await engine().inspect<{ Mounts: Point[]; HostConfig: Json }>(id);
    expect(shown.HostConfig["Mounts"]).toEqual(Mounts);
    const points = shown.Mounts.sort((a, b) => a.Destination.localeCompare(b.Destination));
    expect(points.map(({ Type, Destination, Mode, RW }) => [Type, Destination, Mode, RW])).toEqual([
      ["bind", "/bound", "", false],
      ["tmpfs", "/memory", "", true],
      ["volume", "/named", "z", true],
      ["volume", "/nameless", "z", true],
    ]);
    const nameless = points[3]?.Name ?? "";
    expect(await volumeNames()).toContain(nameless);
    await engine().remove(id);
    const left = await volumeNames();
    expect([left.includes("labelled"), left.includes(nameless)]).toEqual([true, false]);
  });

  test("a bind's source must exist, unless the client wants it created", async () => {
    const bind = { Type: "bind", Source: "/nothing-here", Target: "/x" };
    const answer = await engine().call("POST", "/containers/create", {
      Image: "busybox",
      HostConfig: { Mounts: [bind] },
    });
    const text = 'invalid mount config for type "bind": bind source path does not exist: /nothing-here';
    expect([answer.status, messageOf(answer)]).toEqual([400, text]);
  });

  test("another container's mounts, writable or not", async () => {
    const owner = await ran({
      Cmd: ["sh", "-c", "echo mine > /v/file; echo named > /n/file"],
      Volumes: { "/v": {} },
      HostConfig: { Binds: ["lent:/n"] },
    });
    expect(await sh("cat /v/file /n/file; echo more >> /v/file", { VolumesFrom: [owner] })).toBe("mine\nnamed\n");
    expect(await sh("cat /v/file; touch /n/x", { VolumesFrom: [`${owner}:ro`] })).toMatch(
      /^mine\nmore\n.*Read-only file system/,
    );
    // A container's own mount replaces one from another container.
    expect(await sh("ls /v", { VolumesFrom: [owner], Binds: ["empty-one:/v"] })).toBe("");
  });

  test("an empty mode has no effect; a tmpfs replaces a mount from another container", async () => {
    const owner = await engine().create({ HostConfig: { Binds: ["spare:/lent"] } }, "?name=lender");
    expect(await sh("touch /lent/x && ls /lent", { VolumesFrom: ["lender:"] })).toBe("x\n");
    const over = { VolumesFrom: ["lender"], Tmpfs: { "/lent": "" } };
    expect(await sh("ls /lent; grep -c ' /lent ' /proc/mounts", over)).toBe("1\n");
    const answer = await engine().call("POST", "/containers/create", {
      Image: "busybox",
      HostConfig: { VolumesFrom: [":ro"] },
    });
    expect([answer.status, messageOf(answer)]).toEqual([400, 'invalid name or ID supplied: ""']);
    await engine().remove(owner);
  });

  test("an anonymous volume is removed with the last container that uses it", async () => {
    const owner = await engine().create({ Volumes: { "/v": {} } });
    const name = (await pointsOf(owner))[0]?.Name ?? "";
    const filters = encodeURIComponent(JSON.stringify({ id: [owner] }));
    const [listed] = await engine().read<{ Mounts: Point[] }[]>(`/containers/json?all=1&filters=${filters}`);
    expect(listed?.Mounts.map(({ Name, Source }) => [Name, Source])).toEqual([[name, ""]]);
    const other = await engine().create({ HostConfig: { VolumesFrom: [owner] } });
    await engine().remove(owner);
    expect(await volumeNames()).toContain(name);
    await engine().remove(other);
    expect(await volumeNames()).not.toContain(name);
  });

  const own = testExcept(kind, { reference: REFERENCE.after141 });

  own("a directory of a volume, and nothing outside of it", async () => {
    const part = (Subpath: string) => ({
      Mounts: [{ Type: "volume", Source: "parts", Target: "/x", VolumeOptions: { Subpath } }],
    });
    const at = { version: "1.45" };
    await sh("mkdir -p /x/a/b; echo deep > /x/a/b/file; ln -s / /x/out; ln -s a/b /x/in; ln -s loop /x/loop", {
      Binds: ["parts:/x"],
    });
    const read = async (Subpath: string) => {
      const body = { Image: "busybox", Cmd: ["sh", "-c", "ls /x; echo new > /x/new"], HostConfig: part(Subpath) };
      const { Id } = (await engine().must(201, "POST", "/containers/create", body, at)).json<{ Id: string }>();
      const started = await engine().call("POST", `/containers/${Id}/start`);
      if (started.status !== 204) return messageOf(started);
      await engine().wait(Id);
      return (await engine().logs(Id)).stdout;
    };
    expect(await read("a/b")).toBe("file\n");
    expect(await read("in")).toContain("new\n");
    for (const [path, why] of [
      ["missing", "no such file or directory"],
      ["a/b/file/x", "not a directory"],
      ["loop/x", "too many levels of symbolic links"],
    ] as const)
      expect(await read(path)).toContain(`cannot access path ${path} of volume parts: ${why}`);
    // Links are followed with the volume as the root.
    expect(await read("out")).toContain("a\n");
  });

  own("a directory is made for a mount that wants it", async () => {
    const Mounts = [
      { Type: "bind", Source: "/tmp/coracle-made/x", Target: "/x", BindOptions: { CreateMountpoint: true } },
    ];
    const body = { Image: "busybox", Cmd: ["rmdir", "/y/x"], HostConfig: { Mounts, Binds: ["/tmp/coracle-made:/y"] } };
    const { Id } = (await engine().must(201, "POST", "/containers/create", body, { version: "1.42" })).json<{
      Id: string;
    }>();
    await engine().start(Id);
    await engine().wait(Id);
    await engine().remove(Id);
    expect(await sh("rmdir /tmp-of-machine/coracle-made && echo gone", { Binds: ["/tmp:/tmp-of-machine"] })).toBe(
      "gone\n",
    );
  });

  testExcept(kind, { reference: REFERENCE.after141, simulated: SIMULATED.mounts })(
    "mounts below a bind: read-only with it, and visible when they are added later",
    async () => {
      const base = await mkdtemp(join(tmpdir(), "coracle-mounts-"));
      const mount = (...args: string[]) => execFileSync("mount", args);
      try {
        mount("-t", "tmpfs", "outer", base);
        mount("--make-shared", base);
        await mkdir(join(base, "inner"));
        await mkdir(join(base, "later"));
        mount("-t", "tmpfs", "inner", join(base, "inner"));
        const write = async (ReadOnly: boolean, BindOptions: Json, version: string) => {
          const Mounts = [{ Type: "bind", Source: base, Target: "/x", ReadOnly, BindOptions }];
          const body = { Image: "busybox", Cmd: ["touch", "/x/inner/file"], HostConfig: { Mounts } };
          const at = { version };
          const { Id } = (await engine().must(201, "POST", "/containers/create", body, at)).json<{ Id: string }>();
          await engine().start(Id);
          const code = await engine().wait(Id);
          await engine().remove(Id);
          return code;
        };
        expect(await write(true, {}, "1.44")).toBe(1);
        expect(await write(true, { ReadOnlyForceRecursive: true }, "1.44")).toBe(1);
        expect(await write(true, { ReadOnlyNonRecursive: true }, "1.44")).toBe(0);
        expect(await write(true, {}, "1.43")).toBe(0);
        // Without the mounts below, there is an empty directory, which is also read-only.
        expect(await write(true, { NonRecursive: true, ReadOnlyNonRecursive: true }, "1.44")).toBe(1);
        const Cmd = ["sh", "-c", "until test -e /x/later/file; do sleep 0.1; done; echo seen"];
        const id = await engine().running({ Cmd, HostConfig: { Binds: [`${base}:/x:rslave`] } });
        mount("-t", "tmpfs", "later", join(base, "later"));
        await writeFile(join(base, "later", "file"), "");
        expect(await engine().wait(id)).toBe(0);
        await engine().remove(id);
      } finally {
        execFileSync("umount", ["-R", base]);
        await rmdir(base);
      }
    },
  );

  testExcept(kind, { simulated: SIMULATED.mounts })("mounts propagate only if the machine allows it", async () => {
    const base = await mkdtemp(join(tmpdir(), "coracle-mounts-"));
    execFileSync("mount", ["-t", "tmpfs", "--make-private", "alone", base]);
    try {
      const id = await engine().create({ HostConfig: { Binds: [`${base}:/x:rshared`] } });
      const answer = await engine().call("POST", `/containers/${id}/start`);
      const text = `path ${base} is mounted on ${base} but it is not a shared mount`;
      expect([answer.status, messageOf(answer)]).toEqual([500, text]);
      await engine().remove(id);
    } finally {
      execFileSync("umount", [base]);
      await rmdir(base);
    }
  });

  test("binds of the engine's own data do not hold its mounts", async () => {
    const root = engine().daemon.directories.dataRoot;
    const binds = [`${root}:/a`, `${root}/containers:/b`, "/:/c", "/usr:/d", `${root}:/e:rshared`, `/:/f:rslave`];
    const id = await engine().create({ HostConfig: { Binds: binds } });
    const mounts = (await engine().read<{ Mounts: Record<string, string>[] }>(`/containers/${id}/json`)).Mounts;
    const told = mounts.map(({ Destination, Propagation }) => `${Destination} ${Propagation}`).sort();
    expect(told).toEqual(["/a rslave", "/b rslave", "/c rslave", "/d rprivate", "/e rshared", "/f rslave"]);
    await engine().remove(id);
    for (const word of ["rprivate", "private", "slave", "shared"]) {
      const mount = { Type: "bind", Source: "/", Target: "/x", BindOptions: { Propagation: word } };
      for (const HostConfig of [{ Binds: [`/:/x:${word}`] }, { Mounts: [mount] }]) {
        const answer = await engine().call("POST", "/containers/create", { Image: "busybox", HostConfig });
        expect([answer.status, messageOf(answer)]).toEqual([400, expect.stringMatching(HOLDS)]);
        expect(messageOf(answer)).toMatch(`daemon root: "${root}", bind mount source: "/", propagation: "${word}"`);
      }
    }
  });

  testExcept(kind, { simulated: SIMULATED.mounts })(
    "they receive the machine's mounts where it propagates them",
    async () => {
      const { dataRoot } = engine().daemon.directories;
      const shown = async (Binds: string[]): Promise<string> =>
        (await engine().run({ Cmd: ["grep", " /x ", "/proc/self/mountinfo"], HostConfig: { Binds } })).stdout;
      const isSent = /\b(shared|master):/.test((await mountsAt(dataRoot)).at(-1) ?? "");
      expect(/ master:\d+ /.test(await shown([`${dataRoot}:/x`]))).toBe(isSent);
      const base = await mkdtemp(join(tmpdir(), "coracle-mounts-"));
      expect(await shown([`${base}:/x`])).not.toMatch(/ (shared|master):/);
      await rmdir(base);
    },
  );

  // Mount propagation between the machine and a container that binds a shared mount and also mounts below it.
  const MOUNTS = "mount -t tmpfs inside /x/inside && echo yes > /x/inside/file && touch /x/done";
  const SEES = "until test -e /x/outside/file; do sleep 0.1; done; echo seen; until test -e /x/end; do sleep 0.1; done";

  /** `look` is called when the container has mounted `inside` and sees `outside`, which the machine mounted later. */
  async function travelling(mode: string, look: (base: string) => Promise<void>): Promise<void> {
    const base = await mkdtemp(join(tmpdir(), "coracle-mounts-"));
    execFileSync("mount", ["-t", "tmpfs", "outer", base]);
    try {
      execFileSync("mount", ["--make-shared", base]);
      for (const name of ["inside", "outside"]) await mkdir(join(base, name));
      const id = await engine().running({
        Cmd: ["sh", "-c", `${MOUNTS} && ${SEES}; umount /x/inside`],
        HostConfig: { CapAdd: ["SYS_ADMIN"], Binds: [`${base}:/x:${mode}`] },
      });
      await until("the container has mounted", () => existsSync(join(base, "done")));
      execFileSync("mount", ["-t", "tmpfs", "outside", join(base, "outside")]);
      await writeFile(join(base, "outside", "file"), "");
      await until("it sees the machine's mount", async () => (await engine().logs(id)).stdout === "seen\n");
      await look(base);
      await writeFile(join(base, "end"), "");
      expect(await engine().wait(id)).toBe(0);
      expect(await mountsOf(base)).toEqual([base, join(base, "outside")]);
      await engine().remove(id);
      expect(await readFile("/proc/self/mountinfo", "utf8")).not.toContain(id);
    } finally {
      execFileSync("umount", ["-R", base]);
      await rmdir(base);
    }
  }

  for (const mode of ["rshared", "shared"]) {
    testExcept(kind, { simulated: SIMULATED.mounts })(`${mode}: mounts propagate to the machine and from it`, () =>
      travelling(mode, async (base) => {
        expect(await mountsOf(base)).toEqual(["", "inside", "outside"].map((name) => join(base, name)));
        expect(await readFile(join(base, "inside", "file"), "utf8")).toBe("yes\n");
      }),
    );
  }

  for (const mode of ["rslave", "slave"]) {
    testExcept(kind, { simulated: SIMULATED.mounts })(`${mode}: mounts propagate from the machine only`, () =>
      travelling(mode, async (base) => expect(await mountsOf(base)).toEqual([base, join(base, "outside")])),
    );
  }
});

/** The lines about the mounts at a path, the newest last. */
async function mountsAt(path: string): Promise<string[]> {
  const lines = (await readFile("/proc/self/mountinfo", "utf8")).split("\n");
  return lines.filter((line) => line.split(" ")[4] === path);
}

/** Mount points at and below a path, in order. */
async function mountsOf(path: string): Promise<string[]> {
  const lines = (await readFile("/proc/self/mountinfo", "utf8")).split("\n");
  const points = lines.map((line) => line.split(" ")[4] ?? "");
  return points.filter((point) => point === path || point.startsWith(`${path}/`)).sort();
}
