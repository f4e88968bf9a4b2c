// Answers from the table that are given again without being made again.
import { decode } from "dns-packet";
import { expect, test } from "vitest";
import { MachineServers } from "../../../runtime-linux/names/resolver/machine-servers.js";
import { Responder } from "../../../runtime-linux/names/resolver/responder.js";
import { Table } from "../../../runtime-linux/names/resolver/table.js";
import type { EndpointNames, PlacedResolver } from "../../../runtime-linux/names/table-files.js";
import { question } from "./queries.js";

function shop(): { table: Table; responder: Responder } {
  const table = new Table();
  return { table, responder: new Responder(table, new MachineServers("/dev/null")) };
}

function endpoint(names: string[], address: string): EndpointNames {
  return { container: names[0]!, network: "n1", domain: "shop", names, addresses: [address] } as EndpointNames;
}

function resolverOf(container: string, network = "n1"): PlacedResolver {
  const networks = [{ network, links: [] }];
  const servers = { servers: [], machineServers: false, publicServers: [] };
  return { container, networks, namespace: "", port: 53, ...servers } as unknown as PlacedResolver;
}

function ask(responder: Responder, asker: PlacedResolver, name: string, id = 7): { id?: number; data: unknown[] } {
  let told: Buffer | undefined;
  responder.respond(asker, question(name, "A", id), "udp", (answer) => (told = answer));
  const { answers = [], ...packet } = decode(told!);
  return { id: packet.id!, data: answers.map((record) => ("data" in record ? record.data : undefined)) };
}

test("each query gets its own id, also if the answer is remembered", () => {
  const { table, responder } = shop();
  table.put("web", endpoint(["web"], "10.0.0.2"));
  const ids = [7, 8, 9].map((id) => ask(responder, resolverOf("a"), "web", id));
  expect(ids).toEqual([7, 8, 9].map((id) => ({ id, data: ["10.0.0.2"] })));
});

test("a changed table is seen at once", () => {
  const { table, responder } = shop();
  table.put("web", endpoint(["web"], "10.0.0.2"));
  expect(ask(responder, resolverOf("a"), "web").data).toEqual(["10.0.0.2"]);
  table.put("web", endpoint(["web"], "10.0.0.3"));
  responder.changed();
  expect(ask(responder, resolverOf("a"), "web").data).toEqual(["10.0.0.3"]);
});

test("what one container is told, another one on other networks is not", () => {
  const { table, responder } = shop();
  table.put("web", endpoint(["web"], "10.0.0.2"));
  expect(ask(responder, resolverOf("a"), "web").data).toEqual(["10.0.0.2"]);
  expect(ask(responder, resolverOf("b", "n2"), "web").data).toEqual([]);
});

test("several owners still take turns", () => {
  const { table, responder } = shop();
  table.put("one", endpoint(["one", "web"], "10.0.0.2"));
  table.put("two", endpoint(["two", "web"], "10.0.0.3"));
  const firsts = [1, 2, 3, 4].map(() => ask(responder, resolverOf("a"), "web").data[0]);
  expect(new Set(firsts.slice(0, 2))).toEqual(new Set(["10.0.0.2", "10.0.0.3"]));
  expect(firsts.slice(2)).toEqual(firsts.slice(0, 2));
});

test("however many names are asked for, they are all answered", () => {
  const { table, responder } = shop();
  const names = Array.from({ length: 3000 }, (_, number) => `host${number}`);
  for (const [number, name] of names.entries())
    table.put(name, endpoint([name], `10.0.${number >> 8}.${number & 255}`));
  for (const round of [1, 2]) {
    for (const [number, name] of names.entries()) {
      expect(ask(responder, resolverOf("a"), name, round).data).toEqual([`10.0.${number >> 8}.${number & 255}`]);
    }
  }
});
