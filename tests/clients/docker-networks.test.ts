// The docker CLI, unchanged: its commands for networks and volumes, and `system prune` and `system df`.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { REFERENCE } from "../support/allowed-skips.js";
import { onEngines } from "../support/on-engines.js";
import { DOCKER_MISSING, DockerCli } from "./docker.js";

onEngines(
  "docker network and volume",
  (engine, kind) => {
    let config = "";
    beforeAll(async () => {
      config = await mkdtemp(join(tmpdir(), "coracle-cli-"));
    });
    afterAll(async () => rm(config, { recursive: true, force: true }));
    const well = (...args: string[]): Promise<string> => docker().well(...args);

    test("network create, ls, inspect and rm, with their options", async () => {
      const place = ["--subnet", "10.209.0.0/16", "--ip-range", "10.209.5.0/24", "--gateway", "10.209.5.254"];
      const aux = [
        "--aux-address",
        "router=10.209.5.1",
        "--label",
        "of=cli",
        "-o",
        "com.docker.network.driver.mtu=1400",
      ];
      const id = (await well("network", "create", "--internal", "--attachable", ...place, ...aux, "cli-net")).trim();
      expect(id).toMatch(/^[0-9a-f]{64}$/);
      const [shown] = JSON.parse(await well("network", "inspect", "cli-net")) as Record<string, unknown>[];
      const { Created, ...facts } = shown!;
      expect(Created).toMatch(/^\d{4}-/);
      const Config = [{ Subnet: "10.209.0.0/16", IPRange: "10.209.5.0/24", Gateway: "10.209.5.254" }];
      expect(facts).toMatchObject({
        ...{ Name: "cli-net", Id: id, Scope: "local", Driver: "bridge", EnableIPv6: false },
        IPAM: { Driver: "default", Config: [{ ...Config[0], AuxiliaryAddresses: { router: "10.209.5.1" } }] },
        ...{ Internal: true, Attachable: true, Ingress: false, ConfigOnly: false, Containers: {} },
        ...{ Options: { "com.docker.network.driver.mtu": "1400" }, Labels: { of: "cli" } },
      });
      const listed = [
        "network",
        "ls",
        "--format",
        "{{.ID}} {{.Name}} {{.Driver}} {{.Scope}} {{.Internal}} {{.Labels}}",
      ];
      expect(await well(...listed, "-f", "label=of")).toBe(`${id.slice(0, 12)} cli-net bridge local true of=cli\n`);
      expect(await well("network", "ls", "-q", "--no-trunc", "-f", "name=cli-")).toBe(`${id}\n`);
      expect(await well("network", "ls", "-q", "-f", "driver=bridge", "-f", "type=custom")).toBe(
        `${id.slice(0, 12)}\n`,
      );
      expect(await fails("network", "create", "cli-net")).toContain("network with name cli-net already exists");
      expect(await fails("network", "rm", "bridge")).toContain("bridge is a pre-defined network and cannot be removed");
      expect(await fails("network", "inspect", "nothing")).toMatch(
        /network nothing not found|No such network: nothing/i,
      );
      expect(await well("network", "rm", "cli-net")).toBe("cli-net\n");
      expect((await docker().run("network", "rm", "-f", "cli-net")).code).toBe(0);
    });

    test("network connect and disconnect; a network in use", async () => {
      await well("network", "create", "--subnet", "10.209.0.0/24", "cli-net");
      await well("run", "-d", "--name", "joined", "busybox", "sleep", "1000");
      await well("network", "connect", "--ip", "10.209.0.9", "--alias", "other", "cli-net", "joined");
      const networks = async (): Promise<string[]> => {
        const format = "{{range $name, $at := .NetworkSettings.Networks}}{{$name}} {{end}}";
        return (await well("inspect", "-f", format, "joined")).trim().split(" ");
      };
      expect(await networks()).toEqual(["bridge", "cli-net"]);
      const address = '{{(index .NetworkSettings.Networks "cli-net").IPAddress}}';
      expect(await well("inspect", "-f", address, "joined")).toBe("10.209.0.9\n");
      const members = "{{range .Containers}}{{.Name}} {{.IPv4Address}}{{end}}";
      expect(await well("network", "inspect", "-f", members, "cli-net")).toBe("joined 10.209.0.9/24\n");
      expect(await well("ps", "-q", "-f", "network=cli-net")).toHaveLength(13);
      expect(await fails("network", "connect", "cli-net", "joined")).toContain("already exists in network cli-net");
      expect(await fails("network", "rm", "cli-net")).toContain("has active endpoints");
      expect(await fails("network", "connect", "host", "joined")).toContain("host");
      expect(await well("network", "disconnect", "bridge", "joined")).toBe("");
      expect(await networks()).toEqual(["cli-net"]);
      expect(await fails("network", "disconnect", "bridge", "joined")).toContain("is not connected to network bridge");
      await well("network", "disconnect", "-f", "cli-net", "joined");
      await well("rm", "-f", "joined");
      expect(await well("network", "prune", "-f")).toBe("Deleted Networks:\ncli-net\n\n");
      expect(await well("network", "prune", "-f", "--filter", "label=nothing")).toBe("");
    });

    test("networks of other kinds, and what a list shows of them", async () => {
      const id = async (...args: string[]): Promise<string> => (await well("network", "create", ...args)).trim();
      await id("--config-only", "--subnet", "10.210.0.0/24", "--ipv6", "--subnet", "fd00:210::/64", "cli-config");
      const from = await id("--config-from", "cli-config", "--scope", "local", "cli-from");
      const pool = "{{.EnableIPv6}}{{range .IPAM.Config}} {{.Subnet}}{{end}} {{.ConfigFrom.Network}}";
      expect(await well("network", "inspect", "-f", pool, "cli-from")).toBe(
        "true 10.210.0.0/24 fd00:210::/64 cli-config\n",
      );
      await id("--ipam-driver", "default", "--ipam-opt", "of=cli", "-d", "bridge", "cli-driver");
      const ipam = "{{.IPAM.Driver}} {{.IPAM.Options}}";
      expect(await well("network", "inspect", "-v", "-f", ipam, "cli-driver")).toBe("default map[of:cli]\n");
      const list = async (...filters: string[]): Promise<string[]> => {
        const asked = filters.flatMap((filter) => ["-f", filter]);
        return (await well("network", "ls", "--format", "{{.Name}}", ...asked)).trim().split("\n");
      };
      expect(await list(`id=${from}`)).toEqual(["cli-from"]);
      expect(await list("scope=local", "name=cli-")).toEqual(["cli-config", "cli-driver", "cli-from"]);
      expect(await list("dangling=true", "driver=bridge")).toEqual(["cli-driver", "cli-from"]);
      expect(await list("type=builtin")).toEqual(["bridge", "host", "none"]);
      expect(await fails("network", "create", "-d", "overlay", "cli-over")).toMatch(/swarm/);
      expect(await fails("network", "create", "-d", "nothing", "cli-none")).toContain('plugin "nothing" not found');
      expect(await fails("network", "create", "--config-from", "cli-none", "cli-x")).toContain("cli-none");
      // Nobody is asked to wait for an hour.
      expect(await well("network", "prune", "-f", "--filter", "until=1h")).toBe("");
      const removed = await well("network", "rm", "cli-from", "cli-config", "cli-driver");
      expect(removed).toBe("cli-from\ncli-config\ncli-driver\n");
    });

    test("endpoints with all options, at run and at connect", async () => {
      await well("network", "create", "--subnet", "10.209.0.0/24", "--ipv6", "--subnet", "fd00:209::/64", "cli-net");
      const place = ["--ip", "10.209.0.8", "--ip6", "fd00:209::8", "--network-alias", "first"];
      await well("run", "-d", "--name", "first", "--network", "cli-net", ...place, "busybox", "sleep", "1000");
      await well("run", "-d", "--name", "joined", "busybox", "sleep", "1000");
      const options = ["--ip6", "fd00:209::9", "--link", "first:linked", "--link-local-ip", "169.254.9.9"];
      await well("network", "connect", ...options, "--driver-opt", "of=cli", "cli-net", "joined");
      const at = '{{with index .NetworkSettings.Networks "cli-net"}}';
      const wish = "{{.GlobalIPv6Address}} {{.Links}} {{.IPAMConfig.LinkLocalIPs}} {{.DriverOpts}}{{end}}";
      expect(await well("inspect", "-f", at + wish, "joined")).toBe(
        "fd00:209::9 [first:linked] [169.254.9.9] map[of:cli]\n",
      );
      const first = "{{.IPAddress}} {{.GlobalIPv6Address}} {{.IPAMConfig.IPv4Address}}{{end}}";
      expect(await well("inspect", "-f", at + first, "first")).toBe("10.209.0.8 fd00:209::8 10.209.0.8\n");
      expect(await well("exec", "joined", "nslookup", "linked")).toContain("10.209.0.8");
      const spec = "name=cli-net,ip=10.209.0.7,alias=long";
      await well("run", "-d", "--name", "long", "--network", spec, "busybox", "sleep", "1000");
      expect(await well("exec", "joined", "nslookup", "long")).toContain("10.209.0.7");
      await well("rm", "-f", "first", "joined", "long");
      expect(await answers("n\n", "network", "prune")).not.toContain("Deleted");
      expect(await answers("y\n", "network", "prune")).toContain("Deleted Networks:\ncli-net\n");
    });

    test("several networks at run, the gateway's priority, and a network without IPv4", async (context) => {
      if (kind === "reference") return context.skip(REFERENCE.after141);
      await well("network", "create", "--ipv4=false", "--ipv6", "cli-six");
      await well("network", "create", "--subnet", "10.209.0.0/24", "cli-net");
      expect(await well("network", "inspect", "-f", "{{.EnableIPv4}} {{.EnableIPv6}}", "cli-six")).toBe("false true\n");
      await well("network", "create", "--subnet", "10.211.0.0/24", "cli-other");
      const both = ["--network", "name=cli-net,ip=10.209.0.7,alias=one", "--network", "name=cli-other,gw-priority=2"];
      await well("run", "-d", "--name", "joined", ...both, "busybox", "sleep", "1000");
      // The simulated busybox has no `ip`.
      const way = (): Promise<string> => well("exec", "joined", "ip", "route", "show", "default");
      if (kind === "linux") expect(await way()).toContain("10.211.0.1");
      await well("network", "disconnect", "cli-net", "joined");
      await well("network", "connect", "--gw-priority", "3", "cli-net", "joined");
      if (kind === "linux") expect(await way()).toContain("10.209.0.1");
      const priority = '{{(index .NetworkSettings.Networks "cli-net").GwPriority}}';
      expect(await well("inspect", "-f", priority, "joined")).toBe("3\n");
      await well("rm", "-f", "joined");
      expect(await well("network", "rm", "cli-six", "cli-net", "cli-other")).toBe("cli-six\ncli-net\ncli-other\n");
    });

    test("volume create, ls, inspect, rm and prune", async () => {
      const options = ["-o", "type=tmpfs", "-o", "device=tmpfs", "-o", "o=size=1m", "--label", "of=cli"];
      expect(await well("volume", "create", ...options, "cli-volume")).toBe("cli-volume\n");
      expect(await well("volume", "create", "cli-other")).toBe("cli-other\n");
      const [shown] = JSON.parse(await well("volume", "inspect", "cli-volume")) as Record<string, unknown>[];
      expect(shown).toMatchObject({
        ...{ Name: "cli-volume", Driver: "local", Scope: "local", Labels: { of: "cli" } },
        Options: { type: "tmpfs", device: "tmpfs", o: "size=1m" },
      });
      const listed = ["volume", "ls", "--format", "{{.Driver}} {{.Name}}", "-f"];
      expect(await well(...listed, "name=cli-")).toBe("local cli-other\nlocal cli-volume\n");
      expect(await well(...listed, "label=of=cli")).toBe("local cli-volume\n");
      await well("run", "--name", "user", "-v", "cli-volume:/x", "-v", "/anonymous", "busybox", "true");
      expect(await well(...listed, "dangling=true")).toBe("local cli-other\n");
      expect(await fails("volume", "rm", "cli-volume")).toMatch(/volume is in use - \[[0-9a-f]{64}\]/);
      expect(await fails("volume", "inspect", "nothing")).toMatch(/no such volume/i);
      await well("rm", "-v", "user");
      expect(await well("volume", "rm", "cli-volume")).toBe("cli-volume\n");
      expect((await docker().run("volume", "rm", "-f", "cli-volume")).code).toBe(0);
      // Below version 1.42, named volumes are pruned, too.
      const all = kind === "reference" ? [] : ["--all"];
      expect(await well("volume", "prune", "-f", ...all)).toBe(
        "Deleted Volumes:\ncli-other\n\nTotal reclaimed space: 0B\n",
      );
    });

    test("system df and system prune", async () => {
      await well("network", "create", "cli-net");
      await well("run", "--name", "ended", "-v", "cli-volume:/x", "busybox", "sh", "-c", "echo one > /one");
      const counted = ["system", "df", "--format", "{{.Type}} {{.TotalCount}} {{.Active}}"];
      expect(await well(...counted)).toBe("Images 1 1\nContainers 1 0\nLocal Volumes 1 1\nBuild Cache 0 0\n");
      const said = await well("system", "prune", "-f", "--volumes");
      expect(said).toMatch(/^Deleted Containers:\n[0-9a-f]{64}\n\nDeleted Networks:\ncli-net\n\n/);
      expect(said).toMatch(/Total reclaimed space: [\d.]+k?B\n$/);
      expect(await well("ps", "-aq")).toBe("");
      expect(await well("network", "ls", "-q", "-f", "type=custom")).toBe("");
      await docker().run("volume", "rm", "-f", "cli-volume");
    });

    test("prunes that ask first, and with filters; what only a swarm has", async () => {
      await well("volume", "create", "--label", "of=cli", "cli-kept");
      const nameless = (await well("volume", "create", "-d", "local")).trim();
      expect(await answers("n\n", "volume", "prune")).not.toContain("Deleted");
      expect((await well("volume", "ls", "-q", "-f", "driver=local")).split("\n")).toContain(nameless);
      expect(await well("volume", "ls", "-q", "-f", "driver=nothing")).toBe("");
      expect(await well("volume", "prune", "-f", "--filter", "label=nothing")).not.toContain("Deleted");
      expect(await well("volume", "prune", "-f", "--filter", "label!=of=cli")).toContain(nameless);
      expect(await well("volume", "ls", "-q", "-f", "name=cli-")).toBe("cli-kept\n");
      await well("network", "create", "--label", "of=cli", "cli-net");
      expect(await answers("n\n", "system", "prune")).not.toContain("Deleted");
      expect(await well("system", "prune", "-f", "--filter", "label!=of=cli")).not.toContain("cli-net");
      expect(await well("system", "prune", "-f", "--filter", "label=of=cli")).toContain("Deleted Networks:\ncli-net\n");
      expect(await well("volume", "ls", "-q", "-f", "name=cli-")).toBe("cli-kept\n");
      expect((await docker().run("volume", "update", "--availability", "pause", "cli-kept")).code).toBe(1);
      await well("volume", "rm", "cli-kept");
    });

    function docker(): DockerCli {
      return new DockerCli(engine().socketPath, config);
    }

    /** What it says when somebody types an answer. */
    async function answers(typed: string, ...args: string[]): Promise<string> {
      return (await docker().runWith(typed, ...args)).stdout;
    }

    /** Standard error of a command that must fail. */
    async function fails(...args: string[]): Promise<string> {
      const { code, stderr } = await docker().run(...args);
      expect([args, code]).toEqual([args, 1]);
      return stderr;
    }
  },
  { missing: DOCKER_MISSING },
);
