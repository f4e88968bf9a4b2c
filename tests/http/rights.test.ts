// Privileges of a container, and its first process: init, privileged, annotations, cgroup namespaces.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { REFERENCE } from "../support/allowed-skips.js";
import { until } from "../support/commands.js";
import { messageOf, type Json } from "../support/engine-client.js";
import { onEngines, testExcept } from "../support/on-engines.js";

onEngines("rights", (engine, kind) => {
  test("an init is the first process, and ends as its program does", async () => {
    const HostConfig = { Init: true };
    const listed = await engine().run({ Cmd: ["sh", "-c", "ps; exit 7"], HostConfig });
    expect(listed.stdout).toMatch(/^ *1 root .*\/sbin\/docker-init -- sh -c ps; exit 7$/m);
    expect(listed.code).toBe(7);
    const missing = await engine().run({ Cmd: ["nope"], HostConfig });
    expect([missing.code, missing.stderr]).toEqual([127, expect.stringContaining("exec nope failed")]);
    const plain = await engine().run({ Cmd: ["sh", "-c", "ps"], HostConfig: { Init: false } });
    expect(plain.stdout).not.toContain("docker-init");
  });

  test("an init forwards signals: a program without a handler for SIGTERM ends", async () => {
    const id = await engine().create({ Cmd: ["sleep", "1000"], HostConfig: { Init: true } });
    await engine().start(id);
    // A signal does not show that an init has not started its program yet.
    await until("the init's program runs", async () => {
      const { Processes } = await engine().read<{ Processes: string[][] }>(`/containers/${id}/top`);
      return Processes.length === 2;
    });
    await engine().must(204, "POST", `/containers/${id}/stop?t=100`);
    const found = await engine().inspect<{ Path: string; Args: string[]; State: Json; HostConfig: Json }>(id);
    expect(found).toMatchObject({
      Path: "sleep",
      Args: ["1000"],
      State: { ExitCode: 143 },
      HostConfig: { Init: true },
    });
    await engine().remove(id);
  });

  test("an init adopts orphans", async () => {
    // Signals reach an ended process until its parent has reaped it.
    const left = "(sleep 0.1 & echo $! > /tmp/pid); pid=$(cat /tmp/pid)";
    const isThere = "kill -0 $pid 2> /tmp/none";
    const script = `${left}; i=0; while ${isThere} && [ $i -lt 600 ]; do i=$((i+1)); sleep 0.09; done; echo $i`;
    const ended = await engine().run({ Cmd: ["sh", "-c", script], HostConfig: { Init: true } });
    expect(Number(ended.stdout)).toBeLessThan(600);
  });

  test("privileged: all capabilities, nothing masked, no labels", async () => {
    const id = await engine().create({ Cmd: ["sh", "-c", SHOW_RIGHTS], HostConfig: { Privileged: true } });
    const { HostConfig } = await engine().inspect<{ HostConfig: Json }>(id);
    const expected = { Privileged: true, MaskedPaths: null, ReadonlyPaths: null, SecurityOpt: ["label=disable"] };
    expect(HostConfig).toMatchObject(expected);
    // The reference requests capabilities that this machine may not have.
    if (kind !== "reference") {
      await engine().start(id);
      await engine().wait(id);
      const own = /^CapBnd:\s*(.*)$/m.exec(readFileSync("/proc/self/status", "utf8"))?.[1];
      const capabilities = kind === "simulated" ? "000001ffffffffff" : own;
      const shown = `CapEff:\t${capabilities}\nSeccomp:\t0\nwritten\n/sys is writable\n`;
      expect((await engine().logs(id)).stdout).toBe(shown);
    }
    await engine().remove(id);
  });

  testExcept(kind, { reference: REFERENCE.after141 })(
    "clients cannot set annotations that control runtimes",
    async () => {
      const create = (Annotations: Json, version = "1.43") =>
        engine().call("POST", "/containers/create", { ...SLEEPER, HostConfig: { Annotations } }, { version });
      for (const key of ["run.oci.seccomp_bpf_data", "run.oci.hooks.stdout", "org.systemd.property.After"]) {
        const answer = await create({ [key]: "x" });
        const text = `invalid Annotations: "${key}" is for OCI runtimes to obey`;
        expect([answer.status, messageOf(answer)]).toEqual([400, text]);
      }
      const empty = await create({ "": "x" });
      expect(messageOf(empty)).toBe("invalid Annotations: the empty string is not permitted as an annotation key");
      const made = (await create({ "com.example.a": "b" })).json<{ Id: string }>().Id;
      expect(await engine().inspect(made)).toMatchObject({ HostConfig: { Annotations: { "com.example.a": "b" } } });
      const listed = async (version: string) => {
        const found = await engine().read<{ Id: string; HostConfig: Json }[]>("/containers/json?all=1", { version });
        return found.find(({ Id }) => Id === made)?.HostConfig["Annotations"];
      };
      expect([await listed("1.45"), await listed("1.46")]).toEqual([undefined, { "com.example.a": "b" }]);
      await engine().start(made);
      if (kind === "linux") expect(toldToRuntime(made)).toMatchObject({ "com.example.a": "b" });
      await engine().remove(made);
      const before = (await create({ "run.oci.hooks.stdout": "x" }, "1.42")).json<{ Id: string }>().Id;
      expect((await engine().inspect<{ HostConfig: Json }>(before)).HostConfig).not.toHaveProperty("Annotations");
      await engine().remove(before);
    },
  );

  test("cgroup namespaces are private on cgroup v2, in every API version", async () => {
    const { CgroupVersion } = await engine().read<{ CgroupVersion: string }>("/info");
    for (const version of ["1.40", "1.41"]) {
      const { Id } = (await engine().must(201, "POST", "/containers/create", { Image: "busybox" }, { version })).json<{
        Id: string;
      }>();
      const { HostConfig } = await engine().inspect<{ HostConfig: Json }>(Id);
      expect([version, HostConfig["CgroupnsMode"]]).toEqual([version, CgroupVersion === "2" ? "private" : "host"]);
      await engine().remove(Id);
    }
  });

  testExcept(kind, { reference: REFERENCE.capabilities })(
    "Capabilities, which only 1.40 had, are refused there and unknown in other versions",
    async () => {
      const body = { Image: "busybox", HostConfig: { Capabilities: ["CAP_CHOWN"], DiskQuota: 7 } };
      const statuses = await Promise.all(
        ["1.25", "1.39", "1.40", "1.41"].map(async (version) => {
          const answer = await engine().call("POST", "/containers/create", body, { version });
          if (answer.status === 201) await engine().remove(answer.json<{ Id: string }>().Id);
          return answer.status;
        }),
      );
      expect(statuses).toEqual([501, 201, 400, 201]);
    },
  );

  /** Annotations in the config.json of its first run. */
  function toldToRuntime(id: string): Json {
    const { execRoot } = engine().daemon.directories;
    const config = join(execRoot, "containers", id, "runs", "1", "config.json");
    return (JSON.parse(readFileSync(config, "utf8")) as { annotations: Json }).annotations;
  }
});

/** Runs as long as the test needs it, because a runtime's files are gone after the run. */
const SLEEPER = { Image: "busybox", Cmd: ["sleep", "1000"] };

const SHOW_RIGHTS =
  "grep -E 'CapEff|Seccomp:' /proc/self/status; echo x > /proc/sys/kernel/domainname && echo written || echo refused; " +
  "mount | grep -q ' on /sys .*(rw' && echo /sys is writable";
