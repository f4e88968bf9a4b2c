// Networks in the world that a session shows: their addresses, and the containers that run on them.

import { expect, test } from "vitest";
import type { ContainerRecord, NetworkRecord } from "../../build/core/record-types.js";
import { type StatusWord, STATUSES } from "../../build/core/enum-words.js";
import { equal } from "../../hosts/timeline/equal.js";
import { type Happened, WorldFold } from "../../hosts/timeline/fold.js";
import type { engine } from "../../hosts/shared/host.js";

const NOTHING: Happened = { records: [], moved: [], events: [] };

function stored(key: string, record: object): engine.Stored {
  return { key, value: new TextEncoder().encode(JSON.stringify(record)) };
}

function network(id: string, more: Partial<NetworkRecord> = {}): engine.Stored {
  return stored(`network/${id}`, { id, name: `net-${id}`, driver: "bridge", ...more });
}

function container(id: string, networkMode: string, word: StatusWord = "running"): engine.Stored {
  const status = STATUSES.indexOf(word);
  const endpoints = [{ network: networkMode }];
  const record: Partial<ContainerRecord> = { id, networkMode, status, endpoints, args: [], mounts: [] };
  return stored(`container/${id}`, record);
}

function put(val: engine.Stored): Happened {
  return { ...NOTHING, records: [{ tag: "put", val }] };
}

test("a network shows its first IPv4 addresses, which its containers get", () => {
  const ipv6 = { subnet: "fd00::/64", gateway: "fd00::1" };
  const [one, two] = ["10.1.0.0/16", "10.2.0.0/16"].map((subnet) => ({ subnet, gateway: subnet.replace("0/16", "1") }));
  const networks = [network("a", { ipam: [ipv6, one!, two!] }), network("b", { ipam: [ipv6] }), network("c")];
  const shown = new WorldFold().opened(networks, NOTHING).networks;
  expect(shown.map(({ id, subnet, gateway }) => [id, subnet, gateway])).toEqual([
    ["a", "10.1.0.0/16", "10.1.0.1"],
    ["b", "", ""],
    ["c", "", ""],
  ]);
});

test("a network has the containers that run on it, and stays the same object while they do", () => {
  const containers = [container("1", "net-a"), container("2", "net-b"), container("3", "net-a", "exited")];
  const fold = new WorldFold();
  const on = (): unknown => Object.fromEntries(fold.world.networks.map((one) => [one.id, one.containers]));
  fold.opened([network("a"), network("b"), ...containers, container("4", "host"), container("5", "net-a")], NOTHING);
  expect(on()).toEqual({ a: ["1", "5"], b: ["2"] });
  const before = fold.world.networks;
  fold.stepped(put(container("1", "net-a", "exited")));
  expect(on()).toEqual({ a: ["5"], b: ["2"] });
  expect(fold.world.networks[0]).not.toBe(before[0]);
  expect(fold.world.networks[1]).toBe(before[1]);
});

test.each<[unknown, unknown, boolean]>([
  [{ a: [1n, { b: null }], c: "" }, { c: "", a: [1n, { b: null }] }, true],
  [{ a: undefined }, { b: undefined }, false],
  [{ a: 1 }, { a: 1, b: 2 }, false],
  [["a"], { 0: "a" }, false],
  [["a", "b"], ["a"], false],
  [[["a"]], [["b"]], false],
  [null, {}, false],
  [undefined, undefined, true],
  [1n, 1, false],
])("%o and %o are equal: %s", (one, other, are) => {
  expect(equal(one, other)).toBe(are);
});
