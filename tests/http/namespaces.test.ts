// Which namespaces of a container are its own, which are the machine's, and which another container's.
import { expect, test } from "vitest";
import { REFERENCE } from "../support/allowed-skips.js";
import { messageOf, type Json } from "../support/engine-client.js";
import { goOn, WAITS } from "../support/gate.js";
import { onEngines, testExcept } from "../support/on-engines.js";

onEngines("namespaces", (engine, kind) => {
  const sh = async (script: string, HostConfig: Json) => {
    const { stdout, stderr } = await engine().run({ Cmd: ["sh", "-c", script], HostConfig });
    return stdout + stderr;
  };
  /** The answer to a start that must fail. */
  const failing = async (HostConfig: Json) => {
    const id = await engine().create({ HostConfig });
    const answer = await engine().call("POST", `/containers/${id}/start`);
    const { State } = await engine().inspect<{ State: Json }>(id);
    await engine().remove(id);
    expect([State["Status"], State["ExitCode"], State["Error"]]).toEqual(["created", 128, messageOf(answer)]);
    return [answer.status, messageOf(answer)];
  };

  test("shared memory is private, shareable, or missing", async () => {
    const owner = await engine().running({
      Cmd: ["sh", "-c", "echo shared > /dev/shm/file; sleep 1000"],
      HostConfig: { IpcMode: "shareable", ShmSize: 1 << 20 },
    });
    const look = "mount | grep ' on /dev/shm '; cat /dev/shm/file";
    const other = await sh(look, { IpcMode: `container:${owner.slice(0, 12)}` });
    expect(other).toMatch(
      /^shm on \/dev\/shm type tmpfs \(rw,nosuid,nodev,noexec,relatime,?(size=1024k)?.*\)\nshared\n$/,
    );
    expect(await sh(look, { IpcMode: "private" })).toMatch(/^shm on .*size=65536k.*\n.*No such file/);
    expect(await sh("grep -c ' /dev/shm ' /proc/mounts", { IpcMode: "none" })).toBe("0\n");
    await engine().remove(owner);
  });

  test("shared memory stays with containers that joined it when its owner ends", async () => {
    const owner = await engine().running({ HostConfig: { IpcMode: "shareable" } });
    const other = await engine().running({
      Cmd: ["sh", "-c", `echo still > /dev/shm/file; ${WAITS}; cat /dev/shm/file`],
      HostConfig: { IpcMode: `container:${owner}` },
    });
    await engine().remove(owner);
    await goOn(engine(), other);
    await engine().wait(other);
    expect((await engine().logs(other)).stdout).toBe("still\n");
    await engine().remove(other);
  });

  test("only the shareable memory of a running container can be joined", async () => {
    const idle = await engine().create({ HostConfig: { IpcMode: "shareable" } });
    const closed = await engine().running({ HostConfig: { IpcMode: "private" } });
    expect(await failing({ IpcMode: `container:${idle}` })).toEqual([
      500,
      `can't join IPC of container ${idle}: container ${idle} is not running`,
    ]);
    expect(await failing({ IpcMode: `container:${closed}` })).toEqual([
      500,
      `can't join IPC of container ${closed}: non-shareable IPC (hint: use IpcMode:shareable for the donor container)`,
    ]);
    expect(await failing({ PidMode: `container:${idle}` })).toEqual([500, `container ${idle} is not running`]);
    // The network is joined first, then the shared memory.
    const mode = `container:${idle}`;
    const noNetwork = [409, `cannot join network of a non running container: ${idle}`];
    expect(await failing({ NetworkMode: mode, IpcMode: mode, PidMode: mode })).toEqual(noNetwork);
    expect((await failing({ IpcMode: mode, PidMode: mode }))[1]).toMatch(/^can't join IPC/);
    for (const HostConfig of [{ IpcMode: "container:nobody" }, { PidMode: "container:nobody" }]) {
      const answer = await engine().call("POST", "/containers/create", { Image: "busybox", HostConfig });
      expect([answer.status, messageOf(answer)]).toEqual([400, "No such container: nobody"]);
    }
    await engine().remove(idle);
    await engine().remove(closed);
  });

  test("another container's processes are visible, and die with its first process", async () => {
    const owner = await engine().running({ Cmd: ["sleep", "4321"] }, "?name=watched");
    const HostConfig = { PidMode: "container:watched" };
    expect(await sh("ps; echo I am $$", HostConfig)).toMatch(/ 1 root .*sleep 4321\n[^]*I am [^1]/);
    const other = await engine().running({ HostConfig });
    expect((await engine().inspect<{ HostConfig: Json }>(other)).HostConfig["PidMode"]).toBe(`container:${owner}`);
    await engine().remove(owner);
    expect(await engine().wait(other)).toBe(137);
    await engine().remove(other);
  });

  test("the machine's namespaces, on request", async () => {
    const pid = await sh("cat /proc/1/cmdline | tr '\\0' ' '; echo; test $$ -gt 1 && echo not the first", {
      PidMode: "host",
    });
    expect(pid).toMatch(/not the first\n$/);
    expect(pid).not.toMatch(/^sh -c/);
  });

  test("the machine's shared memory", async () => {
    expect(await sh("grep ' /dev/shm ' /proc/mounts", { IpcMode: "host" })).not.toMatch(/^shm /);
  });

  test("cgroups are seen from the machine's root, or from the container's own", async () => {
    const places = async (CgroupnsMode: string) => {
      const text = await sh("cut -d: -f3 /proc/self/cgroup", { CgroupnsMode });
      return [...new Set(text.trim().split("\n"))];
    };
    expect(await places("private")).toEqual(["/"]);
    expect((await places("host")).some((place) => /\/[0-9a-f]{64}$/.test(place))).toBe(true);
  });

  test("a host name conflicts with the machine's namespace", async () => {
    const body = { Image: "busybox", Hostname: "mine", HostConfig: { UTSMode: "host" } };
    const answer = await engine().call("POST", "/containers/create", body);
    expect([answer.status, messageOf(answer)]).toEqual([400, "conflicting options: hostname and the UTS mode"]);
  });

  testExcept(kind, { reference: REFERENCE.modes })("unknown modes", async () => {
    for (const [field, word] of [
      ["IpcMode", "IPC"],
      ["PidMode", "PID"],
      ["UTSMode", "UTS"],
    ] as const) {
      const body = { Image: "busybox", HostConfig: { [field]: "odd" } };
      const answer = await engine().call("POST", "/containers/create", body);
      expect([answer.status, messageOf(answer)]).toEqual([400, `invalid ${word} mode: odd`]);
    }
  });
});
