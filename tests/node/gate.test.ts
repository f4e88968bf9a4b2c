// Heads of requests that come in pieces.

import { Socket } from "node:net";
import { expect, test } from "vitest";
import { Gate } from "../../hosts/node/gate.js";
import type { RequestHead } from "../../hosts/node/request-head.js";

test("a long head in very many pieces is taken without searching and copying it over and over", () => {
  const socket = new Socket();
  const heads: RequestHead[] = [];
  const gate = new Gate(socket, (_, head) => heads.push(head));
  const value = "0123456789abcdef".repeat(60_000);
  const text = Buffer.from(`\r\n\r\nGET /x HTTP/1.1\r\nHost: d\r\nX-Registry-Config: ${value}\r\n\r\nGET /y`);
  const before = process.cpuUsage();
  for (let at = 0; at < text.length; at += 16) socket.emit("data", text.subarray(at, at + 16));
  const { user, system } = process.cpuUsage(before);
  expect(heads.map(({ target, headers }) => [target, headers])).toEqual([
    ["/x", `Host: d\nX-Registry-Config: ${value}`],
  ]);
  expect(user + system).toBeLessThan(2_000_000);
  gate.next();
  socket.emit("data", Buffer.from(" HTTP/1.1\r\nHost: d\r\n\r\n"));
  expect(heads[1]?.target).toBe("/y");
  gate.destroy();
});
