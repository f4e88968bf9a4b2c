// One query to one server, by UDP or TCP. By TCP, each has a connection of its own.

import { randomInt } from "node:crypto";
import { Socket, type ConnectOpts, type OnReadOpts, type SocketConstructorOpts } from "node:net";
import { firstIn, frame } from "./frames.js";
import { answers, withId } from "./messages.js";
import { connectedSocket, type Server, type Transport } from "./sockets.js";
import { openUpstream, type Came } from "./upstream.js";

/** Of messages by TCP. */
const LONGEST_FRAME = 2 + 0xffff;
/** Where answers by TCP arrive: each is copied from there, and the next one arrives there. */
const rooms: Buffer[] = [];

/** Begins to ask, and returns how to stop. */
export function ask(transport: Transport, server: Server, query: Buffer, came: Came): () => void {
  try {
    if (transport === "udp") return openUpstream(server).ask(query, came);
    return askByStream(connectedSocket(transport, server), query, came);
  } catch {
    // No route, or the namespace is gone.
    setImmediate(came, undefined);
    return () => {};
  }
}

/** It may still be connecting: the kernel sends the query when it is. */
function askByStream(fd: number, asked: Buffer, came: Came): () => void {
  const query = withId(asked, randomInt(0x10000));
  const room = rooms.pop() ?? Buffer.allocUnsafeSlow(LONGEST_FRAME);
  let filled = 0;
  const read = (length: number): boolean => {
    filled += length;
    for (let next = firstIn(room, filled); next !== undefined; next = firstIn(room, filled)) {
      if (answers(next, query)) end(next);
      room.copyWithin(0, 2 + next.length, filled);
      filled -= 2 + next.length;
    }
    return true;
  };
  const onread: OnReadOpts = { buffer: () => room.subarray(filled), callback: read };
  const options: SocketConstructorOpts & ConnectOpts = { fd, readable: true, writable: true, onread };
  const socket = new Socket(options);
  const deliver: Came = (answer) => came(answer && withId(answer, asked.readUInt16BE(0)));
  const end = ending(() => socket.destroy(), deliver);
  socket.on("error", () => end(undefined));
  socket.on("close", () => {
    rooms.push(room);
    end(undefined);
  });
  socket.write(frame(query));
  return () => end.close();
}

/** Calls `came` at most once, and closes the socket then, or when it is told to. */
function ending(close: () => void, came: Came): Came & { close: () => void } {
  let isOpen = true;
  const closeOnce = (): boolean => {
    const was = isOpen;
    isOpen = false;
    if (was) close();
    return was;
  };
  return Object.assign(
    (answer: Buffer | undefined) => {
      if (closeOnce()) came(answer);
    },
    { close: () => void closeOnce() },
  );
}
