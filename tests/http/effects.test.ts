// The effects of create, seen from inside the container: each field with two values, or with and without it.
import { randomBytes } from "node:crypto";
import { basename, dirname } from "node:path";
import { expect, test } from "vitest";
import type { Json } from "../support/engine-client.js";
import { messageOf } from "../support/engine-client.js";
import { busyboxLayer, dockerArchive } from "../support/archives/images.js";
import { REFERENCE, SIMULATED } from "../support/allowed-skips.js";
import { onEngines, testExcept } from "../support/on-engines.js";

const MIB = 1 << 20;

onEngines("effects", (engine, kind) => {
  test("namespaces: own pid 1, own host name, own mounts; host ones on request", async () => {
    expect(await sh("echo $$; ps | grep -c sh")).toMatch(/^1\n/);
    expect(await sh("hostname", { Hostname: "one" })).toBe("one\n");
    expect(await sh("hostname", { HostConfig: { UTSMode: "host" } })).toBe(`${engine().machine.name}\n`);
    expect(await sh("hostname", { HostConfig: { NetworkMode: "host" } })).toBe(`${engine().machine.name}\n`);
  });

  test("network none, host, bridge", async () => {
    expect(await sh("ls /sys/class/net", { HostConfig: { NetworkMode: "none" } })).toBe("lo\n");
    expect(await sh("ls /sys/class/net", { HostConfig: { NetworkMode: "bridge" } })).toBe("eth0\nlo\n");
    expect(await sh("ls /sys/class/net", { HostConfig: { NetworkMode: "host" } })).toContain(
      `${engine().machine.interfaceName}\n`,
    );
    const id = await engine().create({ Cmd: ["true"], HostConfig: { NetworkMode: "no-such-network" } });
    const answer = await engine().call("POST", `/containers/${id}/start`);
    expect([answer.status, messageOf(answer)]).toEqual([404, "network no-such-network not found"]);
    await engine().remove(id);
  });

  test("/etc/hosts, /etc/hostname, /etc/resolv.conf", async () => {
    const hosts = await sh("cat /etc/hosts", { Hostname: "box" });
    expect(hosts).toMatch(/^127\.0\.0\.1\s+localhost$/m);
    expect(hosts).toMatch(/^172\.\d+\.\d+\.\d+\s+box$/m);
    expect(await sh("cat /etc/hostname", { Hostname: "box" })).toBe("box\n");
    expect(await sh("cat /etc/resolv.conf")).toMatch(/^nameserver /m);
    expect(await sh("cat /etc/hosts", { HostConfig: { ExtraHosts: ["other:10.1.2.3"] } })).toMatch(
      /^10\.1\.2\.3\s+other$/m,
    );
    const dns = await sh("cat /etc/resolv.conf", { HostConfig: { Dns: ["10.9.9.9"], DnsSearch: ["d.test"] } });
    expect(dns).toMatch(/^nameserver 10\.9\.9\.9$/m);
    expect(dns).toMatch(/^search d\.test$/m);
  });

  test("limits", async () => {
    const memory = "cat /sys/fs/cgroup/memory/memory.limit_in_bytes 2>/dev/null || cat /sys/fs/cgroup/memory.max";
    expect(await sh(memory, { HostConfig: { Memory: 64 * MIB } })).toBe(`${64 * MIB}\n`);
    expect(await sh(memory, { HostConfig: { Memory: 32 * MIB } })).toBe(`${32 * MIB}\n`);
    const pids = "cat /sys/fs/cgroup/pids/pids.max 2>/dev/null || cat /sys/fs/cgroup/pids.max";
    expect(await sh(pids, { HostConfig: { PidsLimit: 50 } })).toBe("50\n");
    expect(await sh(pids)).toBe("max\n");
    const quota = "cat /sys/fs/cgroup/cpu/cpu.cfs_quota_us 2>/dev/null || cut -d' ' -f1 /sys/fs/cgroup/cpu.max";
    expect(await sh(quota, { HostConfig: { NanoCpus: 500_000_000 } })).toBe("50000\n");
    expect(await sh("ulimit -n", { HostConfig: { Ulimits: [{ Name: "nofile", Soft: 99, Hard: 100 }] } })).toBe("99\n");
    const memlock = { Name: "memlock", Soft: 66 << 10, Hard: 77 << 10 };
    expect(await sh("ulimit -l", { HostConfig: { Ulimits: [memlock] } })).toBe("66\n");
    expect(await sh("cat /proc/self/oom_score_adj", { HostConfig: { OomScoreAdj: 500 } })).toBe("500\n");
    const cpus = "grep Cpus_allowed_list /proc/self/status | cut -f2";
    expect(await sh(cpus, { HostConfig: { CpusetCpus: "0" } })).toBe("0\n");
    expect(await sh("df -k /dev/shm | tail -1 | awk '{print $2}'", { HostConfig: { ShmSize: 8 * MIB } })).toBe(
      "8192\n",
    );
  });

  test("a fork bomb stops at the limit", async () => {
    const script = "i=0; while [ $i -lt 30 ]; do sleep 5 & i=$((i+1)); done 2>/dev/null; echo end; kill -9 -1";
    const ended = await engine().run({ Cmd: ["sh", "-c", script], HostConfig: { PidsLimit: 10 } });
    expect(ended.code).not.toBe(0);
  });

  test("capabilities", async () => {
    const mask = "grep CapEff /proc/self/status | cut -f2";
    expect(await sh(mask)).toBe("00000000a80425fb\n");
    expect(await sh(mask, { HostConfig: { CapDrop: ["ALL"] } })).toBe("0000000000000000\n");
    expect(await sh(mask, { HostConfig: { CapAdd: ["NET_ADMIN"] } })).toBe("00000000a80435fb\n");
    expect(await sh(mask, { HostConfig: { CapAdd: ["CAP_NET_ADMIN"], CapDrop: ["ALL"] } })).toBe("0000000000001000\n");
    expect(await sh(mask, { User: "nobody" })).toBe("0000000000000000\n");
  });

  test("seccomp, no-new-privileges", async () => {
    const status = "grep -E 'Seccomp:|NoNewPrivs' /proc/self/status | cut -f2 | tr '\\n' ' '";
    expect(await sh(status)).toBe("0 2 ");
    expect(await sh(status, { HostConfig: { SecurityOpt: ["no-new-privileges"] } })).toBe("1 2 ");
    expect(await sh(status, { HostConfig: { SecurityOpt: ["seccomp=unconfined"] } })).toBe("0 0 ");
    expect(await sh("unshare -U true && echo made || echo refused", {})).toContain("refused\n");
  });

  test("masked and read-only paths, a read-only root", async () => {
    expect(await sh("cat /proc/kcore | wc -c; cat /proc/timer_list | wc -c; ls /sys/firmware | wc -l")).toBe(
      "0\n0\n0\n",
    );
    expect(await sh("echo 1 > /proc/sys/kernel/hostname 2>/dev/null && echo written || echo refused")).toBe(
      "refused\n",
    );
    expect(await sh("touch /x 2>/dev/null && echo written || echo refused")).toBe("written\n");
    const ReadonlyRootfs = { HostConfig: { ReadonlyRootfs: true } };
    expect(await sh("touch /x 2>/dev/null && echo written || echo refused", ReadonlyRootfs)).toBe("refused\n");
    expect(await sh("mount | grep -c ' on /sys .*ro'")).toBe("1\n");
  });

  test("binds: visible, writable, read-only, created if missing", async () => {
    const directory = `/tmp/coracle-bind-${randomBytes(6).toString("hex")}`;
    const bound = (from: string, options = ""): Json => ({ HostConfig: { Binds: [`${from}:/in${options}`] } });
    try {
      expect(await sh("echo from outside > /in/file; ls /in", bound(directory))).toBe("file\n");
      expect(await sh("cat /in/file; echo back > /in/back", bound(directory))).toBe("from outside\n");
      expect(await sh("ls /in; cat /in/back", bound(directory))).toBe("back\nfile\nback\n");
      expect(await sh("touch /in/x 2>/dev/null && echo written || echo refused", bound(directory, ":ro"))).toBe(
        "refused\n",
      );
      expect(await sh("touch /in/x && echo written", bound(`${directory}/new/deep`))).toBe("written\n");
      expect(await sh("ls /in; test -f /in/new/deep/x && echo file", bound(directory))).toBe("back\nfile\nnew\nfile\n");
      const file = { HostConfig: { Binds: [`${directory}/file:/a/file`] } };
      expect(await sh("cat /a/file", file)).toBe("from outside\n");
    } finally {
      await sh(`rm -r /in/${basename(directory)}`, bound(dirname(directory)));
    }
    expect(await sh(`ls /in | grep -c ${basename(directory)}`, bound(dirname(directory)))).toBe("0\n");
  });

  test("tmpfs and sysctls", async () => {
    expect(await sh("mount | grep ' on /scratch '", { HostConfig: { Tmpfs: { "/scratch": "size=1m" } } })).toMatch(
      /tmpfs.*size=1024k/,
    );
    const Sysctls = { "net.ipv4.ip_default_ttl": "33" };
    expect(await sh("cat /proc/sys/net/ipv4/ip_default_ttl", { HostConfig: { Sysctls } })).toBe("33\n");
  });

  test("user, group, working directory", async () => {
    expect(await sh("id -u; id -g", { User: "nobody" })).toBe("65534\n65534\n");
    expect(await sh("id -u; id -g", { User: "12:34" })).toBe("12\n34\n");
    expect(await sh("id -g", { User: "nobody:daemon" }).catch(() => "no such group")).toMatch(/^(1\n|no such group)$/);
    expect(await sh("id -G", { User: "root", HostConfig: { GroupAdd: ["77"] } })).toMatch(/\b77\b/);
    expect(await sh("pwd", { WorkingDir: "/made/on/the/way" })).toBe("/made/on/the/way\n");
  });

  test("terminal: TERM and a tty; without one, none", async () => {
    const id = await engine().create({ Cmd: ["sh", "-c", "echo $TERM; test -t 1 && echo tty"], Tty: true });
    await engine().start(id);
    await engine().wait(id);
    expect((await engine().call("GET", `/containers/${id}/logs?stdout=1`)).text).toBe("xterm\r\ntty\r\n");
    await engine().remove(id);
    expect(await sh("test -t 1 && echo tty || echo none")).toBe("none\n");
  });

  testExcept(kind, { reference: REFERENCE.after141 })("a terminal starts with the client's size", async () => {
    const body = { Image: "busybox", Cmd: ["stty", "size"], Tty: true, HostConfig: { ConsoleSize: [40, 100] } };
    const at = { version: "1.42" };
    const { Id } = (await engine().must(201, "POST", "/containers/create", body, at)).json<{ Id: string }>();
    await engine().start(Id);
    await engine().wait(Id);
    expect((await engine().call("GET", `/containers/${Id}/logs?stdout=1`)).text).toBe("40 100\r\n");
    await engine().remove(Id);
  });

  testExcept(kind, { simulated: SIMULATED.kernelFiles })(
    "limits of processes: soft ones, hard ones, and none",
    async () => {
      const Ulimits = [
        { Name: "nofile", Soft: 50, Hard: 60 },
        { Name: "core", Soft: 0, Hard: 0 },
        { Name: "stack", Soft: 1 << 20, Hard: -1 },
      ];
      const script = "ulimit -n; ulimit -Hn; ulimit -c; ulimit -s; ulimit -Hs";
      expect(await sh(script, { HostConfig: { Ulimits } })).toBe("50\n60\n0\n1024\nunlimited\n");
    },
  );

  test("the requested runtime", async () => {
    const { Runtimes } = await engine().read<{ Runtimes: Record<string, unknown> }>("/info");
    for (const Runtime of Object.keys(Runtimes).filter((name) => /^(crun|runc)$/.test(name))) {
      expect(await sh(`echo by ${Runtime}`, { HostConfig: { Runtime } })).toBe(`by ${Runtime}\n`);
    }
  });

  test("an image's VOLUME is kept apart from the layers, and from one run to the next", async () => {
    const id = await withVolume();
    const [mount] = (await engine().inspect<{ Mounts: Json[] }>(id)).Mounts;
    expect(mount).toMatchObject({ Type: "volume", Destination: "/data", Driver: "local", RW: true });
    await engine().remove(id);
    await engine().must(200, "DELETE", "/images/volume:1");
  });

  test("an image's VOLUME is a directory of its own, removed with v", async () => {
    const id = await withVolume();
    const [mount] = (await engine().inspect<{ Mounts: Json[] }>(id)).Mounts;
    const source = mount?.["Source"] as string;
    const volumes = dirname(dirname(source));
    const bound = (from: string): Json => ({ HostConfig: { Binds: [`${from}:/in:ro`] } });
    expect(await sh("ls /in; cat /in/x", bound(source))).toBe("x\nkept\n");
    const named = `ls /in | grep -c ${basename(dirname(source))}`;
    expect(await sh(named, bound(volumes))).toBe("1\n");
    await engine().remove(id);
    expect(await sh(named, bound(volumes))).toBe("0\n");
    await engine().must(200, "DELETE", "/images/volume:1");
  });

  /** A container of an image with a volume, after two runs: the second run finds what the first has written. */
  async function withVolume(): Promise<string> {
    const config = { Cmd: ["sh"], Volumes: { "/data": {} } };
    await engine().load(await dockerArchive([{ reference: "volume:1", config, layers: [await busyboxLayer()] }]));
    const id = await engine().create({ Image: "volume:1", Cmd: ["sh", "-c", "cat /data/x; echo kept > /data/x"] });
    await engine().start(id);
    await engine().wait(id);
    await engine().start(id);
    await engine().wait(id);
    expect((await engine().logs(id)).stdout).toBe("kept\n");
    return id;
  }

  test("a HEALTHCHECK of an image is kept, and runs", async () => {
    const Healthcheck = { Test: ["CMD", "true"], Interval: 1e9 };
    const image = {
      reference: "healthy:1",
      config: { Cmd: ["sleep", "1000"], Healthcheck },
      layers: [await busyboxLayer()],
    };
    await engine().load(await dockerArchive([image]));
    const id = await engine().create({ Image: "healthy:1" });
    expect(await engine().inspect(id)).toMatchObject({ Config: { Healthcheck } });
    await engine().start(id);
    expect(await engine().inspect(id)).toMatchObject({ State: { Health: { Status: "starting" } } });
    await engine().remove(id);
    await engine().must(200, "DELETE", "/images/healthy:1");
  });

  async function sh(script: string, config: Json = {}): Promise<string> {
    const ended = await engine().run({ Cmd: ["sh", "-c", script], ...config });
    return ended.stdout;
  }
});
