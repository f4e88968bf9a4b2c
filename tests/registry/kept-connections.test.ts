// Kept-alive connections: reused, and replaced if the registry has closed them meanwhile.

import { createServer } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { expect, test } from "vitest";
import { nodeTransport } from "../../hosts/node/registry/index.js";
import { registryClient } from "../../hosts/registry/client.js";
import { repository } from "./fake.js";

test("one connection serves many requests, and a closed one is replaced without an error", async () => {
  const requests = new Map<Socket, number>();
  let most = Infinity;
  const server = createServer((request, response) => {
    const count = (requests.get(request.socket) ?? 0) + 1;
    requests.set(request.socket, count);
    if (count > most) return void request.socket.destroy();
    response.end(`{"tags":["1.0"]}`);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const client = registryClient({ transport: nodeTransport() });
  const from = repository({ authority: `127.0.0.1:${(server.address() as AddressInfo).port}` });
  try {
    for (let n = 0; n < 5; n++) expect(await client.tags(from)).toEqual(["1.0"]);
    expect([...requests.values()]).toEqual([6]);
    most = 6;
    expect(await client.tags(from)).toEqual(["1.0"]);
    expect([...requests.values()]).toEqual([7, 1]);
    most = 0;
    await expect(client.tags(from)).rejects.toMatchObject({
      failure: { tag: "exchange", val: { why: { tag: "closed" } } },
    });
  } finally {
    server.closeAllConnections();
    server.close();
  }
});
