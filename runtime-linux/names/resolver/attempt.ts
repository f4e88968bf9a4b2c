// One query to one server, by UDP or TCP. Each has a socket of its own, and so a random port: nobody can guess it to
// send false answers.

import { randomInt } from "node:crypto";
import { createSocket } from "node:dgram";
import { Socket } from "node:net";
import { attempt } from "../../kernel/calls.js";
import { frame, Frames } from "./frames.js";
import { answers, withId } from "./messages.js";
import { connectedSocket, type Transport } from "./sockets.js";

/** A name server, and the namespace from which it is asked; undefined: the machine's. */
export interface Server {
  address: string;
  namespace: string | undefined;
}

/** What comes of it: called once, unless it is closed first. Undefined: the server cannot be reached. */
export type Came = (answer: Buffer | undefined) => void;

/** Begins to ask, and returns how to stop. */
export function ask(transport: Transport, server: Server, query: Buffer, came: Came): () => void {
  const own = withId(query, randomInt(0x10000));
  const deliver: Came = (answer) => came(answer && withId(answer, query.readUInt16BE(0)));
  try {
    const fd = connectedSocket(transport, server.namespace, server.address);
    const begin = transport === "udp" ? askByDatagram : askByStream;
    return begin(fd, own, deliver);
  } catch {
    // No route, or the namespace is gone.
    setImmediate(came, undefined);
    return () => {};
  }
}

/** A connected socket has its receiver already. */
const NOBODY = new Uint8Array(0);

function askByDatagram(fd: number, query: Buffer, came: Came): () => void {
  const socket = createSocket("udp4"); // whatever the family of the descriptor
  const end = ending(() => socket.close(), came);
  socket.on("message", (bytes) => {
    if (answers(bytes, query)) end(bytes);
  });
  socket.on("error", () => end(undefined));
  socket.bind({ fd });
  if (attempt("sendto", fd, query, query.length, 0, NOBODY, 0) < 0) setImmediate(end, undefined);
  return () => end.close();
}

/** It may still be connecting: the kernel sends the query when it is. */
function askByStream(fd: number, query: Buffer, came: Came): () => void {
  const socket = new Socket({ fd, readable: true, writable: true });
  const end = ending(() => socket.destroy(), came);
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
