// A container on another container's network: what they share, which options conflict, and when it is unavailable.
import { afterAll, beforeAll, expect, test } from "vitest";
import { messageOf, type Json } from "../support/engine-client.js";
import { onEngines } from "../support/on-engines.js";

onEngines("a joined network", (engine) => {
  let owner = "";
  beforeAll(async () => {
    const HostConfig = { Dns: ["192.0.2.53"], ExtraHosts: ["elsewhere:192.0.2.7"] };
    owner = await engine().running({ Hostname: "shared", HostConfig }, "?name=owner");
  });
  afterAll(async () => engine().remove(owner));

  const joining = (name: string): Json => ({ HostConfig: { NetworkMode: `container:${name}` } });

  test("its name becomes the id, and it has no other network settings", async () => {
    for (const name of ["owner", owner, owner.slice(0, 12)]) {
      const id = await engine().running(joining(name));
      const inspected = await engine().inspect(id);
      expect(inspected).toMatchObject({
        Config: { Hostname: "shared" },
        HostConfig: { NetworkMode: `container:${owner}` },
        NetworkSettings: { Networks: {}, IPAddress: "", EndpointID: "", Ports: {} },
      });
      const filters = encodeURIComponent(JSON.stringify({ id: [id] }));
      expect(await engine().read(`/containers/json?filters=${filters}`)).toMatchObject([
        { HostConfig: { NetworkMode: `container:${owner}` }, NetworkSettings: { Networks: {} }, Ports: [] },
      ]);
      await engine().remove(id);
    }
  });

  test("it has the other container's names, DNS servers and interfaces", async () => {
    const { NetworkSettings } = await engine().read<{ NetworkSettings: { IPAddress: string } }>(
      `/containers/${owner}/json`,
    );
    const show = "hostname; cat /etc/hostname /etc/hosts /etc/resolv.conf; ls /sys/class/net";
    const { stdout, code } = await engine().run({ ...joining("owner"), Cmd: ["sh", "-c", show] });
    expect(code).toBe(0);
    expect(stdout).toMatch(/^shared\nshared\n/);
    expect(stdout).toContain(`${NetworkSettings.IPAddress}\tshared\n`);
    expect(stdout).toContain("192.0.2.7\telsewhere\n");
    expect(stdout).toContain("nameserver 192.0.2.53\n");
    expect(stdout).toMatch(/\neth0\nlo\n$/);
  });

  test("one container reaches the other's listeners at 127.0.0.1", async () => {
    const server = await engine().running({
      ...joining("owner"),
      Cmd: ["sh", "-c", "while true; do echo served | nc -l -p 7001; done"],
    });
    const Cmd = ["sh", "-c", "until nc 127.0.0.1 7001 </dev/null; do sleep 0.1; done"];
    expect((await engine().run({ ...joining("owner"), Cmd })).stdout).toBe("served\n");
    expect((await engine().run({ ...joining(server), Cmd })).stdout).toBe("served\n");
    await engine().remove(server);
  });

  test("a stopped container, a missing one, itself", async () => {
    const ended = await engine().create({ Cmd: ["true"] }, "?name=ended");
    expect(await startOf("ended")).toEqual([409, `cannot join network of a non running container: ${ended}`]);
    await engine().remove(ended);
    expect(await startOf("nobody-there")).toEqual([404, "No such container: nobody-there"]);
    expect(await startOf("narcissus", "?name=narcissus")).toEqual([500, "cannot join own network"]);
  });

  test("it keeps running when the other ends, and cannot be started again", async () => {
    const other = await engine().running({}, "?name=passing");
    const id = await engine().running(joining("passing"));
    await engine().must(204, "POST", `/containers/${other}/kill`);
    await engine().wait(other);
    expect(await engine().inspect(id)).toMatchObject({ State: { Running: true } });
    await engine().must(204, "POST", `/containers/${id}/kill`);
    await engine().wait(id);
    const answer = await engine().call("POST", `/containers/${id}/start`);
    expect(messageOf(answer)).toBe(`cannot join network of a non running container: ${other}`);
    await engine().must(204, "POST", `/containers/${other}/start`);
    await engine().must(204, "POST", `/containers/${id}/start`);
    for (const one of [id, other]) await engine().remove(one);
  });

  test.each<[Json, string]>([
    [{ Hostname: "mine" }, "hostname and the network mode"],
    [{ HostConfig: { Dns: ["192.0.2.1"] } }, "dns and the network mode"],
    [{ HostConfig: { ExtraHosts: ["a:192.0.2.1"] } }, "custom host-to-IP mapping and the network mode"],
    [
      { HostConfig: { Links: ["owner:o"] } },
      "container type network can't be used with links. This would result in undefined behavior",
    ],
    [
      { HostConfig: { PortBindings: { "80/tcp": [{ HostPort: "8080" }] } } },
      "port publishing and the container type network mode",
    ],
    [{ HostConfig: { PublishAllPorts: true } }, "port publishing and the container type network mode"],
    [{ ExposedPorts: { "80/tcp": {} } }, "port exposing and the container type network mode"],
  ])("%j conflicts with it", async (config, text) => {
    const HostConfig = { NetworkMode: "container:owner", ...(config["HostConfig"] as Json | undefined) };
    const body = { Image: "busybox", Cmd: ["true"], ...config, HostConfig };
    const answer = await engine().call("POST", "/containers/create", body);
    expect([answer.status, messageOf(answer)]).toEqual([400, `conflicting options: ${text}`]);
  });

  test("a mode that names no container", async () => {
    for (const NetworkMode of ["container:", "container"]) {
      const answer = await engine().call("POST", "/containers/create", {
        Image: "busybox",
        HostConfig: { NetworkMode },
      });
      const text = "invalid network mode: invalid container format container:<name|id>";
      expect([answer.status, messageOf(answer).toLowerCase()]).toEqual([400, text]);
    }
  });

  async function startOf(name: string, query = ""): Promise<[number, string]> {
    const id = await engine().create({ ...joining(name), Cmd: ["true"] }, query);
    const answer = await engine().call("POST", `/containers/${id}/start`);
    const { State } = await engine().inspect(id);
    expect(State).toMatchObject({ Status: "created", ExitCode: 128, Error: messageOf(answer) });
    await engine().remove(id);
    return [answer.status, messageOf(answer)];
  }
});
