// The docker CLI, unchanged, with macvlan and ipvlan networks: containers on an interface of the machine.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { REFERENCE } from "../support/allowed-skips.js";
import { run, type Finished } from "../support/commands.js";
import { onEngines } from "../support/on-engines.js";
import { DOCKER_MISSING, DockerCli } from "./docker.js";

onEngines(
  "docker and networks on a parent",
  (engine, kind) => {
    // Every network namespace of an engine under test has it.
    const parent = kind === "simulated" ? "eth0" : "up0";
    const subnet = ["--subnet", "10.216.0.0/24", "--gateway", "10.216.0.1"];
    let config = "";
    beforeAll(async () => {
      config = await mkdtemp(join(tmpdir(), "coracle-cli-"));
    });
    afterEach(async () => {
      const all = (await well("ps", "-aq")).split("\n").filter((id) => id !== "");
      if (all.length > 0) await well("rm", "-f", ...all);
      await well("network", "prune", "-f");
    });
    afterAll(async () => rm(config, { recursive: true, force: true }));

    const well = (...args: string[]): Promise<string> => docker().well(...args);
    const create = (driver: string, options: string[], ...more: string[]): Promise<string> =>
      well("network", "create", "-d", driver, ...options.flatMap((option) => ["-o", option]), ...more);
    const sleeper = (name: string, ...more: string[]): Promise<string> =>
      well("run", "-d", "--name", name, ...more, "busybox", "sleep", "1000");

    test("macvlan: containers reach each other by address and name", async () => {
      await create("macvlan", [`parent=${parent}`, "macvlan_mode=bridge"], ...subnet, "cli-lan");
      const facts = '{{.Driver}} {{.Internal}} {{index .Options "parent"}} {{index .Options "macvlan_mode"}}';
      expect(await well("network", "inspect", "-f", facts, "cli-lan")).toBe(`macvlan false ${parent} bridge\n`);
      expect(await well("network", "ls", "-f", "driver=macvlan", "--format", "{{.Name}} {{.Scope}}")).toBe(
        "cli-lan local\n",
      );
      await sleeper("first", "--network", "cli-lan", "--ip", "10.216.0.9", "-p", "18650:80");
      await sleeper("second", "--network", "cli-lan", "--network-alias", "other");
      expect(await pings("first", "other")).toBe(true);
      expect(await pings("second", "10.216.0.9")).toBe(true);
      // A published port of such a network leads nowhere.
      expect(await well("port", "first")).toBe("");
      const place = '{{with index .NetworkSettings.Networks "cli-lan"}}{{.IPAddress}} {{.Gateway}}{{end}}';
      expect(await well("inspect", "-f", place, "second")).toBe("10.216.0.2 10.216.0.1\n");
      expect(await fails("network", "rm", "cli-lan")).toContain("has active endpoints");
    });

    test("macvlan: a running container comes, and goes again", async () => {
      await create("macvlan", [`parent=${parent}`], ...subnet, "cli-lan");
      await sleeper("first", "--network", "cli-lan");
      await sleeper("second");
      expect(await pings("second", "10.216.0.2", "1")).toBe(false);
      await well("network", "connect", "--ip", "10.216.0.7", "cli-lan", "second");
      expect(await pings("second", "first")).toBe(true);
      expect(await pings("first", "10.216.0.7")).toBe(true);
      await well("network", "disconnect", "cli-lan", "second");
      expect(await pings("first", "10.216.0.7", "1")).toBe(false);
    });

    test("macvlan: the mode private keeps containers apart", async () => {
      await create("macvlan", [`parent=${parent}`, "macvlan_mode=private"], ...subnet, "cli-lan");
      await sleeper("first", "--network", "cli-lan");
      await sleeper("second", "--network", "cli-lan");
      expect(await pings("second", "10.216.0.2", "1")).toBe(false);
      expect(await pings("second", "10.216.0.3")).toBe(true);
    });

    test("VLAN 50 of an interface, or what the kernel says", async () => {
      const made = await attempt(
        "network",
        "create",
        "-d",
        "macvlan",
        "-o",
        `parent=${parent}.50`,
        ...subnet,
        "cli-lan",
      );
      if (made.code !== 0) return expect(made.stderr).toMatch(/failed to create .*50.*: operation not supported/);
      await sleeper("first", "--network", "cli-lan");
      await sleeper("second", "--network", "cli-lan");
      expect(await pings("second", "first")).toBe(true);
      if (kind === "simulated") return;
      const links = async (): Promise<string> => (await run(netns(["ip", "-br", "link"]))).stdout;
      expect(await links()).toContain(`${parent}.50@`);
      await well("rm", "-f", "first", "second");
      await well("network", "rm", "cli-lan");
      expect(await links()).not.toContain(`${parent}.50@`);
    });

    test.for(["l2", "l3", "l3s"])("ipvlan in the mode %s, or what the kernel says", async (mode, context) => {
      if (mode === "l3s" && kind === "reference") return context.skip(REFERENCE.after141);
      await create("ipvlan", [`parent=${parent}`, `ipvlan_mode=${mode}`], ...subnet, "cli-lan");
      const facts = '{{.Driver}} {{index .Options "ipvlan_mode"}}';
      expect(await well("network", "inspect", "-f", facts, "cli-lan")).toBe(`ipvlan ${mode}\n`);
      const ran = await attempt("run", "-d", "--name", "first", "--network", "cli-lan", "busybox", "sleep", "1000");
      if (ran.code !== 0) return expect([ran.code, ran.stderr]).toEqual([125, expect.stringMatching(UNSUPPORTED)]);
      await sleeper("second", "--network", "cli-lan");
      expect(await pings("second", "first")).toBe(true);
      if (kind === "simulated") return;
      const hardware = await well("exec", "first", "cat", "/sys/class/net/eth0/address");
      expect(await well("exec", "second", "cat", "/sys/class/net/eth0/address")).toBe(hardware);
    });

    test("what cannot be made is refused", async () => {
      const refused = async (driver: string, option: string): Promise<string> =>
        fails("network", "create", "-d", driver, "-o", option, ...subnet, "cli-lan");
      expect(await refused("macvlan", "macvlan_mode=zz")).toContain("requested macvlan mode 'zz' is not valid");
      expect(await refused("ipvlan", "ipvlan_mode=zz")).toContain("requested ipvlan mode 'zz' is not valid");
      expect(await refused("macvlan", "parent=lo")).toContain("loopback interface is not a valid macvlan parent link");
      expect(await refused("ipvlan", "parent=none.10")).toContain(
        "-o parent interface was not found on the host: none",
      );
      expect(await well("network", "ls", "-q", "-f", "name=cli-")).toBe("");
    });

    /** `seconds`: how long it waits for the answer, at most. */
    async function pings(container: string, address: string, seconds = "20"): Promise<boolean> {
      return (await attempt("exec", container, "ping", "-c", "1", "-W", seconds, address)).code === 0;
    }

    function docker(): DockerCli {
      return new DockerCli(engine().socketPath, config);
    }

    function attempt(...args: string[]): Promise<Finished> {
      return docker().run(...args);
    }

    /** Standard error of a command that must fail. */
    async function fails(...args: string[]): Promise<string> {
      const { code, stderr } = await attempt(...args);
      expect([args, code]).toEqual([args, 1]);
      return stderr;
    }

    function netns(command: string[]): string[] {
      return engine().daemon.netns.inside(command);
    }
  },
  { missing: DOCKER_MISSING },
);

const UNSUPPORTED = /operation not supported/;
