// Records of user-defined networks: damaged ones, those of version 1, and a creation that the end of the engine cut off.

import { expect, test } from "vitest";
import type { HostEffect } from "../../../hosts/shared/outputs.js";
import { Opened } from "./opened.js";

const NOTHING = new Opened(new Map()).records;

/** Records of an engine with the network `own`, and the network's id. */
function withOwn(): { records: Map<string, string>; id: string } {
  const engine = new Opened(NOTHING);
  const created = engine.call("POST", "/networks/create", { Name: "own" });
  return { records: engine.records, id: (JSON.parse(created.text) as { Id: string }).Id };
}

const dropped = (engine: Opened): unknown[] =>
  engine
    .settle()
    .asked.flatMap(({ to, command }) => (to === "networks" && command.tag === "drop" ? [command.val] : []));

test("the network of a damaged record stays on the machine until a client removes it by its id", () => {
  const { records, id } = withOwn();
  const engine = new Opened(new Map(records).set(`network/${id}`, "{"), { networks: [id] });
  expect(dropped(engine)).toEqual([]);
  expect(engine.setAside).toEqual([`network/${id}`]);
  expect(engine.call("DELETE", "/networks/own").status).toBe(404);
  expect(engine.call("DELETE", `/networks/${id}`).status).toBe(204);
  expect(dropped(engine)).toEqual([id]);
  expect(engine.setAside).toEqual([]);
});

test("two damaged records do not make one of them the default bridge", () => {
  // Each engine of this test draws the same ids, so the first ones are those of other networks.
  const engineBefore = new Opened(NOTHING);
  for (const Name of ["a", "b", "c", "d"]) engineBefore.call("POST", "/networks/create", { Name });
  const { Id: id } = JSON.parse(engineBefore.call("POST", "/networks/create", { Name: "own" }).text) as { Id: string };
  const { records } = engineBefore;
  const damaged = new Map([...records].map(([key, value]) => [key, key.startsWith("network/") ? "{" : value]));
  const engine = new Opened(damaged, { networks: [id] });
  const all = engine.json<{ Name: string; Id: string }[]>("/networks");
  expect(all.map(({ Name }) => Name).sort()).toEqual(["bridge", "host", "none"]);
  expect(all.map(({ Id }) => Id)).not.toContain(id);
  expect(dropped(engine)).toEqual([]);
});

test("a network of version 1 keeps its subnet and its gateway", () => {
  const { records, id } = withOwn();
  const { ipam, ...rest } = JSON.parse(records.get(`network/${id}`)!) as {
    ipam: { subnet: string; gateway: string }[];
  };
  const before = new Map(records).set(`network/${id}`, JSON.stringify({ ...rest, ...ipam[0] }));
  const engine = new Opened(before.set("engine/version", "1"), { networks: [id] });
  expect(engine.told).toContainEqual(expect.stringMatching(/^migrated .*: from version 1 to 4$/));
  expect(engine.json("/networks/own")).toMatchObject({
    IPAM: { Config: [{ Subnet: ipam[0]!.subnet, Gateway: ipam[0]!.gateway }] },
  });
});

test("a creation that the end of the engine cut off is finished, or undone if the network cannot be made", () => {
  const isMaking = ({ to, command }: HostEffect): boolean =>
    to === "networks" && command.tag === "make" && command.val.name === "own";
  let cut = new Map<string, string>();
  const engine: Opened = new Opened(NOTHING, {}, (effect) => {
    if (isMaking(effect)) cut = new Map(engine.records);
    return undefined;
  });
  engine.call("POST", "/networks/create", { Name: "own" });
  const key = [...cut.keys()].find((one) => cut.get(one)!.includes('"name":"own"'))!;
  const finished = new Opened(cut).settle();
  expect(finished.call("GET", "/networks/own").status).toBe(200);
  expect(JSON.parse(finished.records.get(key)!)).not.toHaveProperty("creating");
  const undone = new Opened(cut, {}, (effect) => (isMaking(effect) ? "it is full" : undefined)).settle();
  expect(undone.call("GET", "/networks/own").status).toBe(404);
  expect(undone.records.has(key)).toBe(false);
});

const DAMAGES: readonly (readonly [string, object])[] = [
  ["a range outside of its subnet", { ipam: [{ subnet: "10.1.0.0/24", gateway: "10.1.0.1", range: "10.9.0.0/24" }] }],
  ["an unreadable range", { ipam: [{ subnet: "10.1.0.0/24", gateway: "10.1.0.1", range: "x" }] }],
  ["no IPv4 subnet", { ipam: [{ subnet: "fd00::/64", gateway: "fd00::1" }] }],
  ["an IPv6 gateway", { ipam: [{ subnet: "10.1.0.0/24", gateway: "fd00::1" }] }],
  ["no subnet", { ipam: [] }],
];

test.each(DAMAGES)("a record with %s does not stop the engine", (_, damage) => {
  const { records, id } = withOwn();
  const record = JSON.parse(records.get(`network/${id}`)!) as object;
  const engine = new Opened(new Map(records).set(`network/${id}`, JSON.stringify({ ...record, ...damage })));
  expect(engine.settle().call("GET", "/networks").status).toBe(200);
});

test.each(DAMAGES)("of a network on a parent, a record with %s is set aside", (_, damage) => {
  const before = new Opened(NOTHING);
  const { Id } = JSON.parse(before.call("POST", "/networks/create", { Name: "lan", Driver: "macvlan" }).text) as {
    Id: string;
  };
  const record = JSON.parse(before.records.get(`network/${Id}`)!) as object;
  expect(new Opened(before.records, { networks: [Id] }).setAside).toEqual([]);
  const damaged = new Map(before.records).set(`network/${Id}`, JSON.stringify({ ...record, ...damage }));
  expect(new Opened(damaged, { networks: [Id] }).setAside).toEqual([`network/${Id}`]);
});
