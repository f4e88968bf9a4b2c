// The families of addresses for which benches of networks ask.
import type { EngineClient, Json } from "../../tests/support/engine-client.js";

export interface Family {
  readonly name: "IPv4" | "IPv6";
  /** For a network's create request. */
  readonly network: Json;
  /** A container's address on that network. */
  addressOf(engine: EngineClient, id: string, network: string): Promise<string>;
}

interface Inspected {
  readonly NetworkSettings: {
    readonly Networks: Readonly<Record<string, { readonly IPAddress: string; readonly GlobalIPv6Address: string }>>;
  };
}

export const IPV4: Family = {
  name: "IPv4",
  network: {},
  addressOf: async (engine, id, network) =>
    (await engine.inspect<Inspected>(id)).NetworkSettings.Networks[network]?.IPAddress ?? "",
};

export const IPV6: Family = {
  name: "IPv6",
  network: { EnableIPv6: true, IPAM: { Config: [{ Subnet: "fd00:b::/64" }] } },
  addressOf: async (engine, id, network) =>
    (await engine.inspect<Inspected>(id)).NetworkSettings.Networks[network]?.GlobalIPv6Address ?? "",
};

/** Those that all of the engines have built. */
export async function familiesOf(engines: readonly EngineClient[]): Promise<Family[]> {
  for (const engine of engines) {
    const answer = await engine.call("POST", "/networks/create", { Name: "bench-family", ...IPV6.network });
    if (answer.status !== 201) return [IPV4];
    await engine.must(204, "DELETE", "/networks/bench-family");
  }
  return [IPV4, IPV6];
}
