// A resize of a container's terminal between two runs causes no event. The step that answers shows whether the
// container was between two runs: other steps may follow before the answer leaves.

import { expect, test } from "vitest";
import { STATUSES } from "../../build/core/enum-words.js";
import { History } from "./invariants/history.js";
import type { Seen } from "./invariants/invariant.js";
import type { Asked } from "./oracle.js";

const ID = "a".repeat(64);
const RESIZE = { method: "POST", target: `/v1.55/containers/${ID}/resize?h=1&w=1` };

test.each([
  ["restarting", "running", 200, true],
  ["recycling", "exited", 200, true],
  ["running", "restarting", 200, false],
  ["restarting", "restarting", 500, false],
] as const)("a resize of a %s container, %s when the reply with %d leaves", (asked, told, status, isExcused) => {
  const history = new History(() => [{ position: 1n, at: 0n, bytes: created() }]);
  history.stepped(step(asked, { id: 1n, status }));
  history.stepped(step(told));
  const hear = () => history.answered({ ...RESIZE } as Asked, { status: 200, headers: new Map(), body: "" });
  if (isExcused) hear();
  // The exception applies to one answer only.
  expect(hear).toThrow("the journal lacks");
});

/** A step with the parts that the rule reads. `answer`: the step's input is a resize, and this is the reply. */
function step(word: string, answer?: { id: bigint; status: number }): Seen {
  const ledger = { containers: new Map([[ID, { id: ID, status: (STATUSES as readonly string[]).indexOf(word) }]]) };
  const input = answer === undefined ? null : { tag: "request", val: { id: answer.id, ...RESIZE } };
  const replies = answer === undefined ? [] : [reply(answer)];
  return { opening: null, input, outputs: { records: [], effects: [], replies }, ledger } as unknown as Seen;
}

function reply({ id, status }: { id: bigint; status: number }): object {
  return { request: id, command: { tag: "whole", val: { head: { status, headers: "" } } } };
}

/** An event in the journal's format: the format's number, the time, then texts with their lengths before them. */
function created(): Uint8Array {
  const texts = ["container", "create", ID].map((text) => Buffer.from(text));
  const head = Buffer.alloc(9);
  head[0] = 2;
  return Buffer.concat([head, ...texts.flatMap((text) => [lengthOf(text), text])]);
}

function lengthOf(text: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32LE(text.length);
  return length;
}
