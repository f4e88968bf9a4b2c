// No command that changes anything gets through a dry run, whatever calls it; and other assumptions about core/wit.

import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { COMMANDS } from "../../build/core/commands.js";
import { Asks } from "../../hosts/dry-run/asks.js";
import { WAIT } from "../../hosts/dry-run/waits.js";
import type { HostEffect } from "../../hosts/shared/outputs.js";
import { RecordedEngine } from "../trace/engine.js";

const { processes, content, networks, volumes } = COMMANDS;

test.each(Object.entries({ processes, content, networks, volumes }))(
  "of %s only commands that ask reach the host, and none that changes something",
  async (to, commands) => {
    const asked: string[] = [];
    const perform = async (_op: bigint, { tag }: { tag: string }): Promise<void> => void asked.push(tag);
    const asks = new Asks({ [to]: perform } as never);
    for (const [tag, { kind }] of Object.entries(commands)) {
      const done = asks.ask({ to, op: 1n, command: { tag } } as unknown as HostEffect);
      if (kind === "ask") await done;
      else await expect(done).rejects.toThrow(`a dry run does nothing: ${to} ${tag}`);
    }
    const questions = Object.entries(commands).filter(([, { kind }]) => kind === "ask");
    expect(asked).toEqual(questions.map(([tag]) => tag));
  },
);

test("the only used text of a note is promised in core/wit, and is the core's", async () => {
  const wit = readFileSync(new URL("../../core/wit/engine.wit", import.meta.url), "utf8");
  expect(wit).toContain(`relies on the route text \`${WAIT}\``);
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
