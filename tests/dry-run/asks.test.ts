// What a dry run really asks of the machine is what core/wit marks as *ask*, and nothing else can get through.

import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { ASKS, Asks } from "../../hosts/dry-run/asks.js";
import type { HostEffect } from "../../hosts/outbox.js";

/** Cases by their marks: the first word of what is said of a case. */
const MARKED = /^ +\/\/\/ \*(ask|state|once)\*.*\n(?: +\/\/\/.*\n)* +%?([a-z-]+)[,(]/gm;

test.each(Object.entries(ASKS))("%s", (to, asks) => {
  const wit = readFileSync(new URL(`../../core/wit/${to}.wit`, import.meta.url), "utf8");
  const marked = [...wit.matchAll(MARKED)].map(([, mark, name]) => ({ mark, name: name! }));
  const body = wit.slice(wit.indexOf("-command {"), wit.indexOf("perform:"));
  expect(marked.map(({ name }) => name)).toEqual([...body.matchAll(/^ {4}%?([a-z-]+)[,(]/gm)].map(([, name]) => name));
  const asking = marked.filter(({ mark }) => mark === "ask").map(({ name }) => name);
  expect([...asks].sort()).toEqual(asking.sort());
});

test("a command that changes something does not reach the host", async () => {
  const reached = (): never => expect.unreachable();
  const asks = new Asks({ content: reached, volumes: reached } as never);
  const drop: HostEffect = { to: "volumes", op: 1n, command: { tag: "drop", val: "data" } };
  await expect(asks.ask(drop)).rejects.toThrow("a dry run does nothing: volumes drop");
});
