// Options of bridge networks: whose addresses the network and its containers get, and what is shown of the options.
import { afterEach, expect, test } from "vitest";
import { REFERENCE } from "../../support/allowed-skips.js";
import { messageOf, type Json } from "../../support/engine-client.js";
import { onEngines, testExcept } from "../../support/on-engines.js";

const BRIDGE = "com.docker.network.bridge.";
const NETWORK = "com.docker.network.";
const Subnet = "10.212.0.0/24";

interface Network {
  EnableIPv4: boolean;
  EnableIPv6: boolean;
  IPAM: { Config: Json[] };
  Options: Record<string, string>;
}

onEngines("bridge options", (engine, kind) => {
  const newest = testExcept(kind, { reference: REFERENCE.after141 });
  afterEach(async () => {
    const all = await engine().read<{ Id: string }[]>("/containers/json?all=1");
    for (const { Id } of all) await engine().remove(Id);
    await engine().must(200, "POST", "/networks/prune");
  });

  const make = async (Options: Json, more: Json = {}): Promise<[number, string]> => {
    const body = { Name: "opted", IPAM: { Config: [{ Subnet }] }, Options, ...more };
    const answer = await engine().call("POST", "/networks/create", body, {
      version: kind === "reference" ? "1.41" : "1.48",
    });
    return [answer.status, answer.status === 201 ? "" : messageOf(answer)];
  };
  const shown = (): Promise<Network> => engine().read<Network>("/networks/opted");
  const placed = async (HostConfig: Json = {}): Promise<Json> => {
    const id = await engine().running({ HostConfig: { NetworkMode: "opted", ...HostConfig } });
    const inspected = await engine().inspect<{ NetworkSettings: { Networks: Record<string, Json> } }>(id);
    return inspected.NetworkSettings.Networks["opted"]!;
  };

  test("without an IPv4 address of the machine, containers' default route leads to the network's gateway", async () => {
    const Options = { [`${BRIDGE}inhibit_ipv4`]: "true" };
    expect(await make(Options, { IPAM: { Config: [{ Subnet, Gateway: "10.212.0.9" }] } })).toEqual([201, ""]);
    expect(await shown()).toMatchObject({ Options, IPAM: { Config: [{ Subnet, Gateway: "10.212.0.9" }] } });
    expect(await placed()).toMatchObject({ Gateway: "10.212.0.9", IPAddress: "10.212.0.1" });
  });

  newest("an internal network without one sets no gateway aside", async () => {
    const Options = { [`${BRIDGE}inhibit_ipv4`]: "1" };
    const IPAM = { Config: [{ Subnet: "10.212.0.0/31" }] };
    expect(await make(Options, { Internal: true, IPAM })).toEqual([201, ""]);
    expect(await placed()).toMatchObject({ Gateway: "", IPAddress: "10.212.0.0" });
    expect(await placed()).toMatchObject({ Gateway: "", IPAddress: "10.212.0.1" });
  });

  test("addresses of the machine and its interfaces are shown as they were given", async () => {
    const Options = {
      [`${NETWORK}host_ipv4`]: "192.0.2.7",
      [`${NETWORK}host_ipv6`]: "2001:DB8::7",
      [`${BRIDGE}trusted_host_interfaces`]: "wg0:eth3",
      [`${BRIDGE}default_bridge`]: "false",
    };
    expect(await make(Options)).toEqual([201, ""]);
    expect((await shown()).Options).toEqual(Options);
    expect(await placed()).toMatchObject({ Gateway: "10.212.0.1", IPAddress: "10.212.0.2" });
  });

  newest("another network cannot be the default bridge", async () => {
    const [status, text] = await make({ [`${BRIDGE}default_bridge`]: "true" });
    expect(status).toBe(403);
    expect(text).toMatch(/^cannot create network [0-9a-f]{64} \((\S+)\): conflicts with network [0-9a-f]{64} \(\1\): /);
    expect(await make({ [`${BRIDGE}default_bridge`]: "true", [`${BRIDGE}name`]: "opted0" })).toEqual([201, ""]);
  });

  newest("options say which families a network has, unless the fields do", async () => {
    const [ipv4, ipv6] = [`${NETWORK}enable_ipv4`, `${NETWORK}enable_ipv6`];
    const IPAM = { Config: [{ Subnet }, { Subnet: "fd00:212::/64" }] };
    expect(await make({ [ipv4]: "false", [ipv6]: "true" }, { IPAM })).toEqual([201, ""]);
    const made = await engine().read<Network>("/networks/opted", { version: "1.48" });
    expect(made).toMatchObject({ EnableIPv4: false, EnableIPv6: true, Options: { [ipv4]: "false", [ipv6]: "true" } });
    expect(await placed()).toMatchObject({ IPAddress: "", GlobalIPv6Address: "fd00:212::2" });
    await engine().must(
      204,
      "DELETE",
      `/containers/${(await engine().read<{ Id: string }[]>("/containers/json"))[0]!.Id}?force=1`,
    );
    await engine().must(204, "DELETE", "/networks/opted");
    const fields = { EnableIPv4: true, EnableIPv6: false };
    expect(await make({ [ipv4]: "x", [ipv6]: "true", a: "b" }, fields)).toEqual([201, ""]);
    const other = await engine().read<Network>("/networks/opted", { version: "1.48" });
    expect(other).toMatchObject(fields);
    expect(other.Options).toEqual({ a: "b" });
  });

  newest("a port that names no address is published at the network's one, of either family", async () => {
    expect(await make({ [`${BRIDGE}host_binding_ipv4`]: "::1" })).toEqual([201, ""]);
    const id = await engine().running({
      HostConfig: { NetworkMode: "opted", PortBindings: { "80/tcp": [{ HostPort: "18567" }] } },
      ExposedPorts: { "80/tcp": {} },
    });
    const { NetworkSettings } = await engine().inspect<{ NetworkSettings: { Ports: Record<string, Json[]> } }>(id);
    expect(NetworkSettings.Ports["80/tcp"]).toEqual([{ HostIp: "::1", HostPort: "18567" }]);
  });
});
