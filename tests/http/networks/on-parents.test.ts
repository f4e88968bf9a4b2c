// macvlan and ipvlan networks, whose containers are on an interface of the machine.
import { afterEach, expect, test } from "vitest";
import { REFERENCE } from "../../support/allowed-skips.js";
import { COMMON_VERSION, messageOf, type Json } from "../../support/engine-client.js";
import { onEngines, testExcept } from "../../support/on-engines.js";

interface Settings {
  Ports: Json;
  Networks: Record<string, { Gateway: string; IPAddress: string; MacAddress: string }>;
}

onEngines("networks on a parent", (engine, kind) => {
  // Every network namespace of an engine under test has it.
  const parent = kind === "simulated" ? "eth0" : "up0";
  const config = [{ Subnet: "10.216.0.0/24", Gateway: "10.216.0.1" }];

  afterEach(async () => {
    await engine().must(200, "POST", "/networks/prune");
  });

  const asked = async (method: string, path: string, body?: Json): Promise<readonly [number, string]> => {
    const answer = await engine().call(method, path, body, { version: COMMON_VERSION });
    return [answer.status, answer.status < 300 ? "" : messageOf(answer)];
  };
  const create = (driver: string, Options: Json, more: Json = {}): Promise<readonly [number, string]> =>
    asked("POST", "/networks/create", { Name: "other", Driver: driver, Options, ...more });
  const make = async (driver: string, Options: Json): Promise<void> => {
    const body = { Name: "lan", Driver: driver, Options, IPAM: { Config: config } };
    expect(await asked("POST", "/networks/create", body)).toEqual([201, ""]);
  };
  const settingsOf = async (id: string): Promise<Settings> => {
    const container = await engine().inspect<{ NetworkSettings: Settings }>(id, { version: COMMON_VERSION });
    return container.NetworkSettings;
  };

  test("they are shown as they were asked for, and removed", async () => {
    for (const [driver, modes] of Object.entries({ macvlan: ["bridge", "vepa", "passthru"], ipvlan: ["l2", "l3"] })) {
      for (const mode of modes) {
        const Options = { parent, [`${driver}_mode`]: mode, unknown: "kept" };
        await make(driver, Options);
        const shown = await engine().read("/networks/lan", { version: COMMON_VERSION });
        expect(shown).toMatchObject({ Driver: driver, Options, Internal: false, IPAM: { Config: config } });
        expect(await asked("DELETE", "/networks/lan")).toEqual([204, ""]);
      }
    }
  });

  test("options that Docker does not accept", async () => {
    for (const [driver, usual] of [
      ["macvlan", "bridge"],
      ["ipvlan", "l2"],
    ] as const) {
      const mode = `requested ${driver} mode 'zz' is not valid, '${usual}' mode is the ${driver} driver default`;
      expect(await create(driver, { parent, [`${driver}_mode`]: "zz" })).toEqual([500, mode]);
      const loopback = `loopback interface is not a valid ${driver} parent link`;
      expect(await create(driver, { parent: "lo" })).toEqual([500, loopback]);
    }
    const refusals: Readonly<Record<string, string>> = {
      none: "invalid subinterface vlan name none, example formatting is eth0.10",
      "none.10": "-o parent interface was not found on the host: none",
      "a-name-of-16-unit": "invalid subinterface vlan name a-name-of-16-unit, example formatting is eth0.10",
      [`${parent}.x`]: "unable to parse a valid vlan id from: x (ex. eth0.10 for vlan 10)",
      [`${parent}.4095`]: "vlan id must be between 1-4094, received: 4095",
      [`${parent}.1.2`]: `required interface name format is: name.vlan_id, ex. eth0.10 for vlan 10, instead received ${parent}.1.2`,
    };
    for (const [name, text] of Object.entries(refusals)) {
      expect([name, await create("ipvlan", { parent: name })]).toEqual([name, [500, text]]);
    }
    expect((await asked("GET", "/networks/other"))[0]).toBe(404);
  });

  testExcept(kind, { reference: REFERENCE.after141 })(
    "none of the engine's addresses: DHCP may give some",
    async () => {
      const body = { Name: "lan", Driver: "macvlan", Options: { parent }, EnableIPv4: false };
      expect((await engine().call("POST", "/networks/create", body, { version: "1.48" })).status).toBe(201);
      const shown = await engine().read("/networks/lan", { version: "1.48" });
      expect(shown).toMatchObject({ EnableIPv4: false, EnableIPv6: false, IPAM: { Config: [] } });
      const id = await engine().running({ HostConfig: { NetworkMode: "lan" } });
      const { Networks } = await settingsOf(id);
      const place = {
        IPAddress: "",
        GlobalIPv6Address: "",
        Gateway: "",
        MacAddress: expect.stringMatching(/^06(:..){5}$/),
      };
      expect(Networks["lan"]).toMatchObject(place);
      await engine().remove(id);
    },
  );

  test("a container has an address there, and no ports", async () => {
    await make("macvlan", { parent });
    const PortBindings = { "80/tcp": [{ HostPort: "18644" }] };
    const id = await engine().running({ HostConfig: { NetworkMode: "lan", PortBindings } });
    const { Ports, Networks } = await settingsOf(id);
    expect(Ports).toEqual({});
    const place = { Gateway: "10.216.0.1", IPAddress: "10.216.0.2", MacAddress: "02:42:0a:d8:00:02" };
    expect(Networks["lan"]).toMatchObject(place);
    expect((await asked("DELETE", "/networks/lan"))[0]).toBe(403);
    await engine().remove(id);
  });

  test("the IPAM driver null gives no addresses, and so no network", async () => {
    const IPAM = { Driver: "null" };
    for (const driver of ["macvlan", "ipvlan"]) {
      const [status, text] = await create(driver, { parent }, { IPAM });
      expect([status, text]).toEqual([kind === "reference" ? 500 : 400, "ipv4 pool is empty"]);
      const [, ofBoth] = await create(driver, { parent }, { IPAM, EnableIPv6: true });
      expect(ofBoth).toBe(kind === "reference" ? OLD_NULL : "ipv4 pool is empty");
    }
    expect((await asked("GET", "/networks/other"))[0]).toBe(404);
  });

  testExcept(kind, { reference: REFERENCE.after141 })("nor does it without IPv4", async () => {
    for (const Driver of ["bridge", "macvlan", "ipvlan"]) {
      const body = { Name: "other", Driver, IPAM: { Driver: "null" }, EnableIPv4: false, EnableIPv6: true };
      const answer = await engine().call("POST", "/networks/create", body, { version: "1.48" });
      expect([answer.status, messageOf(answer)]).toEqual([400, "ipv6 pool is empty"]);
    }
  });

  const portsTest = { reference: REFERENCE.portsTakenAway };
  testExcept(kind, portsTest)("ports are published while a bridge gives the gateway", async () => {
    await make("macvlan", { parent });
    expect(await asked("POST", "/networks/create", { Name: "wide" })).toEqual([201, ""]);
    const PortBindings = { "80/tcp": [{ HostPort: "18645" }] };
    const id = await engine().running({ HostConfig: { NetworkMode: "wide", PortBindings } });
    const published = expect.arrayContaining([{ HostIp: "0.0.0.0", HostPort: "18645" }]) as Json;
    expect((await settingsOf(id)).Ports).toEqual({ "80/tcp": published });
    await engine().must(200, "POST", "/networks/lan/connect", { Container: id });
    expect(Object.keys((await settingsOf(id)).Networks).sort()).toEqual(["lan", "wide"]);
    // `lan` comes first by its name.
    expect((await settingsOf(id)).Ports).toEqual({});
    const other = await engine().running({ HostConfig: { PortBindings } });
    await engine().remove(other);
    await engine().must(200, "POST", "/networks/lan/disconnect", { Container: id });
    expect((await settingsOf(id)).Ports).toEqual({ "80/tcp": published });
    await engine().remove(id);
  });

  test("of ipvlan, a parent has one network", async () => {
    await make("ipvlan", { parent });
    const { Id } = await engine().read<{ Id: string }>("/networks/lan");
    const used = `network di-${Id.slice(0, 12)} is already using parent interface ${parent}`;
    expect(await create("ipvlan", { parent })).toEqual([500, used]);
  });

  test("of several subnets, a container gets an address in the first with one left, and its gateway there", async () => {
    const IPAM = {
      Config: [
        { Subnet: "10.217.0.0/30", Gateway: "10.217.0.1" },
        { Subnet: "10.217.1.0/24", Gateway: "10.217.1.9" },
        { Subnet: "fd00:217::/64", Gateway: "fd00:217::9" },
      ],
    };
    const body = { Name: "lan", Driver: "macvlan", Options: { parent }, EnableIPv6: true, IPAM };
    expect(await asked("POST", "/networks/create", body)).toEqual([201, ""]);
    const ids: string[] = [];
    const next = async (more: Json = {}): Promise<Json> => {
      const EndpointsConfig = { lan: more };
      ids.push(await engine().running({ HostConfig: { NetworkMode: "lan" }, NetworkingConfig: { EndpointsConfig } }));
      return (await settingsOf(ids.at(-1)!)).Networks["lan"]!;
    };
    expect(await next()).toMatchObject({
      ...{ IPAddress: "10.217.0.2", Gateway: "10.217.0.1" },
      ...{ GlobalIPv6Address: "fd00:217::1", GlobalIPv6PrefixLen: 64, IPv6Gateway: "fd00:217::9" },
    });
    expect(await next()).toMatchObject({ IPAddress: "10.217.1.1", Gateway: "10.217.1.9" });
    const IPAMConfig = { IPv4Address: "10.217.1.77", IPv6Address: "fd00:217::77" };
    expect(await next({ IPAMConfig })).toMatchObject({
      ...{ IPAddress: "10.217.1.77", IPPrefixLen: 24, Gateway: "10.217.1.9", GlobalIPv6Address: "fd00:217::77" },
    });
    for (const id of ids) await engine().remove(id);
    const { IPAM: shown } = await engine().read<{ IPAM: object }>("/networks/lan", { version: COMMON_VERSION });
    expect(shown).toMatchObject(IPAM);
  });

  testExcept(kind, { reference: REFERENCE.after141 })("IPv6 alone, and a subnet of the engine's choice", async () => {
    const Options = { parent };
    const body = { Name: "lan", Driver: "ipvlan", Options, EnableIPv4: false, EnableIPv6: true };
    await engine().must(201, "POST", "/networks/create", body, { version: "1.48" });
    const { IPAM } = await engine().read<{ IPAM: { Config: { Subnet: string }[] } }>("/networks/lan");
    expect(IPAM.Config).toEqual([{ Subnet: expect.stringMatching(/^fd[0-9a-f:]+::\/64$/) as string }]);
    const id = await engine().create({ Cmd: ["sleep", "1000"], HostConfig: { NetworkMode: "lan" } });
    // Not every kernel has ipvlan.
    const { status } = await engine().call("POST", `/containers/${id}/start`);
    if (status === 204) {
      const first = IPAM.Config[0]!.Subnet.replace("/64", "1");
      expect((await settingsOf(id)).Networks["lan"]).toMatchObject({ IPAddress: "", GlobalIPv6Address: first });
    }
    await engine().remove(id);
  });

  testExcept(kind, { reference: REFERENCE.after141 })("of macvlan, as many as do not pass all through", async () => {
    await make("macvlan", { parent });
    expect(await create("macvlan", { parent })).toEqual([201, ""]);
    const { Id } = await engine().read<{ Id: string }>("/networks/lan");
    await engine().must(204, "DELETE", "/networks/other");
    const used = `macvlan network ${Id} is already using parent interface ${parent}`;
    const passthru = { parent, macvlan_mode: "passthru" };
    expect(await create("macvlan", passthru)).toEqual([500, `cannot use mode passthru, ${used}`]);
    await engine().must(204, "DELETE", "/networks/lan");
    expect(await create("macvlan", passthru)).toEqual([201, ""]);
    const again = await asked("POST", "/networks/create", { Name: "lan", Driver: "macvlan", Options: { parent } });
    expect(again).toEqual([
      500,
      expect.stringMatching(/is already using parent interface [a-z0-9]+ in mode passthru$/),
    ]);
  });

  testExcept(kind, { reference: REFERENCE.after141 })("a gateway is only what the client names", async () => {
    expect(await create("macvlan", { parent })).toEqual([201, ""]);
    const { IPAM } = await engine().read<{ IPAM: { Config: Json[] } }>("/networks/other");
    expect(IPAM.Config).toEqual([{ Subnet: expect.any(String) as string }]);
    const id = await engine().running({ HostConfig: { NetworkMode: "other" } });
    expect((await settingsOf(id)).Networks["other"]).toMatchObject({
      Gateway: "",
      IPAddress: String(IPAM.Config[0]!["Subnet"]).replace(/0\/[0-9]+$/, "1"),
    });
    await engine().remove(id);
  });
});

/** Until Docker 28, the driver `null` refused IPv6 by itself. */
const OLD_NULL = "null ipam driver does not handle IPv6 address pool pool requests";
