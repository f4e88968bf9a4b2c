// The families of addresses for which benches of networks ask.
import { must } from "../../tests/support/commands.js";
import type { EngineClient, Json } from "../../tests/support/engine-client.js";
import type { RunningEngine } from "../../tests/support/engines.js";
import type { Netns } from "../../tests/support/netns.js";

export interface Family {
  readonly name: "IPv4" | "IPv6";
  /** For a network's create request. */
  readonly network: Json;
  /** A container's address on that network. */
  addressOf(engine: EngineClient, id: string, network: string): Promise<string>;
  /** The address of the engine's machine, as the bench sees it. */
  machineOf(engine: RunningEngine): Promise<string>;
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
  machineOf: async ({ daemon }) => daemon.netns.address,
};

export const IPV6: Family = {
  name: "IPv6",
  network: { EnableIPv6: true, IPAM: { Config: [{ Subnet: "fd00:b::/64" }] } },
  addressOf: async (engine, id, network) =>
    (await engine.inspect<Inspected>(id)).NetworkSettings.Networks[network]?.GlobalIPv6Address ?? "",
  machineOf: ({ daemon }) => linked(daemon.netns),
};

/** Gives both ends of the way to an engine's machine addresses of IPv6. They are removed with the way. */
async function linked(netns: Netns): Promise<string> {
  if (!netns.isOwn) return "::1";
  const [, , third, fourth] = netns.address.split(".");
  const [here, there] = [1, 2].map((host) => `fd00:213:${third}:${fourth}::${host}`);
  const shown = await must(["ip", "-o", "addr", "show", "to", netns.hostAddress]);
  const [, name = ""] = /^\d+: (\S+)/.exec(shown) ?? [];
  await must(added(here!, name));
  await must(netns.inside(added(there!, "up0")));
  return there!;
}

/** Usable at once: nobody else can have it (RFC 4862, 5.4). */
function added(address: string, link: string): string[] {
  return ["ip", "addr", "replace", `${address}/64`, "dev", link, "nodad"];
}

/** Those that all of the engines have built. */
export async function familiesOf(engines: readonly EngineClient[]): Promise<Family[]> {
  for (const engine of engines) {
    const answer = await engine.call("POST", "/networks/create", { Name: "bench-family", ...IPV6.network });
    if (answer.status !== 201) return [IPV4];
    await engine.must(204, "DELETE", "/networks/bench-family");
  }
  return [IPV4, IPV6];
}
