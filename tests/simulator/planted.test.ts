// A simulator that finds nothing is not believed: a core that does one thing wrong now and then is found out within a
// few seeds, by the rule that it breaks.

import { beforeAll, expect, test } from "vitest";
import { packageCore } from "../../hosts/embedding/core.js";
import { prepareFuzz } from "./clients/fuzzed.js";
import { playSeed, playStory } from "./play.js";
import { plant, type Wrong } from "./planted.js";
import { shortest } from "./shrink.js";

beforeAll(() => prepareFuzz(new URL("../swagger/swagger.tar.br", import.meta.url)));

const SEEDS = 20;
const STEPS = 150;
const NOTHING: Wrong["instead"] = () => [];
const TWICE: Wrong["instead"] = (command) => [command, command];

/** Of an entry of the journal, before its texts; and of each text. */
const HEAD = 9;
const LENGTH = 4;

const SIGHUP = 1;

const decoder = new TextDecoder();
const encoder = new TextEncoder();

function changed(change: (record: Record<string, unknown>) => void): Wrong["instead"] {
  return (command) => {
    const { key, value } = command.val as { key: string; value: Uint8Array };
    if (!key.startsWith("container/")) return [command];
    const record = JSON.parse(decoder.decode(value)) as Record<string, unknown>;
    change(record);
    return [{ tag: "put", val: { key, value: encoder.encode(JSON.stringify(record)) } }];
  };
}

/** An event, in the form of the journal: its action stands behind its type, each after its length. */
const misnamed: Wrong["instead"] = (command) => {
  const entry = command.val as { bytes: Uint8Array };
  const bytes = entry.bytes.slice();
  const action = HEAD + LENGTH + new DataView(bytes.buffer).getUint32(HEAD, true) + LENGTH;
  bytes[action] = bytes[action]! ^ 1;
  return [{ tag: command.tag, val: { ...entry, bytes } }];
};

const misdialled: Wrong["instead"] = ({ tag, val }) => [{ tag, val: { ...(val as object), number: SIGHUP } }];

const WRONGS: readonly (Wrong & { found: string })[] = [
  { says: "answers nobody", on: "replies", command: "whole", each: 9, instead: NOTHING, found: "replies" },
  { says: "answers twice", on: "replies", command: "whole", each: 9, instead: TWICE, found: "replies" },
  { says: "never ends a wait", on: "replies", command: "end", each: 3, instead: NOTHING, found: "replies" },
  {
    ...{ says: "forgets to write", on: "records", command: "put", each: 7, instead: NOTHING, found: "images" },
  },
  { says: "forgets to delete", on: "records", command: "delete", each: 2, instead: NOTHING, found: "shadows" },
  {
    ...{ says: "writes another status", on: "records", command: "put", each: 5, found: "statuses" },
    instead: changed((record) => (record["status"] = 3)),
  },
  {
    ...{ says: "writes what it does not remember", on: "records", command: "put", each: 5, found: "restart" },
    instead: changed((record) => (record["restartCount"] = 7)),
  },
  {
    ...{ says: "gives two one name", on: "records", command: "put", each: 1, found: "owners" },
    instead: changed((record) => (record["name"] = "anna")),
  },
  { says: "tells of something else", on: "records", command: "append", each: 4, instead: misnamed, found: "events" },
  { says: "sends another signal", on: "processes", command: "signal", each: 2, instead: misdialled, found: "events" },
  { says: "leaves mounts", on: "content", command: "unmount", each: 3, instead: NOTHING, found: "owners" },
  { says: "leaves networks", on: "networks", command: "leave", each: 3, instead: NOTHING, found: "owners" },
  { says: "leaves processes", on: "processes", command: "reap", each: 3, instead: NOTHING, found: "owners" },
  { says: "asks twice", on: "processes", command: "launch", each: 3, instead: TWICE, found: "operations" },
];

test.each(WRONGS)("a core that $says is found out", { timeout: 300_000 }, async (wrong) => {
  const broken: string[] = [];
  for (let seed = 1; seed <= SEEDS && !broken.includes(wrong.found); seed++) {
    const { breach } = await playSeed(seed, STEPS, { core: plant(packageCore(), wrong), oracles: {} });
    if (breach !== null) broken.push(breach.rule);
  }
  expect(broken).toContain(wrong.found);
});

test("of a story that fails little is left", { timeout: 300_000 }, async () => {
  const wrong = WRONGS.find(({ says }) => says === "leaves mounts") as Wrong;
  const options = (): Parameters<typeof playStory>[1] => ({
    core: plant(packageCore(), { ...wrong, each: 1 }),
    oracles: {},
  });
  const played = await playSeed(1, STEPS, options());
  const rule = played.breach?.rule;
  expect(rule).toMatch(/owners|replies/);
  const short = await shortest(played, (story) => playStory(story, options()));
  expect(short.breach?.rule).toBe(rule);
  expect(short.story.lines.length).toBeLessThan(10);
  // It is a story of its own: played again it fails again, and a right core plays it to its end.
  expect((await playStory(short.story, options())).breach?.rule).toBe(rule);
  expect((await playStory(short.story)).breach).toBe(null);
});
