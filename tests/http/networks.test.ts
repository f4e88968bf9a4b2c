// Networks, listed and inspected: which networks filters select, and the details of the selected one.
import { expect, test } from "vitest";
import { REFERENCE } from "../support/allowed-skips.js";
import { COMMON_VERSION, messageOf } from "../support/engine-client.js";
import { onEngines, testExcept } from "../support/on-engines.js";

const NAMES = ["bridge", "host", "none"];

interface Network {
  Name: string;
  Id: string;
}

onEngines("networks", (engine, kind) => {
  test.each<[Record<string, string[]>, string[]]>([
    [{}, NAMES],
    [{ driver: ["null", "host"] }, ["host", "none"]],
    [{ name: ["^b"] }, ["bridge"]],
    [{ scope: ["local"] }, NAMES],
    [{ scope: ["swarm"] }, []],
    [{ type: ["builtin"] }, NAMES],
    [{ type: ["builtin", "custom"] }, NAMES],
    [{ label: ["x"] }, []],
    [{ dangling: ["true"] }, []],
    [{ dangling: ["1"] }, []],
    [{ dangling: ["false"] }, NAMES],
  ])("%j selects %j", async (filters, names) => {
    const all = await engine().read<Network[]>(`/networks?filters=${encodeURIComponent(JSON.stringify(filters))}`);
    expect(
      all
        .map(({ Name }) => Name)
        .filter((name) => NAMES.includes(name))
        .sort(),
    ).toEqual(names);
  });

  test.each<[Record<string, string[]>, number]>([
    [{ type: ["x"] }, 500],
    [{ dangling: ["x"] }, 400],
    [{ nothing: ["x"] }, 400],
  ])("%j is refused", async (filters, status) => {
    const query = encodeURIComponent(JSON.stringify(filters));
    expect((await engine().call("GET", `/networks?filters=${query}`)).status).toBe(status);
  });

  test("a network is found by its name, its id and an id prefix", async () => {
    const { Id } = await engine().read<Network>("/networks/bridge");
    for (const reference of [Id, Id.slice(0, 24)]) {
      expect(await engine().read(`/networks/${reference}`)).toMatchObject({ Name: "bridge", Id });
    }
    expect(await refusal("/networks/nothing")).toEqual([404, "network nothing not found"]);
  });

  test("verbose is a boolean, and a wrong scope finds nothing", async () => {
    for (const query of ["verbose=true", "verbose=0", "verbose=", "scope=local", "scope="]) {
      expect(await engine().read(`/networks/host?${query}`)).toMatchObject({ Name: "host", Scope: "local" });
    }
    const text = 'strconv.ParseBool: parsing "maybe": invalid syntax';
    expect(await refusal("/networks/host?verbose=maybe")).toEqual([400, `invalid value for verbose: maybe: ${text}`]);
    expect(await refusal("/networks/host?scope=swarm")).toEqual([404, "network host not found"]);
  });

  testExcept(kind, { reference: REFERENCE.after141 })(
    "from 1.52 on inspect shows how many addresses are in use",
    async () => {
      const status = async (name: string, version = "1.52") =>
        (await engine().read<{ Status?: unknown }>(`/networks/${name}`, { version })).Status;
      const inUse = (count: number) => ({
        IPAM: { Subnets: { [subnet]: { IPsInUse: count, DynamicIPsAvailable: 65536 - count } } },
      });
      const { IPAM } = await engine().read<{ IPAM: { Config: { Subnet: string }[] } }>("/networks/bridge");
      const subnet = IPAM.Config[0]?.Subnet ?? "";
      expect(await status("bridge")).toEqual(inUse(3));
      const id = await engine().running();
      expect(await status("bridge")).toEqual(inUse(4));
      await engine().remove(id);
      expect(await status("bridge")).toEqual(inUse(3));
      expect(await status("none")).toEqual({ IPAM: {} });
      expect(await status("bridge", "1.51")).toBe(undefined);
      expect((await engine().read<object[]>("/networks", { version: "1.52" })).every((one) => !("Status" in one))).toBe(
        true,
      );
    },
  );

  async function refusal(path: string): Promise<[number, string]> {
    const answer = await engine().call("GET", path, undefined, { version: COMMON_VERSION });
    return [answer.status, messageOf(answer)];
  }
});
