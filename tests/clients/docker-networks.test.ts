// The docker CLI, unchanged: its commands for networks and volumes, and `system prune` and `system df`.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
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

    function docker(): DockerCli {
      return new DockerCli(engine().socketPath, config);
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
