// Forwards connections from a port of the machine to a container, where no firewall rules do so: from IPv6 to a container
// that has only IPv4, since the kernel does not translate addresses between the two families; from ::1; and on a network
// without rules. Data and half-closes are passed on both ways. Neither side is read faster than the other accepts data.

import { once } from "node:events";
import { createConnection, createServer, type Server, type Socket } from "node:net";
import { readInto } from "../../followers/accepted.js";
import type { Forwarder, Place, Room } from "./forwarder.js";
import { boundAt, share } from "./listening.js";
import { Buffers, Way } from "./way.js";

/** A peer that disappears silently is noticed some minutes after this. */
const KEEP_ALIVE_MS = 60_000;

/** Of this process. */
const BUFFERS = new Buffers();

/**
 * Listens only at the address `from`, not on the other family. `fd`: a socket that is bound there, and from now on this
 * forwarder's; without one it rejects with the error of `boundAt`.
 */
export async function forwardStreams(
  from: Place,
  to: Place,
  room: Room,
  fd = boundAt("tcp", from, false),
): Promise<Forwarder> {
  const open = new Set<Socket>();
  const buffers = BUFFERS.share();
  const options = { allowHalfOpen: true, keepAlive: true, keepAliveInitialDelay: KEEP_ALIVE_MS, noDelay: true };
  const server = createServer({ ...options, pauseOnConnect: true }, (accepted) => {
    if (!room.enter()) return void accepted.destroy();
    const [there, back] = [new Way(buffers), new Way(buffers)];
    const client = readInto(there.onread, accepted);
    if (client === undefined) return room.leave();
    const container = createConnection({ ...options, host: to.address, port: to.port, onread: back.onread });
    there.join(client, container);
    back.join(container, client);
    for (const socket of [client, container]) {
      // Forwarded connections do not keep the process alive.
      socket.unref();
      open.add(socket);
      socket.on("close", () => open.delete(socket));
    }
    pass(client, container, () => room.leave());
  });
  await listen(server, fd);
  return {
    fd,
    close() {
      server.close();
      for (const socket of open) socket.destroy();
    },
    share: (isShared) => share(fd, isShared),
    handOver: () => void server.close(),
  };
}

async function listen(server: Server, fd: number): Promise<void> {
  server.listen({ fd });
  await once(server, "listening");
  server.unref();
  // If a connection cannot be accepted, for lack of descriptors, only its client is affected.
  server.on("error", () => {});
}

/**
 * Forwards both ways until both sides have closed. If one side fails, the other is closed, even with data still to
 * send.
 */
function pass(client: Socket, container: Socket, closed: () => void): void {
  let left = 2;
  for (const [one, other] of [
    [client, container],
    [container, client],
  ] as const) {
    one.on("error", () => other.destroy());
    one.on("close", () => {
      // If all was read, its way ends the other side after the data that is still to be written.
      if (!one.readableEnded) other.destroy();
      if (--left === 0) closed();
    });
  }
}
