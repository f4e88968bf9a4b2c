// Containers on several networks: connected and disconnected before they start, and while they are running.
import { afterEach, expect, test } from "vitest";
import { REFERENCE } from "../support/allowed-skips.js";
import { COMMON_VERSION, messageOf, type Json } from "../support/engine-client.js";
import { onEngines, testExcept } from "../support/on-engines.js";
import { past, stamp } from "../support/past-events.js";

interface Endpoint {
  NetworkID: string;
  EndpointID: string;
  Gateway: string;
  IPAddress: string;
  Aliases: string[] | null;
}

interface Settings {
  Networks: Record<string, Endpoint>;
  Ports: Record<string, unknown>;
  IPAddress: string;
}

onEngines("several networks", (engine, kind) => {
  afterEach(async () => {
    await engine().must(200, "POST", "/networks/prune");
  });

  const make = async (Name: string, subnet?: string, more: Json = {}): Promise<string> => {
    const IPAM = subnet === undefined ? {} : { IPAM: { Config: [{ Subnet: subnet }] } };
    return (await engine().must(201, "POST", "/networks/create", { Name, ...IPAM, ...more })).json<{ Id: string }>().Id;
  };
  const asked = async (what: "connect" | "disconnect", network: string, body: Json) => {
    const answer = await engine().call("POST", `/networks/${network}/${what}`, body, { version: COMMON_VERSION });
    return [answer.status, answer.status === 200 ? answer.text : messageOf(answer)] as const;
  };
  const settingsOf = async (id: string): Promise<Settings> => {
    const answer = await engine().read<{ NetworkSettings: Settings }>(`/containers/${id}/json`, {
      version: COMMON_VERSION,
    });
    return answer.NetworkSettings;
  };
  const addressesOf = async (id: string): Promise<Record<string, string>> => {
    const { Networks } = await settingsOf(id);
    return Object.fromEntries(Object.entries(Networks).map(([name, { IPAddress }]) => [name, IPAddress]));
  };
  const hostsOf = async (id: string): Promise<string> => {
    const exec = { AttachStdout: true, Cmd: ["cat", "/etc/hosts"] };
    const { Id } = (await engine().must(201, "POST", `/containers/${id}/exec`, exec)).json<{ Id: string }>();
    return (await engine().must(200, "POST", `/exec/${Id}/start`, { Detach: false, Tty: false })).text;
  };
  const on = (network: string, config: Json = {}): Json => ({ ...config, HostConfig: { NetworkMode: network } });

  test("a running container is connected and disconnected at once", async () => {
    const [a, b] = [await make("net-a", "10.212.1.0/24"), await make("net-b", "10.212.2.0/24")];
    const id = await engine().running(on("net-a"));
    const since = await stamp(engine());
    expect(await asked("connect", "net-b", { Container: id, EndpointConfig: { Aliases: ["x"] } })).toEqual([200, ""]);
    expect(await addressesOf(id)).toEqual({ "net-a": "10.212.1.2", "net-b": "10.212.2.2" });
    const { Networks } = await settingsOf(id);
    expect(Networks["net-b"]).toMatchObject({ NetworkID: b, Gateway: "10.212.2.1" });
    expect(Networks["net-b"]!.Aliases).toContain("x");
    expect(await hostsOf(id)).toMatch(/^10\.212\.1\.2\t(.*\n)*10\.212\.2\.2\t/m);
    const { Containers } = await engine().read<{ Containers: Json }>("/networks/net-b");
    expect(Object.keys(Containers)).toEqual([id]);

    expect((await asked("connect", "net-b", { Container: id }))[0]).toBe(403);
    expect(await asked("disconnect", b.slice(0, 12), { Container: id })).toEqual([200, ""]);
    expect(await asked("disconnect", "net-b", { Container: id })).toEqual([
      500,
      `container ${id} is not connected to network net-b`,
    ]);
    expect(await addressesOf(id)).toEqual({ "net-a": "10.212.1.2" });
    expect(await hostsOf(id)).not.toContain("10.212.2.2");
    await engine().must(204, "DELETE", "/networks/net-b");
    const told = await past(engine(), since, { type: ["network"], network: [b], event: ["connect", "disconnect"] });
    expect(told.map(({ Action, Actor }) => [Action, Actor.ID, Actor.Attributes["container"]])).toEqual([
      ["connect", b, id],
      ["disconnect", b, id],
      ...engine().expected("disconnect-told-twice", [], [["disconnect", b, id]]),
    ]);
    expect(a).not.toBe(b);
    await engine().remove(id);
  });

  test("a container that is not running is connected when it starts", async () => {
    await make("net-a", "10.212.1.0/24");
    await make("net-b", "10.212.2.0/24");
    const id = await engine().create(on("net-a", { Cmd: ["sleep", "1000"] }));
    const fixed = { IPAMConfig: { IPv4Address: "10.212.2.77" } };
    expect(await asked("connect", "net-b", { Container: id, EndpointConfig: fixed })).toEqual([200, ""]);
    // A second request changes nothing.
    expect(await asked("connect", "net-b", { Container: id })).toEqual([200, ""]);
    expect(await addressesOf(id)).toEqual({ "net-a": "", "net-b": "" });
    await engine().start(id);
    expect(await addressesOf(id)).toEqual({ "net-a": "10.212.1.2", "net-b": "10.212.2.77" });
    await engine().must(204, "POST", `/containers/${id}/restart?t=0`);
    expect(await addressesOf(id)).toEqual({ "net-a": "10.212.1.2", "net-b": "10.212.2.77" });

    await engine().must(204, "POST", `/containers/${id}/kill`);
    await engine().wait(id);
    expect(await asked("disconnect", "net-a", { Container: id })).toEqual([200, ""]);
    expect(Object.keys((await settingsOf(id)).Networks)).toEqual(["net-b"]);
    await engine().start(id);
    expect(await addressesOf(id)).toEqual({ "net-b": "10.212.2.77" });
    await engine().remove(id);
  });

  test("a container that was disconnected from all its networks starts without, and can be connected", async () => {
    const id = await engine().create({ Cmd: ["sleep", "1000"] });
    expect(await asked("disconnect", "bridge", { Container: id })).toEqual([200, ""]);
    expect((await settingsOf(id)).Networks).toEqual({});
    await engine().start(id);
    expect(await settingsOf(id)).toMatchObject({ Networks: {}, IPAddress: "" });
    expect(await asked("connect", "bridge", { Container: id })).toEqual([200, ""]);
    expect((await settingsOf(id)).IPAddress).toMatch(/^172\./);
    await engine().remove(id);
  });

  test("a container without networks is taken off `none`, and is connected to another network", async () => {
    await make("net-a", "10.212.1.0/24");
    const id = await engine().running(on("none"));
    expect(await asked("disconnect", "none", { Container: id })).toEqual([200, ""]);
    expect(await asked("connect", "net-a", { Container: id })).toEqual([200, ""]);
    expect(await addressesOf(id)).toEqual({ "net-a": "10.212.1.2" });
    expect(await hostsOf(id)).toMatch(/^10\.212\.1\.2\t/m);
    await engine().must(204, "POST", `/containers/${id}/restart?t=0`);
    expect(await addressesOf(id)).toEqual({ "net-a": "10.212.1.2" });
    await engine().remove(id);
  });

  test("what cannot be connected changes nothing", async () => {
    await make("net-a", "10.212.1.0/24");
    await make("net-b", "10.212.2.0/24");
    const [id, other] = [await engine().running(on("net-a")), await engine().running(on("net-b"))];
    const refusal = async (EndpointConfig: Json) =>
      (await asked("connect", "net-b", { Container: id, EndpointConfig }))[0];
    const busy = { IPAMConfig: { IPv4Address: (await addressesOf(other))["net-b"] } };
    expect(await refusal(busy)).toBe(403);
    const outside = engine().expected("fixed-address-outside", 400, 500);
    expect(await refusal({ IPAMConfig: { IPv4Address: "10.213.0.2" } })).toBe(outside);
    expect((await asked("connect", "nosuch", { Container: id }))[0]).toBe(404);
    const networks = engine().expected("refused-connection-kept", ["net-a"], ["net-a", "net-b"]);
    expect(Object.keys(await addressesOf(id))).toEqual(networks);
    for (const one of [id, other]) await engine().remove(one);
  });

  test("published ports stay published while networks come and go", async () => {
    await make("net-a", "10.212.1.0/24");
    await make("net-z", "10.212.2.0/24");
    const config = { ExposedPorts: { "80/tcp": {} }, Cmd: ["sleep", "1000"] };
    const host = { NetworkMode: "net-z", PortBindings: { "80/tcp": [{ HostIp: "127.0.0.1", HostPort: "18082" }] } };
    const id = await engine().create({ ...config, HostConfig: host });
    await engine().start(id);
    const bound = { "80/tcp": [{ HostIp: "127.0.0.1", HostPort: "18082" }] };
    expect((await settingsOf(id)).Ports).toEqual(bound);
    // The first network by name leads outside.
    expect(await asked("connect", "net-a", { Container: id })).toEqual([200, ""]);
    expect((await settingsOf(id)).Ports).toEqual(bound);
    expect(await asked("disconnect", "net-z", { Container: id })).toEqual([200, ""]);
    expect((await settingsOf(id)).Ports).toEqual(bound);
    await engine().remove(id);
  });

  test("a container connected to an internal network only publishes nothing", async () => {
    await make("net-a", "10.212.1.0/24");
    await make("net-i", "10.212.3.0/24", { Internal: true });
    const id = await engine().running(on("net-a"));
    expect(await asked("connect", "net-i", { Container: id })).toEqual([200, ""]);
    expect(await asked("disconnect", "net-a", { Container: id })).toEqual([200, ""]);
    expect(await addressesOf(id)).toEqual({ "net-i": "10.212.3.2" });
    await engine().remove(id);
  });

  testExcept(kind, { reference: REFERENCE.after141 })("create takes several networks", async () => {
    await make("net-a", "10.212.1.0/24");
    await make("net-b", "10.212.2.0/24");
    const EndpointsConfig = { "net-b": { IPAMConfig: { IPv4Address: "10.212.2.9" } }, "net-a": { Aliases: ["y"] } };
    const body = {
      Cmd: ["sleep", "1000"],
      HostConfig: { NetworkMode: "net-a" },
      NetworkingConfig: { EndpointsConfig },
    };
    const before = await engine().call("POST", "/containers/create", body, { version: "1.43" });
    expect([before.status, messageOf(before)]).toEqual([
      400,
      "Container cannot be created with multiple network endpoints: net-a, net-b",
    ]);
    const made = await engine().must(
      201,
      "POST",
      "/containers/create",
      { Image: "busybox", ...body },
      { version: "1.44" },
    );
    const { Id: id } = made.json<{ Id: string }>();
    await engine().start(id);
    expect(await addressesOf(id)).toEqual({ "net-a": "10.212.1.2", "net-b": "10.212.2.9" });
    for (const network of ["net-a", "net-b"]) {
      const filters = encodeURIComponent(JSON.stringify({ network: [network] }));
      expect(await engine().read(`/containers/json?filters=${filters}`)).toMatchObject([{ Id: id }]);
    }
    await engine().remove(id);
  });
});
