// Volumes with options of the driver `local`: another file system is mounted while containers need it.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { messageOf, type Json } from "../support/engine-client.js";
import { onEngines } from "../support/on-engines.js";

interface Volume {
  readonly Name: string;
  readonly Options: Record<string, string> | null;
  readonly Labels: Record<string, string> | null;
  readonly Mountpoint: string;
}

const MEMORY = { type: "tmpfs", device: "tmpfs", o: "size=1m" };
const binding = (device: string, o = "bind") => ({ type: "none", o, device });

onEngines("options of volumes", (engine, kind) => {
  /** A directory of the engine's machine, which has a file `hostname`. */
  let directory = "/etc";
  beforeAll(() => {
    if (kind === "simulated") return;
    directory = join(mkdtempSync(join(tmpdir(), "coracle-volume-")), "files");
    mkdirSync(directory);
    writeFileSync(join(directory, "hostname"), "machine\n");
  });
  afterAll(() => {
    if (kind !== "simulated") rmSync(join(directory, ".."), { recursive: true });
  });

  const make = async (Name: string, DriverOpts: Json | null): Promise<Volume> =>
    (await engine().must(201, "POST", "/volumes/create", { Name, DriverOpts })).json<Volume>();
  const drop = (name: string) => engine().must(204, "DELETE", `/volumes/${name}`);
  const at = (name: string, path = "/data") => ({ HostConfig: { Binds: [`${name}:${path}`] } });
  const sh = async (command: string, config: Json): Promise<string> =>
    (await engine().run({ Cmd: ["sh", "-c", command], ...config })).stdout;
  /** The output of a command in another container with the same volumes. */
  const beside = (id: string, command: string) => sh(command, { HostConfig: { VolumesFrom: [id] } });
  const refused = async (path: string, body: Json): Promise<[number, string]> => {
    const answer = await engine().call("POST", path, body);
    return [answer.status, messageOf(answer)];
  };
  /** Number of file systems that are mounted on the volume; a simulated machine has its own. */
  const mountsOn = async ({ Mountpoint }: Volume): Promise<number> => {
    const lines = (await readFile("/proc/self/mountinfo", "utf8")).split("\n");
    return lines.filter((line) => line.split(" ")[4] === Mountpoint).length;
  };
  const expectMounts = async (volume: Volume, count: number): Promise<void> => {
    if (kind !== "simulated") await expect.poll(() => mountsOn(volume)).toBe(count);
  };

  test("are told as they were given, and never changed", async () => {
    expect((await make("told", MEMORY)).Options).toEqual(MEMORY);
    expect((await make("told", { type: "nfs", device: "x" })).Options).toEqual(MEMORY);
    expect(await engine().read("/volumes/told")).toMatchObject({ Options: MEMORY });
    await drop("told");
    for (const options of [{}, null, { type: "", o: "", device: "" }, { size: "0" }]) {
      expect((await make("plain", options)).Options).toEqual(options);
      expect(await sh("echo x > /data/x; cat /data/x", at("plain"))).toBe("x\n");
      await drop("plain");
    }
  });

  test("that are unknown, incomplete or impossible are refused", async () => {
    const cases: [options: Json, why: string, status?: number][] = [
      [{ foo: "1" }, 'invalid option: "foo"'],
      [{ type: "tmpfs" }, 'missing required option: "device"'],
      [{ device: "/x" }, 'missing required option: "type"'],
      [{ o: "bind" }, 'missing required option: "device"'],
      [{ o: "bind", device: "/x" }, 'missing required option: "type"'],
      [{ size: "1m" }, "quota size requested but no quota support"],
      [{ size: "" }, "invalid size: ''", engine().expected("volume-size", 400, 500)],
      [{ size: "zz" }, "invalid size: 'zz'", engine().expected("volume-size", 400, 500)],
    ];
    for (const [DriverOpts, why, status = 400] of cases) {
      expect(await refused("/volumes/create", { Name: "bad", DriverOpts })).toEqual([status, `create bad: ${why}`]);
    }
    expect((await engine().call("GET", "/volumes/bad")).status).toBe(404);
  });

  test("bind a directory of the machine, which keeps its files when the volume is gone", async () => {
    const volume = await make("bound", binding(directory));
    await expectMounts(volume, 0);
    const first = await engine().running(at("bound"));
    const second = await engine().running(at("bound", "/other"));
    await expectMounts(volume, 1);
    await beside(first, "echo written > /data/new");
    expect(await beside(second, "cat /other/new")).toBe("written\n");
    await engine().remove(first);
    await expectMounts(volume, 1);
    expect(await beside(second, "cat /other/hostname")).not.toBe("");
    await engine().remove(second);
    await expectMounts(volume, 0);
    await drop("bound");
    expect(await sh("cat /data/new; rm /data/new", at(directory))).toBe("written\n");
  });

  test("can make it read-only", async () => {
    await make("fixed", binding(directory, "bind,ro"));
    expect(await sh("cat /data/hostname > /dev/null && touch /data/x || echo failed", at("fixed"))).toBe("failed\n");
    await drop("fixed");
  });

  test("make memory that lasts as long as somebody uses it", async () => {
    const volume = await make("memory", MEMORY);
    const first = await engine().running(at("memory"));
    await beside(first, "echo kept > /data/file");
    const second = await engine().running(at("memory"));
    await engine().must(204, "POST", `/containers/${first}/stop`);
    expect(await beside(second, "cat /data/file")).toBe("kept\n");
    await engine().start(first);
    expect(await beside(first, "cat /data/file")).toBe("kept\n");
    for (const id of [first, second]) await engine().remove(id);
    await expectMounts(volume, 0);
    const third = await engine().running(at("memory"));
    expect(await beside(third, "ls /data")).toBe("");
    expect(await beside(third, "dd if=/dev/zero of=/data/full bs=1024 count=2000 2>&1")).toContain("No space left");
    await engine().remove(third);
    await drop("memory");
  });

  test("that cannot be mounted fail a start, and leave nothing mounted", async () => {
    const volume = await make("missing", binding("/no/such"));
    const why = `failed to mount local volume: mount /no/such:${volume.Mountpoint}, flags: 0x1000: no such file or directory`;
    const text = `error while mounting volume '${volume.Mountpoint}': ${why}`;
    const id = await engine().create({ Cmd: ["true"], ...at("missing", "/not/in/the/image") });
    expect(await refused(`/containers/${id}/start`, {})).toEqual([500, text]);
    const { State } = await engine().inspect<{ State: Json }>(id);
    expect(State).toMatchObject({ Status: "created", ExitCode: 128, Error: text });
    const copied = await engine().call("GET", `/containers/${id}/archive?path=/etc/passwd`);
    expect([copied.status, messageOf(copied)]).toEqual([500, text]);
    // The image has this directory, so the volume is mounted to get its files.
    expect(await refused("/containers/create", { Image: "busybox", ...at("missing", "/var") })).toEqual([500, why]);
    await expectMounts(volume, 0);
    await engine().remove(id);
    await drop("missing");
  });

  test("of an unknown file system", async () => {
    const { Mountpoint } = await make("odd", { type: "nosuchfs", device: "x", o: "noexec,a=b" });
    const id = await engine().create({ Cmd: ["true"], ...at("odd") });
    const why = `failed to mount local volume: mount x:${Mountpoint}, flags: 0x8, data: a=b: no such device`;
    expect(await refused(`/containers/${id}/start`, {})).toEqual([
      500,
      `error while mounting volume '${Mountpoint}': ${why}`,
    ]);
    await engine().remove(id);
    await drop("odd");
  });

  const servers = [
    [{ type: "nfs", device: ":/files", o: "addr=127.0.0.1,ro" }, ", flags: 0x1, data: addr=127.0.0.1"],
    [
      { type: "cifs", device: "//127.0.0.1/files", o: "username=me,password=secret" },
      ", data: username=me,password=********",
    ],
  ] as const;
  test.for(servers)("of a server: %o, without its password in what is told", async ([DriverOpts, told]) => {
    const { Mountpoint, Options } = await make("served", DriverOpts);
    expect(Options).toEqual(DriverOpts);
    const id = await engine().create({ Cmd: ["sh", "-c", "echo kept > /data/x; cat /data/x"], ...at("served") });
    const { status, text } = await engine().call("POST", `/containers/${id}/start`);
    if (status !== 204) {
      // The machine lacks the file system, or nobody serves there.
      // Docker 20.10 still tells the password.
      const shown = kind === "reference" ? told.replace("********", "secret") : told;
      const where = `failed to mount local volume: mount ${DriverOpts.device}:${Mountpoint}${shown}: `;
      expect([status, text]).toEqual([500, expect.stringContaining(where)]);
    }
    await expectMounts({ Mountpoint } as Volume, 0);
    await engine().remove(id);
    await drop("served");
  });

  test("in the mounts of a container apply if the volume does not exist yet", async () => {
    const mount = (Source: string, Options: Json) => ({
      Cmd: ["sleep", "1000"],
      HostConfig: {
        Mounts: [
          { Type: "volume", Source, Target: "/data", VolumeOptions: { DriverConfig: { Name: "local", Options } } },
        ],
      },
    });
    const id = await engine().create(mount("asked", MEMORY));
    expect(await engine().read("/volumes/asked")).toMatchObject({ Options: MEMORY });
    const other = await engine().create(mount("asked", { foo: "1" }));
    for (const [name, text] of [["bad", 'create bad: invalid option: "foo"']] as const) {
      const body = { Image: "busybox", ...mount(name, { foo: "1" }) };
      expect(await refused("/containers/create", body)).toEqual([400, text]);
      expect((await engine().call("GET", `/volumes/${name}`)).status).toBe(404);
    }
    for (const one of [id, other]) await engine().remove(one);
    await drop("asked");
  });

  test("a copy to or from a container that does not run mounts them for that time", async () => {
    const volume = await make("copied", binding(directory));
    const id = await engine().create({ Cmd: ["true"], ...at("copied") });
    await engine().must(200, "GET", `/containers/${id}/archive?path=/data/hostname`);
    await expectMounts(volume, 0);
    await engine().remove(id);
    await drop("copied");
  });

  test("a prune spares such volumes, and disk usage leaves them out", async () => {
    await make("spared", MEMORY);
    await make("pruned", {});
    const usage = await engine().read<{ Volumes: { Name: string }[] }>("/system/df", { version: "1.41" });
    const names = usage.Volumes.map(({ Name }) => Name);
    expect([names.includes("spared"), names.includes("pruned")]).toEqual([false, true]);
    const answer = await engine().must(200, "POST", "/volumes/prune", undefined, { version: "1.41" });
    expect(answer.json<{ VolumesDeleted: string[] }>().VolumesDeleted).toEqual(["pruned"]);
    await drop("spared");
  });
});
