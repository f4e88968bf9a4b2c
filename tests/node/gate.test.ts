// Request heads that arrive in pieces.

import { Socket } from "node:net";
import { expect, onTestFinished, test, vi } from "vitest";
import { Gate } from "../../hosts/node/http/gate.js";
import { KeptReplies } from "../../hosts/node/http/kept-replies.js";
import type { RequestHead } from "../../hosts/node/http/request-head.js";

test("a long head in very many pieces is read without repeated searching and copying", () => {
  const socket = new Socket();
  const heads: RequestHead[] = [];
  const gate = new Gate(socket, (_, head) => heads.push(head), new KeptReplies(() => 0));
  const value = "0123456789abcdef".repeat(60_000);
  const text = Buffer.from(`\r\n\r\nGET /x HTTP/1.1\r\nHost: d\r\nX-Registry-Config: ${value}\r\n\r\nGET /y`);
  const joined = vi.spyOn(Buffer, "concat");
  const searched = vi.spyOn(Buffer.prototype, "indexOf");
  onTestFinished(() => void vi.restoreAllMocks());
  for (let at = 0; at < text.length; at += 16) socket.emit("data", text.subarray(at, at + 16));
  const copied = joined.mock.calls.map(([pieces]) => pieces.reduce((sum, { length }) => sum + length, 0));
  const looked = searched.mock.calls.map(
    ([, from], at) => (searched.mock.contexts[at] as Buffer).length - Number(from),
  );
  expect(heads.map(({ target, headers }) => [target, headers])).toEqual([
    ["/x", `Host: d\nX-Registry-Config: ${value}`],
  ]);
  expect(copied.length).toBeGreaterThan(0);
  // Twice in all if the buffer doubles each time.
  expect(sum(copied)).toBeLessThan(2 * text.length);
  // For either line end, three bytes of the previous data with each piece.
  expect(looked.length).toBeGreaterThan(0);
  expect(sum(looked)).toBeLessThan(4 * text.length);
  gate.next();
  socket.emit("data", Buffer.from(" HTTP/1.1\r\nHost: d\r\n\r\n"));
  expect(heads[1]?.target).toBe("/y");
  gate.destroy();
});

function sum(numbers: readonly number[]): number {
  return numbers.reduce((all, one) => all + one, 0);
}
