// Lost records with unknown keys: nothing on the machine is removed because its record is missing. What is found is set
// aside under its own id, keeps running, and is removed on request.

import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import type { engine } from "../../../hosts/shared/host.js";
import { Opened } from "./opened.js";

const VERSION_0 = new Map(
  JSON.parse(readFileSync(new URL("version-0.json", import.meta.url), "utf8")) as [string, string][],
);
const restOf = (records: ReadonlyMap<string, string>, prefix: string): string[] =>
  [...records.keys()].filter((key) => key.startsWith(prefix)).map((key) => key.slice(prefix.length));
const TODAY = new Opened(VERSION_0, wholeOf(VERSION_0)).records;
const CONTAINERS = restOf(TODAY, "container/");
const [bridge] = restOf(TODAY, "network/");
const running = CONTAINERS.find((id) => TODAY.get(`container/${id}`)!.includes('"name":"running"'))!;

/** Everything that the host has. */
const FOUND: Partial<engine.Inventory> = {
  ...wholeOf(TODAY),
  processes: [{ container: running, run: 1, state: { tag: "running", val: { pid: 9, at: 1n } }, memoryKills: 0 }],
  mounts: [running],
  joins: [{ container: running, network: bridge!, address: "172.17.0.2", ipv6Address: "" }],
  sandboxes: [running],
};

function wholeOf(records: ReadonlyMap<string, string>): Partial<engine.Inventory> {
  return {
    containers: restOf(records, "container/"),
    networks: restOf(records, "network/").slice(0, 1),
    volumes: restOf(records, "volume/"),
    chains: restOf(records, "layer/"),
  };
}

/** Without the records whose keys have these prefixes, and whether the loss is known. */
function lacking(prefixes: string[], isKnown = true): Opened {
  const kept = [...TODAY].filter(([key]) => !prefixes.some((prefix) => key.startsWith(prefix)));
  return new Opened(new Map([...kept, ...(isKnown ? ([["", ""]] as const) : [])]), FOUND).settle();
}

const warnings = (opened: Opened): string[] =>
  (opened.json<{ Warnings: string[] | null }>("/info").Warnings ?? []).filter((line) => /lost|damaged/.test(line));
const swept = (opened: Opened): string[] => opened.told.filter((line) => /^swept.*(?:no record|needs it)/.test(line));
const told = ({ asked }: Opened): string[] => asked.map(({ to, command }) => `${to} ${command.tag}`);
const dropped = (opened: Opened): string[] => told(opened).filter((line) => line.includes("drop"));

const KINDS = ["container/", "volume/", "network/", "layer/", "image/", "config/", "reference/", "engine/", ""];

test.each(KINDS)("those of %s: found objects are kept, also at the following start", (prefix) => {
  if (prefix === "container/" || prefix === "") expect(swept(lacking([prefix], false))).not.toEqual([]);
  const opened = lacking([prefix]);
  expect([swept(opened), dropped(opened)]).toEqual([[], []]);
  expect(opened.told).toContain("set-aside records: they are lost, and their keys are unknown");
  expect(warnings(opened)).toContain("WARNING: records are lost; what is here of them was set aside");
  expect(opened.records.has("")).toBe(false);
  expect(opened.records.get("engine/version")).toBe("4");
  const again = new Opened(opened.records, FOUND).settle();
  expect([swept(again), dropped(again)]).toEqual([[], []]);
  expect(warnings(again).filter((line) => line.includes("records are lost"))).toEqual([]);
});

test("containers, volumes and networks exist under their ids and names", () => {
  const opened = lacking(["container/", "volume/", "network/"]);
  const kept = [...CONTAINERS.map((id) => `container/${id}`), `network/${bridge}`];
  expect(opened.setAside.sort()).toEqual(kept.sort());
  for (const key of kept) expect(warnings(opened).join()).toContain(key);
  const { Volumes } = opened.json<{ Volumes: { Name: string }[] }>("/volumes");
  expect(Volumes.map(({ Name }) => Name).sort()).toEqual(restOf(TODAY, "volume/").sort());
  expect(opened.json(`/networks/${bridge}`)).toMatchObject({ Id: bridge });
});

test("a container can be removed with force, with all of its host's objects", () => {
  const opened = lacking(["container/"]);
  expect(opened.call("DELETE", `/containers/${running}`).status).toBe(409);
  expect(opened.call("DELETE", `/containers/${running}?force=1`).status).toBe(204);
  expect(told(opened).slice(-4)).toEqual([
    "processes reap",
    "networks leave-all",
    "content unmount",
    "content drop-container",
  ]);
  expect(opened.setAside).not.toContain(`container/${running}`);
});

test("layers of possibly lost images stay until images are pruned, whatever else is removed", () => {
  const opened = lacking(["image/", "config/", "reference/"]);
  expect(opened.setAside).toEqual([]);
  const bare = lacking(["image/", "config/", "reference/", "container/"]);
  for (const id of CONTAINERS) expect(bare.call("DELETE", `/containers/${id}?force=1`).status).toBe(204);
  expect(bare.setAside).toEqual(["image/lost"]);
  expect(warnings(bare).join()).toContain("until images are pruned");
  const isDrop = ({ command }: { command: { tag: string } }): boolean => command.tag === "drop-chain";
  const again = new Opened(bare.records, { chains: restOf(TODAY, "layer/") }).settle();
  expect(again.call("POST", '/images/prune?filters={"label":["a"]}').status).toBe(200);
  expect([again.setAside, again.asked.filter(isDrop)]).toEqual([["image/lost"], []]);
  expect(again.call("POST", "/images/prune").status).toBe(200);
  expect([again.setAside, again.asked.filter(isDrop).length]).toEqual([[], restOf(TODAY, "layer/").length]);
});

test("a record under a wrong key does not affect its own container either", () => {
  const key = `container/${running}`;
  const other = `container/${running.replace(/^./, (first) => (first === "a" ? "b" : "a"))}`;
  for (const wrong of [other, key.replace("n", "o")]) {
    const records = new Map([...TODAY].filter(([each]) => each !== key)).set(wrong, TODAY.get(key)!);
    const opened = new Opened(records, FOUND).settle();
    expect([wrong, swept(opened), dropped(opened)]).toEqual([wrong, [], []]);
    expect(opened.setAside).toEqual(expect.arrayContaining([wrong, key]));
  }
});
