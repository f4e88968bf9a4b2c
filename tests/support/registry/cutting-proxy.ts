// Passes connections on to a registry, and cuts the first one that sends much.

import { connect, createServer, type AddressInfo, type Socket } from "node:net";

export interface CuttingProxy {
  /** `ADDRESS:PORT`. */
  readonly authority: string;
  close(): Promise<void>;
}

/** `most`: bytes of the connection that is cut. */
export async function startCuttingProxy(registry: string, most: number): Promise<CuttingProxy> {
  const [host = "", port] = registry.split(":");
  const sockets = new Set<Socket>();
  let hasCut = false;
  const server = createServer((client) => {
    const upstream = connect(Number(port), host);
    let passed = 0;
    for (const [one, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(one);
      one.on("error", () => {}).on("close", () => void (sockets.delete(one), other.destroy()));
    }
    upstream.pipe(client);
    client.on("data", (piece) => {
      passed += piece.length;
      upstream.write(piece);
      if (hasCut || passed < most) return;
      hasCut = true;
      client.destroy();
      upstream.end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    authority: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}
