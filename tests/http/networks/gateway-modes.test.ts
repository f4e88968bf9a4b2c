// Gateway modes of bridge networks: what is refused, and how published ports are shown.
import { afterEach, expect } from "vitest";
import { REFERENCE } from "../../support/allowed-skips.js";
import { messageOf, type Json } from "../../support/engine-client.js";
import { onEngines, testExcept } from "../../support/on-engines.js";

const IPV4 = "com.docker.network.bridge.gateway_mode_ipv4";
const IPV6 = "com.docker.network.bridge.gateway_mode_ipv6";

interface Inspected {
  NetworkSettings: { Ports: Record<string, Json[]>; Networks: Record<string, Json> };
}

onEngines("gateway modes", (engine, kind) => {
  const test = (name: string, body: () => Promise<void>): void =>
    testExcept(kind, { reference: REFERENCE.after141 })(name, body);
  afterEach(async () => {
    const all = await engine().read<{ Id: string }[]>("/containers/json?all=1");
    for (const { Id } of all) await engine().remove(Id);
    await engine().must(200, "POST", "/networks/prune");
  });

  const make = async (Options: Json, more: Json = {}): Promise<[number, string]> => {
    const IPAM = { Config: [{ Subnet: "10.201.0.0/24" }, { Subnet: "fd00:201::/64" }] };
    const body = { Name: "mode", EnableIPv6: true, IPAM, Options, ...more };
    const answer = await engine().call("POST", "/networks/create", body, { version: "1.48" });
    return [answer.status, answer.status === 201 ? "" : messageOf(answer)];
  };
  const publishing = (HostPort = "18551"): Promise<string> => {
    const HostConfig = { NetworkMode: "mode", PortBindings: { "80/tcp": [{ HostPort }] } };
    return engine().running({ HostConfig, ExposedPorts: { "80/tcp": {} } });
  };

  test("an unknown one is refused, and so is isolation of a network that is not internal", async () => {
    expect(await make({ [IPV4]: "bridged" })).toEqual([
      400,
      `failed to parse ${IPV4} value: bridged (unknown gateway mode bridged)`,
    ]);
    const why = "gateway mode 'isolated' can only be used for an internal network";
    expect(await make({ [IPV6]: "isolated" })).toEqual([500, why]);
    expect(await make({ [IPV4]: "nat-unprotected", [IPV6]: "nat" })).toEqual([201, ""]);
  });

  test("no port of the machine leads to a container on a routed network", async () => {
    expect(await make({ [IPV6]: "routed" })).toEqual([201, ""]);
    const id = await publishing();
    const { NetworkSettings } = await engine().inspect<Inspected>(id);
    expect(NetworkSettings.Ports["80/tcp"]).toEqual([
      { HostIp: "0.0.0.0", HostPort: "18551" },
      { HostIp: "::", HostPort: "" },
    ]);
    const [{ Ports = [] } = {}] = await engine().read<{ Ports?: Json[] }[]>("/containers/json");
    expect(Ports).toEqual([
      { IP: "0.0.0.0", PrivatePort: 80, PublicPort: 18551, Type: "tcp" },
      { IP: "::", PrivatePort: 80, Type: "tcp" },
    ]);
  });

  test("several containers on it publish the same port", async () => {
    expect(await make({ [IPV4]: "routed" }, { EnableIPv6: false })).toEqual([201, ""]);
    const ids = [await publishing(), await publishing("")];
    for (const id of ids) {
      const { NetworkSettings } = await engine().inspect<Inspected>(id);
      expect(NetworkSettings.Ports["80/tcp"]).toEqual([{ HostIp: "0.0.0.0", HostPort: "" }]);
    }
    await engine().must(204, "POST", `/containers/${ids[0]}/restart?t=0`);
  });

  test("an isolated network has no gateway, and its first address is free for containers", async () => {
    expect(await make({ [IPV4]: "isolated", [IPV6]: "isolated" }, { Internal: true })).toEqual([201, ""]);
    const { IPAM } = await engine().read<{ IPAM: { Config: Json[] } }>("/networks/mode");
    expect(IPAM.Config).toEqual([{ Subnet: "10.201.0.0/24" }, { Subnet: "fd00:201::/64" }]);
    const id = await engine().running({ HostConfig: { NetworkMode: "mode" } });
    const { NetworkSettings } = await engine().inspect<Inspected>(id);
    expect(NetworkSettings.Networks["mode"]).toMatchObject({
      ...{ IPAddress: "10.201.0.1", Gateway: "", GlobalIPv6Address: "fd00:201::1", IPv6Gateway: "" },
    });
  });
});
