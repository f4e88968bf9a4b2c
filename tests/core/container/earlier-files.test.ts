// Runs that an earlier version started on another container's network: they have copies of its files, and no record
// says whose files they have. They continue unchanged, and their copies get the changes of the other's files.

import { expect, test } from "vitest";
import { Engine } from "../crash/engine.js";
import { containersOf } from "../crash/memory.js";

test("a copy of another container's hosts file is not changed at a restart, and loses removed links", () => {
  const before = begun();
  const { web, box } = idsOf(before);
  const records = new Map(before.records);
  records.set(`container/${box}`, asEarlier(text(records, box), text(records, web)));
  const world = before.world.afterCrash();
  const hosts = (id: string): string | undefined => world.running(id)?.hosts;
  world.running(box)!.hosts = hosts(web)!;
  const engine = new Engine(world, records, before);
  engine.open();
  engine.settle();
  expect(hosts(web)).toContain("store");
  expect(hosts(box)).toBe(hosts(web));
  const { HostsPath } = JSON.parse(send(engine, "GET", `/containers/${box}/json`)) as { HostsPath: string };
  expect(HostsPath).toMatch(new RegExp(`/containers/${box}/hosts$`));
  send(engine, "DELETE", "/containers/web/store?link=1");
  expect(hosts(web)).not.toContain("store");
  expect(hosts(box)).toBe(hosts(web));
});

function begun(): Engine {
  const engine = Engine.first();
  engine.open();
  engine.settle();
  for (const [name, HostConfig] of [
    ["db", {}],
    ["web", { Links: ["db:store"] }],
    ["box", { NetworkMode: "container:web" }],
  ] as const) {
    send(engine, "POST", `/containers/create?name=${name}`, { Image: "busybox", HostConfig });
    send(engine, "POST", `/containers/${name}/start`);
  }
  return engine;
}

/** As text, because 64-bit numbers do not survive JSON.parse. */
function asEarlier(record: string, owner: string): Uint8Array {
  const told = /"toldLinks":"(?:[^"\\]|\\.)*"/.exec(owner)![0];
  const whose = /"filesOf":"[0-9a-f]{64}"/;
  expect(record).toMatch(whose);
  expect(record).not.toContain('"toldLinks"');
  return new TextEncoder().encode(record.replace(whose, told));
}

function text(records: ReadonlyMap<string, Uint8Array>, id: string): string {
  return new TextDecoder().decode(records.get(`container/${id}`));
}

function idsOf(engine: Engine): Record<"web" | "box", string> {
  const named = containersOf(engine.records).map(({ id, name }) => [name, id]);
  return Object.fromEntries(named) as Record<"web" | "box", string>;
}

function send(engine: Engine, method: string, target: string, body?: unknown): string {
  engine.request(method, target, { body, sent: () => {} });
  engine.settle();
  const request = engine.requests.at(-1)!;
  if (request.status > 204) throw new Error(`${method} ${target}: ${request.status} ${request.text}`);
  return request.text;
}
