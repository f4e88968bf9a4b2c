// Datagrams that are sent in one call for all that a turn of the event loop wants to send at the same socket: to call the
// kernel takes most of what it takes to send one.

import { Datagrams } from "../../kernel/datagrams.js";
import { writeId } from "./messages.js";
import { sendDatagram } from "./sockets.js";

/** How many wait at most. */
const MOST = 32;
/** Longer ones are rare, and sent alone. */
const LONGEST = 1232;
/** A connected socket has its receiver already. */
export const NOBODY = new Uint8Array(0);

/** Is told when a message could not be sent. */
export interface Sender {
  /** `id`: the message's. `errno`: a negative number. Nothing may be sent before this returns. */
  failed(id: number, errno: number): void;
}

let room: Datagrams | undefined;
let count = 0;
/** Somebody sends what waits when he is done. */
let isGathered = false;
/** Of those that wait. */
const descriptors = new Int32Array(MOST);
const ids = new Uint16Array(MOST);
const senders: (Sender | undefined)[] = Array.from({ length: MOST });

/**
 * Sends a message with this id, at the end of the turn at the latest. `to`: a `sockaddr`. The descriptor must stay open
 * until then, or `sendWaiting` must be called before it is closed. Without a sender, a message that the kernel does not
 * take is lost, as any datagram may be.
 */
export function sendSoon(fd: number, message: Uint8Array, id: number, to: Uint8Array, sender?: Sender): void {
  if (message.length > LONGEST) return sendAlone(fd, message, id, to, sender);
  if (count === MOST) sendWaiting();
  if (count === 0 && !isGathered) process.nextTick(sendWaiting);
  room ??= new Datagrams(MOST, LONGEST);
  const bytes = room.bytes[count]!;
  bytes.set(message);
  writeId(bytes, id);
  room.names[count]!.set(to);
  room.setLengths(count, message.length, to.length);
  descriptors[count] = fd;
  ids[count] = id;
  senders[count] = sender;
  count++;
}

/** Sends what this wants to send when it is done: to be told of the end of a turn takes longer than to answer a query. */
export function gathered(act: () => void): void {
  isGathered = true;
  try {
    act();
  } finally {
    isGathered = false;
    sendWaiting();
  }
}

/** Sends what waits: neighbors for the same socket in one call. */
export function sendWaiting(): void {
  const all = count;
  count = 0;
  for (let begin = 0, end = 0; begin < all; begin = end) {
    while (end < all && descriptors[end] === descriptors[begin]) end++;
    room!.send(descriptors[begin]!, begin, end, (at, errno) => senders[at]?.failed(ids[at]!, errno));
  }
}

function sendAlone(fd: number, message: Uint8Array, id: number, to: Uint8Array, sender?: Sender): void {
  const bytes = Buffer.from(message);
  writeId(bytes, id);
  const sent = sendDatagram(fd, bytes, to);
  if (sent < 0) sender?.failed(id, sent);
}
