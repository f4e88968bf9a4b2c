// Limits and devices, read in the container's own cgroups, devices and /proc.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { SIMULATED } from "../support/allowed-skips.js";
import { messageOf, type Json } from "../support/engine-client.js";
import { frames } from "../support/frames.js";
import { onEngines, testExcept } from "../support/on-engines.js";

const MIB = 1 << 20;

onEngines("limits", (engine, kind) => {
  test("rates and weights of block devices", async () => {
    const { path: Path, number } = kind === "simulated" ? SIMULATED_DISK : ownDisk();
    const rates = {
      BlkioDeviceReadBps: [{ Path, Rate: 1 * MIB }],
      BlkioDeviceWriteBps: [{ Path, Rate: 2 * MIB }],
      BlkioDeviceReadIOps: [{ Path, Rate: 100 }],
      BlkioDeviceWriteIOps: [{ Path, Rate: 200 }],
    };
    const shown = await sh("cd /sys/fs/cgroup; cat blkio/blkio.throttle.*_device 2>/dev/null || cat io.max", rates);
    const v1 = ["1048576", "100", "2097152", "200"].map((rate) => `${number} ${rate}\n`).join("");
    expect([v1, `${number} rbps=1048576 wbps=2097152 riops=100 wiops=200\n`]).toContain(shown);
  });

  test("weights of block devices", async () => {
    const { path: Path, number } = kind === "simulated" ? SIMULATED_DISK : ownDisk();
    // A device has weights only while it is scheduled by BFQ.
    const scheduled = kind === "simulated" || schedulerOf(Path) === "bfq";
    const weights = { BlkioWeight: 300, ...(scheduled && { BlkioWeightDevice: [{ Path, Weight: 400 }] }) };
    const told = await warnings(weights);
    if (told.length > 0) return expectDiscarded(weights, told);
    const shown = await sh("cd /sys/fs/cgroup; cat blkio/blkio.bfq.weight* blkio/blkio.weight* io*.weight", weights);
    // Without BFQ, weights of 10 to 1000 become 1 to 10000 (OCI runtimes' conversion).
    expect(shown).toMatch(/^(default )?300$|^default 2930$/m);
    if (scheduled) expect(shown).toMatch(new RegExp(`^${number} 400$`, "m"));
  });

  test("weights of block devices, updated while it runs", async () => {
    const id = await engine().running({ HostConfig: { NetworkMode: "none", BlkioWeight: 300 } });
    const answer = await engine().must(200, "POST", `/containers/${id}/update`, { BlkioWeight: 500 });
    const { Warnings } = answer.json<{ Warnings: string[] | null }>();
    const { HostConfig } = await engine().inspect<{ HostConfig: Json }>(id);
    expect(Warnings).toEqual(HostConfig["BlkioWeight"] === 0 ? [DISCARDED] : null);
    const shown = await within(id, "cd /sys/fs/cgroup; cat blkio/blkio.bfq.weight blkio/blkio.weight io*.weight");
    if (Warnings === null) expect(HostConfig["BlkioWeight"]).toBe(500);
    if (Warnings === null) expect(shown).toMatch(/^(default )?500$|^default 4950$/m);
    else expect(shown).not.toMatch(/\b([35]00|2930|4950)$/m);
    await engine().remove(id);
  });

  test("swappiness and the OOM killer: cgroup v1 only", async () => {
    const file = (name: string): string => `cat /sys/fs/cgroup/memory/memory.${name} 2>/dev/null || echo v2`;
    const { CgroupVersion } = await engine().read<{ CgroupVersion: string }>("/info");
    const v1 = CgroupVersion === "1";
    expect(await sh(file("swappiness"), { MemorySwappiness: 7 })).toBe(v1 ? "7\n" : "v2\n");
    expect(await sh(file("swappiness"), { MemorySwappiness: 0 })).toBe(v1 ? "0\n" : "v2\n");
    const unkillable = { OomKillDisable: true, Memory: 64 * MIB };
    expect(await sh(file("oom_control"), unkillable)).toMatch(v1 ? /^oom_kill_disable 1$/m : /^v2$/m);
    const told = v1 ? [] : [SWAPPINESS, "Your kernel does not support OomKillDisable. OomKillDisable discarded."];
    expect(await warnings({ MemorySwappiness: 7, ...unkillable })).toEqual(told);
  });

  test("CPU shares outside the kernel's range: refused on cgroup v1, clamped on cgroup v2", async () => {
    const { CgroupVersion } = await engine().read<{ CgroupVersion: string }>("/info");
    const running = await engine().running({ HostConfig: { NetworkMode: "none" } });
    for (const [CpuShares, text, weight] of [
      [1, "the minimum allowed cpu-shares is 2", "1"],
      [99_999_999, "the maximum allowed cpu-shares is 262144", "10000"],
    ] as const) {
      const id = await engine().create({ HostConfig: { NetworkMode: "none", CpuShares }, Cmd: ["sleep", "1000"] });
      const start = await engine().call("POST", `/containers/${id}/start`);
      const update = await engine().call("POST", `/containers/${running}/update`, { CpuShares });
      if (CgroupVersion === "1") {
        expect([start.status, messageOf(start)]).toEqual([500, expect.stringContaining(text)]);
        expect([update.status, messageOf(update)]).toEqual([500, expect.stringContaining(text)]);
        expect(await engine().inspect(id)).toMatchObject({ HostConfig: { CpuShares }, State: { ExitCode: 128 } });
      } else {
        expect([start.status, update.status]).toEqual([204, 200]);
        for (const one of [id, running]) {
          if (kind !== "simulated") expect(await within(one, "cat /sys/fs/cgroup/cpu.weight")).toBe(`${weight}\n`);
          expect(await engine().inspect(one)).toMatchObject({ HostConfig: { CpuShares } });
        }
      }
      await engine().remove(id);
    }
    await engine().remove(running);
  });

  test("disabling the OOM killer without a limit gives a warning", async () => {
    const told = await warnings({ OomKillDisable: true });
    expect(told).toEqual([expect.any(String)]);
    expect(told[0]).toMatch(/^(OOM killer is disabled for the container, but no memory limit is set, |Your kernel )/);
  });

  test("devices of the machine, by another name, with fewer rights", async () => {
    const zero = { PathOnHost: "/dev/zero", PathInContainer: "/dev/mine", CgroupPermissions: "r" };
    const shown = await sh("head -c 4 /dev/mine | wc -c; ls -l /dev/mine | awk '{print $1, $5, $6}'", {
      Devices: [zero],
    });
    expect(shown).toMatch(/^4\ncrw-rw-rw- 1, 5\n$/);
    const missing = await engine().create({
      HostConfig: { Devices: [{ PathOnHost: "/dev/nope", PathInContainer: "/dev/nope", CgroupPermissions: "rwm" }] },
    });
    const answer = await engine().call("POST", `/containers/${missing}/start`);
    const text = 'error gathering device information while adding custom device "/dev/nope": no such file or directory';
    expect([answer.status, messageOf(answer)]).toEqual([500, text]);
    await engine().remove(missing);
    const file = await engine().create({
      HostConfig: { Devices: [{ PathOnHost: "/etc/hosts", PathInContainer: "/dev/x", CgroupPermissions: "rwm" }] },
    });
    const refused = await engine().call("POST", `/containers/${file}/start`);
    expect([refused.status, messageOf(refused)]).toEqual([
      500,
      'error gathering device information while adding custom device "/etc/hosts": not a device node',
    ]);
    await engine().remove(file);
  });

  testExcept(kind, { simulated: SIMULATED.mknod })("rules for devices that a container creates itself", async () => {
    const { number } = ownDisk();
    const script = `mknod /tmp/disk b ${number.replace(":", " ")}; : < /tmp/disk && echo opened`;
    const Cmd = ["sh", "-c", script];
    expect(await engine().run({ Cmd })).toMatchObject({ stdout: "", stderr: expect.stringMatching(/not permitted/) });
    const HostConfig = { DeviceCgroupRules: [`b ${number} rm`] };
    expect(await engine().run({ Cmd, HostConfig })).toMatchObject({ stdout: "opened\n" });
    const others = { DeviceCgroupRules: ["b 77:* rwm"] };
    expect(await engine().run({ Cmd, HostConfig: others })).toMatchObject({ stdout: "" });
  });

  testExcept(kind, { simulated: SIMULATED.mknod })("the devices that every container may use", async () => {
    const usual = ["1:3 rwm", "1:5 rwm", "1:7 rwm", "1:8 rwm", "1:9 rwm", "5:0 rwm", "5:1 rwm", "5:2 rwm", "136:* rwm"];
    const opened = "for f in null zero full random urandom tty; do test -c /dev/$f || echo $f; done; : < /dev/full";
    expect(await engine().run({ Cmd: ["sh", "-c", opened] })).toMatchObject({ stdout: "", stderr: "" });
    const { CgroupVersion } = await engine().read<{ CgroupVersion: string }>("/info");
    if (CgroupVersion === "2") return;
    const { stdout } = await engine().run({ Cmd: ["cat", "/sys/fs/cgroup/devices/devices.list"] });
    expect(stdout.split("\n")).toEqual(expect.arrayContaining(usual.map((rule) => `c ${rule}`)));
    expect(stdout).not.toContain("c 10:229");
  });

  testExcept(kind, { simulated: SIMULATED.mknod })("a terminal among the machine's devices", async () => {
    const { Runtimes } = await engine().read<{ Runtimes: Record<string, unknown> }>("/info");
    for (const Runtime of ["runc", "crun"].filter((name) => name in Runtimes)) {
      const HostConfig = { NetworkMode: "none", Binds: ["/dev:/dev"], Runtime };
      const id = await engine().running({ Tty: true, HostConfig });
      await engine().remove(id);
    }
  });

  test("realtime, if cgroups support it", async () => {
    const wish = { CpuRealtimePeriod: 1_000_000, CpuRealtimeRuntime: 10_000 };
    const answer = await engine().call("POST", "/containers/create", { Image: "busybox", HostConfig: wish });
    const { CgroupVersion } = await engine().read<{ CgroupVersion: string }>("/info");
    const id = await engine().running({ HostConfig: { NetworkMode: "none" } });
    const update = (change: Json) => engine().call("POST", `/containers/${id}/update`, change);
    if (kind === "simulated" || CgroupVersion === "2") {
      const refusal = [400, "Your kernel does not support CPU real-time scheduler"];
      expect([answer.status, messageOf(answer)]).toEqual(refusal);
      const updated = await update(wish);
      expect([updated.status, messageOf(updated)]).toEqual(refusal);
      return engine().remove(id);
    }
    await engine().remove(answer.json<Created>().Id);
    const files = "cat /sys/fs/cgroup/cpu/cpu.rt_period_us /sys/fs/cgroup/cpu/cpu.rt_runtime_us";
    // In the reference, realtime needs a daemon option first.
    if (kind !== "reference") {
      expect(await sh(files, wish)).toBe("1000000\n10000\n");
      for (const [change, shown] of [
        [wish, "1000000\n10000\n"],
        [{ CpuRealtimeRuntime: 5000 }, "1000000\n5000\n"],
        [{ CpuRealtimePeriod: 500_000 }, "500000\n5000\n"],
      ] as const) {
        expect((await update(change)).status).toBe(200);
        expect(await within(id, files)).toBe(shown);
      }
    }
    await engine().remove(id);
  });

  /** The output of a script in a running container. */
  async function within(id: string, script: string): Promise<string> {
    const body = { Cmd: ["sh", "-c", script], AttachStdout: true };
    const { Id } = (await engine().must(201, "POST", `/containers/${id}/exec`, body)).json<{ Id: string }>();
    return frames((await engine().must(200, "POST", `/exec/${Id}/start`, {})).body).stdout;
  }

  async function sh(script: string, hostConfig: Json = {}): Promise<string> {
    const ended = await engine().run({ Cmd: ["sh", "-c", script], HostConfig: { NetworkMode: "none", ...hostConfig } });
    return ended.stdout;
  }

  /** On a kernel without weights, create warns the client and makes the container without them. */
  async function expectDiscarded(weights: Json, told: readonly string[]): Promise<void> {
    expect(told).toEqual([
      DISCARDED,
      ...("BlkioWeightDevice" in weights
        ? [
            "Your kernel does not support Block I/O weight_device or the cgroup is not mounted. Weight-device discarded.",
          ]
        : []),
    ]);
    const id = await engine().create({ Cmd: ["true"], HostConfig: weights });
    const { HostConfig } = await engine().inspect<{ HostConfig: Json }>(id);
    expect(HostConfig).toMatchObject({ BlkioWeight: 0 });
    expect(HostConfig["BlkioWeightDevice"] ?? []).toEqual([]);
    await engine().start(id);
    expect(await engine().wait(id)).toBe(0);
    await engine().remove(id);
  }

  async function warnings(hostConfig: Json): Promise<string[]> {
    const body = { Image: "busybox", HostConfig: hostConfig };
    const answer = (await engine().must(201, "POST", "/containers/create", body)).json<Created>();
    await engine().remove(answer.Id);
    return answer.Warnings;
  }
});

interface Created {
  Id: string;
  Warnings: string[];
}

const SIMULATED_DISK = { path: "/dev/sda", number: "8:0" };

/** Any block device of this machine. */
function ownDisk(): typeof SIMULATED_DISK {
  const name = readdirSync("/sys/block").find((name) => existsSync(`/dev/${name}`)) ?? "";
  return { path: `/dev/${name}`, number: readFileSync(`/sys/block/${name}/dev`, "utf8").trim() };
}

function schedulerOf(path: string): string {
  const text = readFileSync(`/sys/block/${path.slice("/dev/".length)}/queue/scheduler`, "utf8");
  return /\[(.*)\]/.exec(text)?.[1] ?? "";
}

const DISCARDED = "Your kernel does not support Block I/O weight or the cgroup is not mounted. Weight discarded.";
const SWAPPINESS =
  "Your kernel does not support memory swappiness capabilities or the cgroup is not mounted. Memory swappiness discarded.";
