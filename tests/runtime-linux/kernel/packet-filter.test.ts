// Datagrams that a socket does not receive.

import { createSocket } from "node:dgram";
import { once } from "node:events";
import { expect, test } from "vitest";
import { libc } from "../../../runtime-linux/kernel/libc.js";
import { receiveAtMost } from "../../../runtime-linux/kernel/packet-filter.js";
import { until } from "../../support/commands.js";

test("datagrams up to a length are received, and no longer ones, on both families", async () => {
  const places = [
    { type: "udp4", address: "127.0.0.1", bytes: new Uint8Array([127, 0, 0, 1]) },
    { type: "udp6", address: "::1", bytes: new Uint8Array([...new Uint8Array(15), 1]) },
  ] as const;
  for (const { type, address, bytes } of places) {
    const fd = libc.bindPort("udp", bytes, 0);
    receiveAtMost(fd, 100);
    const receiver = createSocket(type);
    const listening = once(receiver, "listening");
    receiver.bind({ fd });
    await listening;
    const received: number[] = [];
    receiver.on("message", ({ length }) => received.push(length));
    const sender = createSocket(type);
    for (const length of [101, 100, 1000, 0, 1]) {
      await new Promise((sent) => sender.send(Buffer.alloc(length), receiver.address().port, address, sent));
    }
    // Datagrams arrive in their order, so a longer one would be here by now.
    await until("the last one", () => received.includes(1));
    expect(received).toEqual([100, 0, 1]);
    sender.close();
    receiver.close();
  }
  expect(() => receiveAtMost(-1, 1)).toThrow("EBADF");
});
