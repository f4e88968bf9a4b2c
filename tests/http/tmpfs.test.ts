// tmpfs mounts: their options, including Docker's defaults, and the size of /dev/shm.
import { expect, test } from "vitest";
import { REFERENCE } from "../support/allowed-skips.js";
import { messageOf, type Json } from "../support/engine-client.js";
import { onEngines, testExcept } from "../support/on-engines.js";

const SAFE = ["nodev", "noexec", "nosuid"];

onEngines("tmpfs", (engine, kind) => {
  test.each([
    ["", ["rw", ...SAFE], []],
    ["ro", ["ro", ...SAFE], ["rw"]],
    ["exec,size=2m,mode=1770", ["rw", "nodev", "nosuid", "size=2048k", "mode=1770"], ["noexec"]],
    ["suid,dev,exec", ["rw"], SAFE],
    ["exec,noexec,ro,rw", ["rw", ...SAFE], ["ro", "exec"]],
    ["noexec,exec", ["rw", "nodev", "nosuid"], ["noexec", "exec"]],
    ["noexec,nosuid", ["rw", ...SAFE], []],
    ["exec,noexec,exec,noexec,exec", ["rw", "nodev", "nosuid"], ["noexec", "exec"]],
    ["size=1m,uid=7,mode=700,gid=8,size=2m", ["rw", ...SAFE, "size=2048k", "uid=7", "gid=8", "mode=700"], []],
    ["nr_blocks=100,nr_inodes=50", ["rw", ...SAFE, "size=400k", "nr_inodes=50"], []],
    ["defaults", ["rw", ...SAFE], ["defaults"]],
    ["exec,defaults,noatime,dirsync", ["rw", "nodev", "nosuid", "noatime", "dirsync"], ["noexec", "relatime"]],
    ["shared", ["rw", ...SAFE], ["shared"]],
    ["slave,rshared,unbindable,rprivate", ["rw", ...SAFE], ["rprivate", "unbindable"]],
  ])("%j", async (options, has, lacks) => {
    for (const Runtime of await runtimes()) {
      const HostConfig = { Runtime, Tmpfs: { "/scratch": options } };
      const line = await sh("grep ' /scratch ' /proc/mounts", { HostConfig });
      const [, , type, shown = ""] = line.split(" ");
      expect(type).toBe("tmpfs");
      const words = shown.split(",");
      expect(words).toEqual([...new Set(words)]);
      expect(words).toEqual(expect.arrayContaining(has));
      expect(words.filter((word) => lacks.includes(word))).toEqual([]);
    }
  });

  test("the last propagation option decides how mounts propagate", async () => {
    for (const Runtime of await runtimes()) {
      const fields = async (options: string) => {
        const HostConfig = { Runtime, Tmpfs: { "/scratch": options } };
        const line = await sh("grep ' /scratch ' /proc/self/mountinfo", { HostConfig });
        return line.replace(/ - .*/s, "").split(" ").slice(6);
      };
      expect(await fields("")).toEqual([]);
      expect(await fields("private,shared")).toEqual([expect.stringMatching(/^shared:/)]);
      expect(await fields("shared,rslave")).toEqual([]);
      expect(await fields("rshared,private")).toEqual([]);
      expect(await fields("shared,unbindable")).toEqual(["unbindable"]);
    }
  });

  test.each([
    ["bad", '"bad"'],
    ["bad=1", '"bad" "1"'],
    ["exec,", '""'],
    ["Exec", '"Exec"'],
    ["size", '"size"'],
    ["bad,size=1m,worse,exec", '"worse"'],
    ["huge=always=", '"huge" "always="'],
  ])("an unknown option: %j", async (options, told) => {
    const [start, inspect] = await refused({ Tmpfs: { "/scratch": options } });
    expect(start).toEqual([500, `invalid tmpfs option [${told}]`]);
    expect(inspect).toMatchObject({ State: { Status: "created", ExitCode: 128, Error: start[1] } });
  });

  test.each(["size=x", "size=-1", "mode=9", "uid=root", "nr_blocks=many", "mpol=none"])(
    "a value that the kernel does not accept: %j",
    async (options) => {
      const [[status, message]] = await refused({ Tmpfs: { "/scratch": options } });
      expect([status, message]).toEqual([500, expect.stringMatching(/invalid argument/i)]);
    },
  );

  test("it may be anywhere except at the root", async () => {
    for (const [path, text] of [
      ["/", "invalid specification: destination can't be '/'"],
      ["/x/..", "invalid specification: destination can't be '/'"],
      ["x", "invalid mount path: 'x' mount path must be absolute"],
    ] as const) {
      const body = { Image: "busybox", HostConfig: { Tmpfs: { [path]: "" } } };
      const answer = await engine().call("POST", "/containers/create", body);
      expect([path, answer.status, messageOf(answer)]).toEqual([path, 400, text]);
    }
  });

  testExcept(kind, { reference: REFERENCE.after141 })("programs on it run if exec is given", async () => {
    const run = async (Options: string[][]) => {
      const HostConfig = { Mounts: [{ Type: "tmpfs", Target: "/scratch", TmpfsOptions: { Options } }] };
      const Cmd = ["sh", "-c", "cp /bin/busybox /scratch/echo && /scratch/echo it runs"];
      const body = { Image: "busybox", Cmd, HostConfig };
      const created = await engine().must(201, "POST", "/containers/create", body, { version: "1.46" });
      const { Id } = created.json<{ Id: string }>();
      await engine().start(Id);
      await engine().wait(Id);
      const { stdout } = await engine().logs(Id);
      await engine().remove(Id);
      return stdout;
    };
    expect(await run([["exec"]])).toBe("it runs\n");
    if (kind !== "simulated") expect(await run([])).toBe("");
  });

  test("shared memory of any size", async () => {
    const script = "grep ' /dev/shm ' /proc/mounts";
    expect(await sh(script, { HostConfig: { ShmSize: 12 << 20 } })).toContain("size=12288k");
    expect(await sh(script, {})).toContain("size=65536k");
  });

  /** The answer to a failing start, and inspect afterwards. */
  async function refused(HostConfig: Json) {
    const body = { Image: "busybox", Cmd: ["true"], HostConfig };
    const { Id } = (await engine().must(201, "POST", "/containers/create", body)).json<{ Id: string }>();
    const answer = await engine().call("POST", `/containers/${Id}/start`);
    const inspect = await engine().inspect(Id);
    await engine().remove(Id);
    return [[answer.status, messageOf(answer)], inspect] as const;
  }

  /** The available OCI runtimes that behave differently here; otherwise the engine's default. */
  async function runtimes(): Promise<string[]> {
    const { Runtimes } = await engine().read<{ Runtimes: Record<string, unknown> }>("/info");
    const known = Object.keys(Runtimes).filter((name) => /^(crun|runc)$/.test(name));
    return known.length > 0 ? known : [""];
  }

  async function sh(script: string, config: Json): Promise<string> {
    return (await engine().run({ Cmd: ["sh", "-c", script], ...config })).stdout;
  }
});
