// One query to one server, by UDP or TCP. By TCP, each has a connection of its own.

import { randomInt } from "node:crypto";
import { Socket } from "node:net";
import { frame, Frames } from "./frames.js";
import { answers, withId } from "./messages.js";
import { connectedSocket, type Server, type Transport } from "./sockets.js";
import { openUpstream, type Came } from "./upstream.js";

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
  const socket = new Socket({ fd, readable: true, writable: true });
  const deliver: Came = (answer) => came(answer && withId(answer, asked.readUInt16BE(0)));
  const end = ending(() => socket.destroy(), deliver);
  const frames = new Frames();
  socket.on("data", (bytes) => {
    for (const message of frames.read(bytes)) if (answers(message, query)) end(message);
  });
  socket.on("error", () => end(undefined));
  socket.on("close", () => end(undefined));
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
