// Connections to a port of the machine on IPv6, passed on to a container that has IPv4 only: the kernel translates no
// address of the one family into the other. What one end sends or ends, the other hears; neither is read faster than the
// other takes it.

import { once } from "node:events";
import { createConnection, createServer, type Server, type Socket } from "node:net";
import type { Forwarder, Place, Room } from "./forwarder.js";

/** Peers that have gone without a word are noticed some minutes after this. */
const KEEP_ALIVE_MS = 60_000;

/** Listens at `from`, and at that IPv6 address alone. Rejects with the error of listen(2). */
export async function forwardStreams(from: Place, to: Place, room: Room): Promise<Forwarder> {
  const open = new Set<Socket>();
  const options = { allowHalfOpen: true, keepAlive: true, keepAliveInitialDelay: KEEP_ALIVE_MS, noDelay: true };
  const server = createServer(options, (client) => {
    if (!room.enter()) return void client.destroy();
    const container = createConnection({ ...options, host: to.address, port: to.port });
    for (const socket of [client, container]) {
      // What passes here keeps no process alive that has nothing else to do.
      socket.unref();
      open.add(socket);
      socket.on("close", () => open.delete(socket));
    }
    pass(client, container, () => room.leave());
  });
  await listen(server, from);
  return {
    close() {
      server.close();
      for (const socket of open) socket.destroy();
    },
  };
}

async function listen(server: Server, { address, port }: Place): Promise<void> {
  server.listen({ host: address, port, ipv6Only: true });
  await once(server, "listening");
  server.unref();
  // A connection that could not be accepted, for want of descriptors, is its client's loss alone.
  server.on("error", () => {});
}

/** Both ways, until both have closed. An end that fails closes the other, whatever that has still to be sent. */
function pass(client: Socket, container: Socket, closed: () => void): void {
  let left = 2;
  for (const [one, other] of [
    [client, container],
    [container, client],
  ] as const) {
    one.pipe(other);
    one.on("error", () => other.destroy());
    one.on("close", () => {
      // Once all of it was read, the other is ended by the pipe, after what still waits to be written.
      if (!one.readableEnded) other.destroy();
      if (--left === 0) closed();
    });
  }
}
