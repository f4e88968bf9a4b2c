// Networks with IPv6: their addresses, and those of their containers.
import { afterEach, expect, test } from "vitest";
import { REFERENCE } from "../../support/allowed-skips.js";
import { COMMON_VERSION, messageOf, type Json } from "../../support/engine-client.js";
import { onEngines, testExcept } from "../../support/on-engines.js";

interface Endpoint {
  IPAddress: string;
  IPv6Gateway: string;
  GlobalIPv6Address: string;
  GlobalIPv6PrefixLen: number;
}

interface Network {
  EnableIPv4?: boolean;
  EnableIPv6: boolean;
  IPAM: { Config: Json[] };
  Containers: Record<string, Json>;
  Status?: { IPAM: { Subnets: Record<string, Json> } };
}

onEngines("IPv6 networks", (engine, kind) => {
  afterEach(async () => {
    const all = await engine().read<{ Id: string }[]>("/containers/json?all=1");
    for (const { Id } of all) await engine().remove(Id);
    await engine().must(200, "POST", "/networks/prune");
  });

  const create = async (body: Json, version = COMMON_VERSION) => {
    const answer = await engine().call("POST", "/networks/create", body, { version });
    return [answer.status, answer.status === 201 ? "" : messageOf(answer)] as const;
  };
  const both = async (Name: string): Promise<void> => {
    const IPAM = { Config: [{ Subnet: "fd00:211::/64", Gateway: "fd00:211::1" }, { Subnet: "10.211.0.0/24" }] };
    expect(await create({ Name, EnableIPv6: true, IPAM })).toEqual([201, ""]);
  };
  const at = (network: string, IPv6Address: string): Json => ({
    HostConfig: { NetworkMode: network },
    NetworkingConfig: { EndpointsConfig: { [network]: { IPAMConfig: { IPv6Address } } } },
  });
  const endpointOf = async (id: string, network: string): Promise<Endpoint> => {
    const { NetworkSettings } = await engine().inspect<{ NetworkSettings: { Networks: Record<string, Endpoint> } }>(id);
    return NetworkSettings.Networks[network]!;
  };

  test("a network has both families, and shows IPv4 first", async () => {
    await both("both");
    const { EnableIPv6, IPAM } = await engine().read<Network>("/networks/both");
    expect([EnableIPv6, IPAM.Config]).toEqual([
      true,
      [{ Subnet: "10.211.0.0/24" }, { Subnet: "fd00:211::/64", Gateway: "fd00:211::1" }],
    ]);
    const again = { Name: "again", EnableIPv6: true, IPAM: { Config: [{ Subnet: "fd00:211::/80" }] } };
    expect((await create(again))[0]).toBe(403);
    const two = [{ Subnet: "fd00:1::/64" }, { Subnet: "fd00:2::/64" }];
    expect((await create({ Name: "two", EnableIPv6: true, IPAM: { Config: two } }))[0]).toBe(403);
  });

  test("a container has addresses of both families, of its own choice or the lowest ones that are free", async () => {
    await both("both");
    const first = await engine().running({ HostConfig: { NetworkMode: "both" } });
    expect(await endpointOf(first, "both")).toMatchObject({
      IPAddress: "10.211.0.2",
      GlobalIPv6Address: "fd00:211::2",
      GlobalIPv6PrefixLen: 64,
      IPv6Gateway: "fd00:211::1",
    });
    const fixed = await engine().running(at("both", "fd00:211::abc"));
    expect((await endpointOf(fixed, "both")).GlobalIPv6Address).toBe("fd00:211::abc");
    const { Containers } = await engine().read<Network>("/networks/both");
    expect(Containers[fixed]).toMatchObject({ IPv4Address: "10.211.0.3/24", IPv6Address: "fd00:211::abc/64" });
    const busy = await engine().create(at("both", "fd00:211::2"));
    expect((await engine().call("POST", `/containers/${busy}/start`)).status).toBe(403);
    await engine().must(204, "POST", `/containers/${fixed}/restart?t=0`);
    expect((await endpointOf(fixed, "both")).GlobalIPv6Address).toBe("fd00:211::abc");
    await engine().remove(first);
    expect((await engine().call("POST", `/containers/${busy}/start`)).status).toBe(204);
  });

  test("a running container gets IPv6 with a network, and loses it with the network", async () => {
    await both("both");
    const id = await engine().running();
    const EndpointConfig = { IPAMConfig: { IPv6Address: "fd00:211::9" } };
    await engine().must(200, "POST", "/networks/both/connect", { Container: id, EndpointConfig });
    expect((await endpointOf(id, "both")).GlobalIPv6Address).toBe("fd00:211::9");
    const exec = { AttachStdout: true, Cmd: ["cat", "/etc/hosts"] };
    const { Id } = (await engine().must(201, "POST", `/containers/${id}/exec`, exec)).json<{ Id: string }>();
    const hosts = (await engine().must(200, "POST", `/exec/${Id}/start`, { Detach: false, Tty: false })).text;
    expect(hosts).toContain("fd00:211::9\t");
    await engine().must(200, "POST", "/networks/both/disconnect", { Container: id });
    const other = await engine().running(at("both", "fd00:211::9"));
    expect((await endpointOf(other, "both")).GlobalIPv6Address).toBe("fd00:211::9");
  });

  testExcept(kind, { reference: REFERENCE.after141 })("IPv6 alone, in a subnet of the engine's choice", async () => {
    expect(await create({ Name: "six", EnableIPv4: false, EnableIPv6: true }, "1.48")).toEqual([201, ""]);
    expect(await create({ Name: "other", EnableIPv6: true }, "1.48")).toEqual([201, ""]);
    const shown = await engine().read<Network>("/networks/six", { version: "1.52" });
    expect(shown).toMatchObject({ EnableIPv4: false, EnableIPv6: true });
    expect(shown.IPAM.Config).toEqual([
      { Subnet: expect.stringMatching(/^fd[0-9a-f:]+::\/64$/), Gateway: expect.stringMatching(/^fd[0-9a-f:]+::1$/) },
    ]);
    const id = await engine().running({ HostConfig: { NetworkMode: "six" } });
    const subnet = String(shown.IPAM.Config[0]!["Subnet"]);
    const endpoint = await endpointOf(id, "six");
    expect(endpoint).toMatchObject({ IPAddress: "", GlobalIPv6Address: subnet.replace("/64", "2") });
    const { Containers, Status } = await engine().read<Network>("/networks/six", { version: "1.52" });
    expect(Containers[id]).toMatchObject({ IPv4Address: "", IPv6Address: `${endpoint.GlobalIPv6Address}/64` });
    expect(Status!.IPAM.Subnets[subnet]).toMatchObject({ IPsInUse: 3 });
    const { IPAM } = await engine().read<Network>("/networks/other");
    expect(IPAM.Config[1]!["Subnet"]).not.toBe(subnet);
    expect(await create({ Name: "nothing", EnableIPv4: false }, "1.48")).toEqual([400, "IPv4 or IPv6 must be enabled"]);
    const late = await engine().create(at("six", endpoint.GlobalIPv6Address));
    expect((await engine().call("POST", `/containers/${late}/start`)).status).toBe(400);
  });
});
