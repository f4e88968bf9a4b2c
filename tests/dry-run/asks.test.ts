// What a dry run really asks of the machine is what core/wit marks as *ask*, and nothing else can get through.

import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { ASKS } from "../../hosts/shared/asks.js";
import { Asks } from "../../hosts/dry-run/asks.js";
import { WAIT } from "../../hosts/dry-run/waits.js";
import type { HostEffect } from "../../hosts/shared/outputs.js";
import { RecordedEngine } from "../trace/engine.js";

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

test("the one text of a note that is relied upon is promised in core/wit, and is the core's", async () => {
  const wit = readFileSync(new URL("../../core/wit/engine.wit", import.meta.url), "utf8");
  expect(wit).toContain(`\`${WAIT}\` is relied upon`);
  const routes: string[] = [];
  const engine = new RecordedEngine();
  await engine.open({
    opened: () => {},
    stepped: ({ explain }) => explain().forEach((note) => note.tag === "routed" && routes.push(note.val.route)),
    lost: () => {},
  });
  for (const target of ["/containers/nobody/wait", "/v1.30/containers/nobody/wait?condition=removed"]) {
    await engine.ask({ method: "POST", target });
  }
  expect(routes).toEqual([WAIT, WAIT]);
  await engine.driver.close();
});
