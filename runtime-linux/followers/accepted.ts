// Node's servers make sockets that take a buffer of 64 KiB for each read. These read into a buffer that is given.

import { Socket, type ConnectOpts, type OnReadOpts, type SocketConstructorOpts } from "node:net";
import { libc } from "../kernel/libc.js";

/** The same connection, read into that buffer. Undefined if there is no descriptor left. */
export function readInto(onread: OnReadOpts, accepted: Socket): Socket | undefined {
  const { fd = -1 } = (accepted as unknown as { _handle: { fd?: number } | null })._handle ?? {};
  try {
    const options: SocketConstructorOpts & ConnectOpts = { fd: libc.duplicate(fd), allowHalfOpen: true, onread };
    return new Socket(options);
  } catch {
    return undefined;
  } finally {
    accepted.destroy();
  }
}
