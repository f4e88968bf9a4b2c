// The firewall rules of a network as text: which packets the machine forwards to it and from it.
import { expect, test } from "vitest";
import type { networks } from "../../../hosts/shared/host.js";
import { tablesOf } from "../../../runtime-linux/networks/rules.js";
import { bridge as usual } from "../../support/usual-bridge.js";

const bridge: networks.Bridge = {
  ...usual,
  name: "net",
  interfaceName: "br0",
  subnet: "172.31.0.0/16",
  gateway: "172.31.0.1",
};
const ANSWERS = "ct state established,related accept";
const PUBLISHED = "ct status dnat accept";

test("a network forwards its containers' packets anywhere, and lets answers and published ports in", () => {
  const rules = [`oifname != "br0" accept`, `iifname "br0" accept`, ANSWERS, PUBLISHED, "drop"];
  expect(entering({})).toEqual(rules);
});

test("without connections between containers, packets from the bridge get back to it only as others do", () => {
  expect(entering({ connectsContainers: false })).toEqual([`oifname != "br0" accept`, ANSWERS, PUBLISHED, "drop"]);
});

test("an internal network forwards nothing but packets from its bridge back to it", () => {
  const drops = [`iifname "br0" drop`, `oifname "br0" drop`];
  const back = `iifname "br0" oifname "br0"`;
  expect(entering({ internal: true })).toEqual([`${back} accept`, ...drops]);
  const apart = entering({ internal: true, connectsContainers: false });
  expect(apart).toEqual([`${back} ${ANSWERS}`, `${back} ${PUBLISHED}`, ...drops]);
});

test("a gateway mode lets in all, or ICMP and ports that containers have opened at their own addresses", () => {
  const before = [`oifname != "br0" accept`, `iifname "br0" accept`, ANSWERS, PUBLISHED];
  const all = [...before, `iifname != "br0" accept`, "drop"];
  expect(entering({ gatewayMode: "nat-unprotected" })).toEqual(all);
  const opened = "ip daddr . meta l4proto . th dport @opened accept";
  const routed = [...before, `iifname != "br0" meta l4proto 1 accept`, opened, "drop"];
  expect(entering({ gatewayMode: "routed" })).toEqual(routed);
  expect(rulesOf("leaving", { gatewayMode: "routed" }).join()).not.toContain('"lo" } masquerade');
});

/** The rules of the chain that decides about forwarded packets. */
function entering(more: Partial<networks.Bridge>): string[] {
  return rulesOf("entering", more);
}

function rulesOf(chain: string, more: Partial<networks.Bridge>): string[] {
  const start = `add rule ip coracle-abababababab ${chain} `;
  const lines = tablesOf({ ...bridge, ...more }).flatMap((table) => table.split("\n"));
  return lines.filter((line) => line.startsWith(start)).map((line) => line.slice(start.length));
}
