// A start reads a container's record straight from its bytes if it looks as the engine writes it, and otherwise by way of
// a tree. Both ways lead to the same engine: a space before the same record leaves it to the tree.

import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { MemoryJournal } from "../../../hosts/shared/journal.js";
import { NOTHING_FOUND } from "../../support/nothing-found.js";
import { giveBack, unopened } from "../crash/unopened.js";
import { OPTIONS } from "../support/fixtures.js";
import { Opened } from "./opened.js";

const VERSION_0 = new Map(
  JSON.parse(readFileSync(new URL("version-0.json", import.meta.url), "utf8")) as [string, string][],
);
const kept = (prefix: string): string[] =>
  [...VERSION_0.keys()].filter((key) => key.startsWith(prefix)).map((key) => key.slice(prefix.length));
const found = { containers: kept("container/"), volumes: kept("volume/"), chains: kept("layer/") };

/** Current records, also of a container that has much of what a client can ask for. */
const TODAY = ((): ReadonlyMap<string, string> => {
  const opened = new Opened(VERSION_0, found);
  const [, some] = [...VERSION_0].find(([key]) => key.startsWith("container/"))!;
  const body = {
    Image: (JSON.parse(some) as { image: string }).image,
    Cmd: ["printf", 'quoted " and \\ and \n', "grün \u2028 \u{1f642}"],
    Labels: { plain: "text", 'odd " é': "\t" },
    Healthcheck: { Test: ["CMD", "true"], Interval: 5_000_000_000 },
    ExposedPorts: { "80/tcp": {} },
    HostConfig: {
      Annotations: { note: "é" },
      Mounts: [
        { Type: "tmpfs", Target: "/tmp" },
        { Type: "volume", Target: "/data" },
      ],
      PortBindings: { "80/tcp": [{ HostPort: "8080" }] },
      RestartPolicy: { Name: "on-failure", MaximumRetryCount: 3 },
    },
    NetworkingConfig: { EndpointsConfig: { bridge: { DriverOpts: { a: "b" } } } },
  };
  expect(opened.call("POST", "/containers/create?name=much", body).status).toBe(201);
  const Cmd = ["sh", "-c", 'echo "$0" \\ \t\n'];
  expect(opened.call("POST", "/containers/create?name=quoted", { Image: body.Image, Cmd }).status).toBe(201);
  return new Map(opened.records);
})();

const RECORDS = [...TODAY].filter(([key]) => key.startsWith("container/"));
const REST = [...TODAY].filter(([key]) => !key.startsWith("container/"));
const nameIn = (record: string): string => (JSON.parse(record) as { name: string }).name;

interface Outcome {
  /** What the log and the host are told, and all records afterwards: one line each. */
  lines: string[];
  allocated: number;
}

/** `records`: of containers; each character is a byte. */
function outcome(records: readonly [key: string, value: string][]): Outcome {
  const instance = unopened();
  const bytes = records.map(([key, value]) => ({ key, value: Buffer.from(value, "latin1") as Uint8Array }));
  const rest = REST.map(([key, value]) => ({ key, value: Buffer.from(value) as Uint8Array }));
  const seed = new Uint8Array(32).fill(9);
  const before = instance.allocatedBytes;
  const now = { wall: 1_795_400_000_000_000_000n, monotonic: 0n };
  const outputs = instance.open(OPTIONS, now, seed, [...rest, ...bytes], new MemoryJournal().endsAt, NOTHING_FOUND);
  const allocated = (instance.allocatedBytes - before) >>> 0;
  const shown = (value: unknown): string =>
    JSON.stringify(value, (_, part: unknown) => (typeof part === "bigint" ? `${part}` : textOf(part)));
  const lines = [...instance.explain(), ...outputs.records, ...outputs.effects, ...instance.records()].map(shown);
  giveBack(instance);
  return { lines, allocated };
}

/** Bytes as text, without the space before a record. */
function textOf(part: unknown): unknown {
  return part instanceof Uint8Array ? Buffer.from(part).toString("latin1").trimStart() : part;
}

const PER_OPENING = 1000;

/** Opens the variants, each as a container of its own, in both ways. Returns how many of them are in use then. */
function expectAlike(record: string, variants: readonly string[]): number {
  const { id, name } = JSON.parse(record) as { id: string; name: string };
  const own = variants.map((variant, at): [string, string] => {
    const ownId = at.toString(16).padStart(64, "0");
    const named = Buffer.from(variant).toString("latin1").replace(`"name":"${name}"`, `"name":"n${at}"`);
    return [`container/${ownId}`, named.replace(`"id":"${id}"`, `"id":"${ownId}"`)];
  });
  let used = 0;
  for (let from = 0; from < own.length; from += PER_OPENING) {
    const some = own.slice(from, from + PER_OPENING);
    const straight = outcome(some).lines;
    expect(straight).toEqual(outcome(some.map(([key, value]) => [key, ` ${value}`])).lines);
    used += some.length - straight.filter((line) => line.includes('"deed":"set-aside"')).length;
  }
  return used;
}

const TOKEN = /"(?:[^"\\]|\\.)*"|[-\d.]+|[a-z]+|[{}[\],:]/g;
const OTHERS = [
  ...[
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    " ",
    "\n",
    "",
    "x",
    '"',
    "[]",
    "{}",
    '{"a":1}',
    '["a"]',
    '[{"a":"b"}]',
    "true",
    "null",
  ],
  ...["0", "-0", "01", "-", "1.5", "1e3", "-1", "1", "4294967295", "4294967296", "9223372036854775807"],
  ...["9223372036854775808", "-9223372036854775808", "-9223372036854775809", "18446744073709551617", "1".repeat(30)],
  ...['""', '"x"', '"\\u0041"', '"\\ud83d\\ude42"', '"\\ud800"', '"\\x"', '"a\tb"', '"é"', '"\\u00zz"', '"id"'],
];

/** Where each token begins and ends. In the long documents only one in nine is taken. */
function tokensOf(record: string): [from: number, to: number][] {
  const documents = [record.indexOf('"config":{') + 10, record.indexOf('"status":')];
  return [...record.matchAll(TOKEN)]
    .map(({ index, 0: { length } }): [number, number] => [index, index + length])
    .filter(([from], at) => from < documents[0]! || from > documents[1]! || at % 9 === 0);
}

/** Documents with such characters become trees, too: they may have been written in another way. */
const isOdd = (record: string): boolean => /\\u|[^\0-\x7f]/.test(record);

/** Text of the members of the outermost object. */
function membersOf(record: string): string[] {
  const members: string[] = [];
  let depth = 0;
  let from = 1;
  for (const { index, 0: token } of record.matchAll(TOKEN)) {
    if ("{[".includes(token)) depth += 1;
    if ("}]".includes(token)) depth -= 1;
    if (depth > 1 || (depth === 1 && token !== ",")) continue;
    members.push(record.slice(from, index));
    from = index + 1;
  }
  return members;
}

describe.each(RECORDS.map(([, record]) => [nameIn(record), record]))("the record of %s", (_, record) => {
  test("is the same with any token replaced, missing or there twice", () => {
    const variants = tokensOf(record).flatMap(([from, to], at) =>
      [...OTHERS.filter((_, other) => (at + other) % 4 === 0), record.slice(from, to).repeat(2)].map(
        (other) => record.slice(0, from) + other + record.slice(to),
      ),
    );
    expect(variants.length).toBeGreaterThan(1000);
    expect(expectAlike(record, variants)).toBeGreaterThan(10);
  });

  test("is the same with members in another order, missing, there twice, or unknown", () => {
    const members = membersOf(record);
    const variants = members.flatMap((member, at) => {
      const [before, after] = [members.slice(0, at), members.slice(at + 1)];
      return [
        [...before, ...after],
        [...before, ...after, member],
        [member, ...before, ...after],
        [...members, member],
        [...before, member, member, ...after],
        [...before, '"unknown":{"a":[1]}', member, ...after],
        [...members, `${member.slice(0, member.indexOf(":"))}:1`],
      ];
    });
    expect(members.length).toBeGreaterThan(40);
    const used = expectAlike(
      record,
      variants.map((some) => `{${some.join(",")}}`),
    );
    expect(used).toBeGreaterThan(2 * members.length);
  });

  test("is the same after a cut, with more after it, or with other bytes", () => {
    const places = Array.from({ length: Math.floor(record.length / 13) }, (_, at) => at * 13);
    const cuts = places.map((at) => record.slice(0, at));
    const bytes = places.flatMap((at) =>
      ["\0", '"', "\\", "}", "\u007f"].map((byte) => record.slice(0, at) + byte + record.slice(at + 1)),
    );
    expectAlike(record, [...cuts, ...bytes, `${record} `, `${record}\n`, `${record}}`, `${record}x`, record + record]);
  });

  test("is the same with bytes that are no UTF-8", () => {
    const latin = Buffer.from(record).toString("latin1");
    const key = `container/${(JSON.parse(record) as { id: string }).id}`;
    for (let at = 5; at < latin.length; at += 97) {
      const odd = latin.slice(0, at) + "\u00ff\u00c3" + latin.slice(at + 2);
      expect(outcome([[key, odd]]).lines).toEqual(outcome([[key, ` ${odd}`]]).lines);
    }
  });

  test("needs less than half of the memory that a tree needs, unless its documents have odd characters", () => {
    const nothing = outcome([]).allocated;
    const [key, value] = RECORDS.find(([, value]) => value === record)!;
    const bytes = Buffer.from(value).toString("latin1");
    const [straight, tree] = [bytes, ` ${bytes}`].map((given) => outcome([[key, given]]).allocated - nothing);
    expect(straight).toBeLessThan(tree! / (isOdd(record) ? 1 : 2));
  });
});
