// Networks that are only a configuration, and networks that take theirs from one.
import { afterEach, expect, test } from "vitest";
import { COMMON_VERSION, messageOf, type Json } from "../../support/engine-client.js";
import { onEngines } from "../../support/on-engines.js";

const FIELDS_OF_OPERATORS =
  "configuration network can only contain network specific fields. Network operator fields like " +
  "[ ingress | internal | attachable | scope ] are not supported.";
const OWN_SETTINGS =
  "user specified configurations are not supported if the network depends on a configuration network";
const OWN_OPTIONS = "network driver options are not supported if the network depends on a configuration network";
const NO_ENDPOINTS = "cannot create endpoint on configuration-only network";

onEngines("configuration networks", (engine) => {
  afterEach(async () => {
    await engine().must(200, "POST", "/networks/prune");
    await engine().call("DELETE", "/networks/plan");
  });

  const asked = async (method: string, path: string, body?: Json): Promise<readonly [number, string]> => {
    const answer = await engine().call(method, path, body, { version: COMMON_VERSION });
    return [answer.status, answer.status < 300 ? "" : messageOf(answer)];
  };
  const create = (body: Json): Promise<readonly [number, string]> => asked("POST", "/networks/create", body);
  const read = (name: string): Promise<Json> => engine().read<Json>(`/networks/${name}`, { version: COMMON_VERSION });
  const namesOf = async (filters: Json): Promise<string[]> => {
    const path = `/networks?filters=${encodeURIComponent(JSON.stringify(filters))}`;
    const networks = await engine().read<{ Name: string }[]>(path, { version: COMMON_VERSION });
    return networks.map(({ Name }) => Name).sort();
  };
  const given: Json = {
    Labels: { a: "b" },
    Options: { "com.docker.network.driver.mtu": "1400" },
    IPAM: {
      Driver: "default",
      Options: { c: "d" },
      Config: [{ Subnet: "10.219.0.0/24", IPRange: "10.219.0.64/26", Gateway: "10.219.0.7" }],
    },
  };
  const plan: Json = { Name: "plan", ConfigOnly: true, Driver: "bridge", ...given };

  test("a configuration may leave addresses to others, which a bridge cannot", async () => {
    expect(await create({ ...plan, IPAM: { Driver: "null" } })).toEqual([201, ""]);
    expect(await read("plan")).toMatchObject({ IPAM: { Driver: "null", Config: [] } });
    const [status, text] = await create({ Name: "real", ConfigFrom: { Network: "plan" } });
    expect([status === 201, text]).toEqual([false, "ipv4 pool is empty"]);
  });

  test("a network has the configuration of another one", async () => {
    expect(await create(plan)).toEqual([201, ""]);
    expect(await read("plan")).toMatchObject({
      ...given,
      Driver: "null",
      Scope: "local",
      ConfigOnly: true,
      ConfigFrom: { Network: "" },
      Containers: {},
    });
    expect(await create({ Name: "real", ConfigFrom: { Network: "plan" }, Internal: true })).toEqual([201, ""]);
    expect(await read("real")).toMatchObject({
      ...given,
      Driver: "bridge",
      Internal: true,
      ConfigOnly: false,
      ConfigFrom: { Network: "plan" },
    });
    expect((await create({ Name: "other", ConfigFrom: { Network: "plan" } }))[0]).toBe(403);
    expect(await namesOf({ driver: ["null"] })).toEqual(["none", "plan"]);
    expect(await namesOf({ dangling: ["true"] })).toEqual(["plan", "real"]);
    const inUse = 'error while removing network: configuration network "plan" is in use';
    expect(await asked("DELETE", "/networks/plan")).toEqual([403, inUse]);
    expect(await asked("DELETE", "/networks/real")).toEqual([204, ""]);
    expect(await asked("DELETE", "/networks/plan")).toEqual([204, ""]);
  });

  test("a configuration has no subnet of its own, and is not pruned", async () => {
    expect(await create({ Name: "plan", ConfigOnly: true, Driver: "no such driver" })).toEqual([201, ""]);
    expect(await read("plan")).toMatchObject({ IPAM: { Driver: "default", Options: null, Config: [] }, Options: {} });
    const pruned = await engine().must(200, "POST", "/networks/prune");
    expect(pruned.json()).toMatchObject({ NetworksDeleted: null });
    expect(await create({ Name: "real", ConfigFrom: { Network: "plan" } })).toEqual([201, ""]);
    const { IPAM } = (await read("real")) as { IPAM: { Config: Json[] } };
    expect(IPAM.Config).toMatchObject([
      { Subnet: expect.any(String) as string, Gateway: expect.any(String) as string },
    ]);
  });

  test("what cannot be configured or depend is told", async () => {
    for (const field of [{ Internal: true }, { Attachable: true }, { Ingress: true }, { Scope: "local" }]) {
      expect(await create({ Name: "other", ConfigOnly: true, ...field })).toEqual([403, FIELDS_OF_OPERATORS]);
    }
    expect(await create(plan)).toEqual([201, ""]);
    expect(await create({ Name: "other", ConfigOnly: true, ConfigFrom: { Network: "plan" } })).toEqual([
      403,
      "a configuration network cannot depend on another configuration network",
    ]);
    const from = { Name: "other", ConfigFrom: { Network: "plan" } };
    const settings: Json[] = [
      { Labels: { a: "b" } },
      { EnableIPv6: true },
      { IPAM: { Driver: "zz" } },
      { IPAM: { Options: { a: "b" } } },
      { IPAM: { Config: [{ Subnet: "10.218.0.0/24" }] } },
    ];
    for (const own of settings) expect(await create({ ...from, ...own })).toEqual([403, OWN_SETTINGS]);
    expect(await create({ ...from, Options: { a: "b" } })).toEqual([403, OWN_OPTIONS]);
    const { Id } = await read("plan");
    for (const name of ["gone", "none", String(Id)]) {
      const missing = `configuration network "${name}" does not exist`;
      expect(await create({ Name: "other", ConfigFrom: { Network: name } })).toEqual([404, missing]);
    }
  });

  test("no container is on a configuration", async () => {
    expect(await create(plan)).toEqual([201, ""]);
    const refused = await engine().create({ HostConfig: { NetworkMode: "plan" } });
    const [status, text] = await asked("POST", `/containers/${refused}/start`);
    expect([status, text.endsWith(NO_ENDPOINTS)]).toEqual([403, true]);
    const running = await engine().running({ Cmd: ["sleep", "1000"] });
    expect(await asked("POST", "/networks/plan/connect", { Container: running })).toEqual([403, NO_ENDPOINTS]);
    for (const id of [refused, running]) await engine().remove(id);
  });
});
