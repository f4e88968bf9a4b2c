// User-defined bridge networks: created, shown, used by containers, removed and pruned.
import { afterEach, describe, expect, test } from "vitest";
import { REFERENCE } from "../support/allowed-skips.js";
import { COMMON_VERSION, messageOf, type Json } from "../support/engine-client.js";
import { onEngines, testExcept } from "../support/on-engines.js";
import { past, stamp } from "../support/past-events.js";

interface Network {
  Name: string;
  Id: string;
  Driver: string;
  IPAM: { Config: Record<string, unknown>[] };
  Containers?: Record<string, { Name: string; IPv4Address: string }>;
}

interface Endpoint {
  NetworkID: string;
  EndpointID: string;
  Gateway: string;
  IPAddress: string;
  IPPrefixLen: number;
  MacAddress: string;
  Aliases: string[] | null;
}

onEngines("own networks", (engine, kind) => {
  afterEach(async () => {
    await engine().must(200, "POST", "/networks/prune");
  });

  const make = async (body: Json): Promise<string> =>
    (await engine().must(201, "POST", "/networks/create", body)).json<{ Id: string }>().Id;
  const asked = async (method: string, path: string, body?: Json): Promise<readonly [number, string]> => {
    const answer = await engine().call(method, path, body, { version: COMMON_VERSION });
    return [answer.status, answer.status < 300 ? "" : messageOf(answer)];
  };
  const read = (name: string, version = COMMON_VERSION): Promise<Network> =>
    engine().read<Network>(`/networks/${name}`, { version });
  const on = (network: string, config: Json = {}): Json => ({ ...config, HostConfig: { NetworkMode: network } });
  const endpointOf = async (id: string, network: string): Promise<Endpoint> => {
    const { NetworkSettings } = await engine().read<{ NetworkSettings: { Networks: Record<string, Endpoint> } }>(
      `/containers/${id}/json`,
      { version: COMMON_VERSION },
    );
    return NetworkSettings.Networks[network]!;
  };
  const fixed = (network: string, address: string): Json => ({
    ...on(network, { Cmd: ["sleep", "1000"] }),
    NetworkingConfig: { EndpointsConfig: { [network]: { IPAMConfig: { IPv4Address: address } } } },
  });

  describe("creating", () => {
    test("a network has a subnet of its own, which is free again after its removal", async () => {
      const answer = await engine().must(201, "POST", "/networks/create", { Name: "mine", CheckDuplicate: true });
      const { Id } = answer.json<{ Id: string }>();
      expect(answer.json()).toEqual({ Id: expect.stringMatching(/^[0-9a-f]{64}$/), Warning: "" });
      const mine = await read("mine");
      expect(mine).toMatchObject({
        Name: "mine",
        Id,
        Scope: "local",
        Driver: "bridge",
        EnableIPv6: false,
        Internal: false,
        Attachable: false,
        Ingress: false,
        ConfigFrom: { Network: "" },
        ConfigOnly: false,
        Containers: {},
        Options: {},
        Labels: {},
        IPAM: { Driver: "default", Options: null },
      });
      const [config] = mine.IPAM.Config;
      expect(mine.IPAM.Config).toHaveLength(1);
      expect(config!["Gateway"]).toBe(String(config!["Subnet"]).replace(/0\/[0-9]+$/, "1"));
      const bridge = await read("bridge");
      expect(config!["Subnet"]).not.toBe(bridge.IPAM.Config[0]!["Subnet"]);
      expect(await asked("DELETE", "/networks/mine")).toEqual([204, ""]);
      expect(await asked("GET", "/networks/mine")).toEqual([404, "network mine not found"]);
    });

    test("what a client gives is shown again", async () => {
      const Config = [
        {
          Subnet: "10.211.0.0/24",
          IPRange: "10.211.0.128/25",
          Gateway: "10.211.0.5",
          AuxiliaryAddresses: { printer: "10.211.0.6" },
        },
      ];
      await make({
        Name: "given",
        Internal: true,
        Attachable: true,
        Labels: { a: "b" },
        Options: { "com.docker.network.driver.mtu": "1400", unknown: "kept" },
        IPAM: { Driver: "default", Options: { c: "d" }, Config },
      });
      expect(await read("given")).toMatchObject({
        Internal: true,
        Attachable: true,
        Labels: { a: "b" },
        Options: { "com.docker.network.driver.mtu": "1400", unknown: "kept" },
        IPAM: { Driver: "default", Options: { c: "d" }, Config },
      });
    });

    test("a gateway of the engine's choice in a given subnet is not shown", async () => {
      await make({ Name: "given", IPAM: { Config: [{ Subnet: "10.211.0.0/24" }] } });
      expect((await read("given")).IPAM.Config).toEqual([{ Subnet: "10.211.0.0/24" }]);
    });

    test("a name is taken once", async () => {
      await make({ Name: "mine", CheckDuplicate: true });
      const again = await asked("POST", "/networks/create", { Name: "mine", CheckDuplicate: true });
      expect(again).toEqual([409, "network with name mine already exists"]);
    });

    test("drivers and scopes", async () => {
      const refusals: readonly [Json, number, string][] = [
        [{ IPAM: { Driver: "zz" } }, 404, 'plugin "zz" not found'],
        [{ Scope: "swarm" }, 403, "cannot create a swarm scoped network when swarm is not active"],
        [{ Ingress: true }, 403, "Ingress network can only be global scope network"],
      ];
      for (const [body, status, text] of refusals) {
        expect(await asked("POST", "/networks/create", { Name: "x", ...body })).toEqual([status, text]);
      }
    });

    test("subnets overlap neither with each other nor with the default bridge's", async () => {
      const create = (Subnet: unknown): Promise<readonly [number, string]> =>
        asked("POST", "/networks/create", { Name: "other", IPAM: { Config: [{ Subnet }] } });
      await make({ Name: "mine", IPAM: { Config: [{ Subnet: "10.211.0.0/24" }] } });
      const bridge = (await read("bridge")).IPAM.Config[0]!["Subnet"];
      for (const subnet of ["10.211.0.0/25", "10.211.0.0/24", "10.0.0.0/8", bridge]) {
        const [status, text] = await create(subnet);
        expect([subnet, status]).toEqual([subnet, 403]);
        expect(text).toContain("Pool overlaps with other one on this address space");
      }
      expect(
        await asked("POST", "/networks/create", {
          Name: "other",
          IPAM: { Config: [{ Subnet: "10.213.0.0/24" }, { Subnet: "10.214.0.0/24" }] },
        }),
      ).toEqual([403, "bridge driver doesn't support multiple subnets"]);
    });

    testExcept(kind, { reference: REFERENCE.after141 })("mistakes in addresses are all told", async () => {
      const mistakes: readonly [Json, string][] = [
        [{ Subnet: "10.211.0.7/24" }, "invalid subnet 10.211.0.7/24: it should be 10.211.0.0/24"],
        [{ Gateway: "10.211.0.1" }, "invalid subnet : invalid CIDR block notation"],
        [{ Subnet: "10.211.0.0/33" }, "invalid subnet 10.211.0.0/33: invalid CIDR block notation"],
        [
          { Subnet: "10.211.0.0/24", Gateway: "10.212.0.1", AuxiliaryAddresses: { a: "x" } },
          "* invalid gateway 10.212.0.1: parent subnet 10.211.0.0/24 doesn't contain this address\n" +
            "* invalid auxiliary address a: invalid address",
        ],
        [
          { Subnet: "10.211.0.0/24", IPRange: "10.0.0.0/8" },
          "invalid ip-range 10.0.0.0/8: CIDR block is bigger than its parent subnet 10.211.0.0/24",
        ],
        [{ Subnet: "010.211.0.0/24" }, "invalid subnet 010.211.0.0/24: invalid CIDR block notation"],
        [{ Subnet: "::ffff:10.211.0.0/24" }, "invalid subnet ::ffff:10.211.0.0/24: invalid CIDR block notation"],
        [
          { Subnet: "10.211.0.0/24", IPRange: "fd00::/64" },
          "invalid ip-range fd00::/64: parent subnet is an IPv4 block",
        ],
      ];
      for (const [config, text] of mistakes) {
        const answer = await asked("POST", "/networks/create", { Name: "x", IPAM: { Config: [config] } });
        expect(answer).toEqual([400, `invalid network config:\n${text}`]);
      }
      const nothing = { Subnet: "10.211.0.0/24", AuxiliaryAddresses: { a: "" } };
      expect(await asked("POST", "/networks/create", { Name: "x", IPAM: { Config: [nothing] } })).toEqual([
        400,
        "non parsable secondary ip address (a:) passed for network x",
      ]);
    });

    test("options of the bridge", async () => {
      const create = (options: Json): Promise<readonly [number, string]> =>
        asked("POST", "/networks/create", { Name: "x", Options: options });
      const icc = "com.docker.network.bridge.enable_icc";
      const status = engine().expected("network-option", 400, 500);
      expect(await create({ [icc]: "maybe" })).toEqual([
        status,
        `failed to parse ${icc} value: maybe (strconv.ParseBool: parsing "maybe": invalid syntax)`,
      ]);
      const mtu = "com.docker.network.driver.mtu";
      expect(await create({ [mtu]: "x" })).toEqual([
        status,
        `failed to parse ${mtu} value: x (strconv.Atoi: parsing "x": invalid syntax)`,
      ]);
      expect((await create({ "com.docker.network.bridge.name": "a".repeat(16) }))[0]).toBe(status);
      if (kind === "reference") return;
      expect(await create({ [mtu]: "-5" })).toEqual([400, "invalid MTU number: -5"]);
      for (const name of ["e*", "eth+", "x%d", "a/b"]) {
        expect((await create({ "com.docker.network.bridge.name": name }))[0]).toBe(400);
      }
    });
  });

  describe("containers", () => {
    test("below version 1.45, the aliases end in the short id and the hostname", async () => {
      await make({ Name: "mine" });
      const EndpointsConfig = { mine: { Aliases: ["x"] } };
      const id = await engine().create({ ...on("mine"), Hostname: "pages", NetworkingConfig: { EndpointsConfig } });
      await engine().start(id);
      expect((await endpointOf(id, "mine")).Aliases).toEqual(["x", id.slice(0, 12), "pages"]);
      // Until it is gone, its network cannot be pruned.
      await engine().remove(id);
    });

    test("a container gets an address of its network, by the network's name or id", async () => {
      const network = await make({ Name: "mine", IPAM: { Config: [{ Subnet: "10.211.0.0/24" }] } });
      for (const mode of ["mine", network, network.slice(0, 12)]) {
        const id = await engine().running(on(mode));
        const endpoint = await endpointOf(id, "mine");
        expect(endpoint).toMatchObject({
          NetworkID: network,
          Gateway: "10.211.0.1",
          IPAddress: "10.211.0.2",
          IPPrefixLen: 24,
          MacAddress: "02:42:0a:d3:00:02",
          Aliases: [id.slice(0, 12)],
        });
        const { Name } = await engine().read<{ Name: string }>(`/containers/${id}/json`);
        const { Containers } = await read("mine");
        expect(Containers).toEqual({
          [id]: {
            Name: Name.slice(1),
            EndpointID: endpoint.EndpointID,
            MacAddress: "02:42:0a:d3:00:02",
            IPv4Address: "10.211.0.2/24",
            IPv6Address: "",
          },
        });
        const filters = encodeURIComponent(JSON.stringify({ network: ["mine"] }));
        expect(await engine().read(`/containers/json?filters=${filters}`)).toMatchObject([{ Id: id }]);
        await engine().remove(id);
      }
    });

    test("fixed addresses are had once, and only in subnets that a client gave", async () => {
      await make({ Name: "given", IPAM: { Config: [{ Subnet: "10.211.0.0/24" }] } });
      await make({ Name: "chosen" });
      const id = await engine().create(fixed("given", "10.211.0.77"));
      await engine().start(id);
      expect(await endpointOf(id, "given")).toMatchObject({ IPAddress: "10.211.0.77", Gateway: "10.211.0.1" });
      const hosts = await engine().run({ ...fixed("given", "10.211.0.78"), Cmd: ["cat", "/etc/hosts"] });
      expect(hosts.stdout).toMatch(/^10\.211\.0\.78\t/m);
      const second = await engine().create(fixed("given", "10.211.0.77"));
      expect(await asked("POST", `/containers/${second}/start`)).toEqual([403, "Address already in use"]);
      const outside = await engine().create(fixed("given", "10.212.0.2"));
      expect((await asked("POST", `/containers/${outside}/start`))[0]).toBe(
        engine().expected("fixed-address-outside", 400, 500),
      );
      const chosen = await engine().create(fixed("chosen", "172.18.0.77"));
      const [status, text] = await asked("POST", `/containers/${chosen}/start`);
      expect([status, text]).toEqual([
        400,
        expect.stringContaining(
          "user specified IP address is supported only when connecting to networks with user configured subnets",
        ),
      ]);
      for (const each of [id, second, outside, chosen]) await engine().remove(each);
    });

    test("a network is removed after its containers have left", async () => {
      await make({ Name: "mine" });
      const id = await engine().running(on("mine"), "?name=user");
      const [status, text] = await asked("DELETE", "/networks/mine");
      expect([status, text]).toEqual([
        403,
        expect.stringMatching(/^error while removing network: network mine .*has active endpoints/),
      ]);
      await engine().must(204, "POST", `/containers/${id}/kill`);
      await engine().wait(id);
      expect(await asked("DELETE", "/networks/mine")).toEqual([204, ""]);
      expect(await asked("POST", `/containers/${id}/start`)).toEqual([
        404,
        expect.stringMatching(/^network .* not found$/),
      ]);
      await engine().remove(id);
    });
  });

  test("filters", async () => {
    await make({ Name: "labelled", Labels: { a: "b" } });
    await make({ Name: "used" });
    const id = await engine().running(on("used"));
    const names = async (filters: Record<string, string[]>): Promise<string[]> => {
      const all = await engine().read<Network[]>(`/networks?filters=${encodeURIComponent(JSON.stringify(filters))}`);
      return all.map(({ Name }) => Name).sort();
    };
    expect(await names({ type: ["custom"] })).toEqual(["labelled", "used"]);
    expect(await names({ dangling: ["true"] })).toEqual(
      engine().expected("dangling-networks", ["labelled"], ["labelled", "used"]),
    );
    expect(await names({ dangling: ["false"] })).toEqual(
      engine().expected("dangling-networks", ["bridge", "host", "none", "used"], ["bridge", "host", "none"]),
    );
    expect(await names({ label: ["a=b"] })).toEqual(["labelled"]);
    expect(await names({ name: ["^us"] })).toEqual(["used"]);
    expect(await names({ driver: ["bridge"], type: ["custom"] })).toEqual(["labelled", "used"]);
    await engine().remove(id);
  });

  test("a prune removes what no container is on, and tells the names", async () => {
    await make({ Name: "used" });
    await make({ Name: "kept", Labels: { keep: "" } });
    await make({ Name: "free" });
    const id = await engine().running(on("used"));
    const query = encodeURIComponent(JSON.stringify({ "label!": ["keep"] }));
    const pruned = await engine().must(200, "POST", `/networks/prune?filters=${query}`);
    expect(pruned.json()).toEqual({ NetworksDeleted: ["free"] });
    const names = (await engine().read<Network[]>("/networks")).map(({ Name }) => Name);
    expect(names.sort()).toEqual(["bridge", "host", "kept", "none", "used"]);
    await engine().remove(id);
  });

  test("a prune leaves networks that are too young, or have not the label", async () => {
    await make({ Name: "labelled", Labels: { keep: "no" } });
    await make({ Name: "other", Labels: { keep: "yes" } });
    await make({ Name: "plain" });
    const pruned = async (filters: Json): Promise<unknown> => {
      const query = encodeURIComponent(JSON.stringify(filters));
      const answer = await engine().must(200, "POST", `/networks/prune?filters=${query}`);
      return (answer.json<{ NetworksDeleted: string[] | null }>().NetworksDeleted ?? []).sort();
    };
    expect(await pruned({ until: ["1h"] })).toEqual([]);
    expect(await pruned({ until: ["1h"], label: ["keep"] })).toEqual([]);
    expect(await pruned({ label: ["keep=no"] })).toEqual(["labelled"]);
    expect(await pruned({ until: ["2100-01-01T00:00:00Z"], label: ["keep"] })).toEqual(["other"]);
    expect(await pruned({ until: ["2100-01-01T00:00:00Z"] })).toEqual(["plain"]);
  });

  test("events", async () => {
    const since = await stamp(engine());
    const network = await make({ Name: "told" });
    const id = await engine().running(on("told"));
    await engine().must(204, "POST", `/containers/${id}/kill`);
    await engine().wait(id);
    await engine().must(204, "DELETE", "/networks/told");
    const told = await past(engine(), since, { type: ["network"], network: [network] });
    expect(told.map(({ Action, Actor }) => [Action, Actor.ID, Actor.Attributes])).toEqual([
      ["create", network, { name: "told", type: "bridge" }],
      ["connect", network, { container: id, name: "told", type: "bridge" }],
      ["disconnect", network, { container: id, name: "told", type: "bridge" }],
      ["destroy", network, { name: "told", type: "bridge" }],
    ]);
    await engine().remove(id);
  });
});
