// A request whose body or answer is large. The client does as little as it can, because it runs on the same processors.
import { connect } from "node:net";
import { COMMON_VERSION } from "../tests/support/engine-client.js";
import type { RunningEngine } from "../tests/support/engines.js";

/** Counts and discards the answer's bytes. At least `least` bytes must arrive; the connection closes at their end. */
export function transfer(
  engine: RunningEngine,
  method: string,
  path: string,
  body: Buffer | null,
  atLeast: number,
): Promise<void> {
  return new Promise((resolve, reject) => {
    let [head, total] = ["", 0];
    const about = body === null ? "" : `Content-Type: application/x-tar\r\nContent-Length: ${body.length}\r\n`;
    const socket = connect(engine.socketPath, () => {
      socket.write(
        `${method} /v${COMMON_VERSION}${path} HTTP/1.1\r\nHost: docker\r\nConnection: close\r\n${about}\r\n`,
      );
      if (body !== null) socket.write(body);
    });
    socket.on("data", (bytes: Buffer) => {
      if (total === 0) head = bytes.toString("latin1", 0, 300);
      total += bytes.length;
    });
    socket.on("error", reject);
    socket.on("close", () => {
      if (head.startsWith("HTTP/1.1 200") && total >= atLeast) resolve();
      else reject(new Error(`${engine.kind}: ${method} ${path}: ${total} bytes of answer, ${head}`));
    });
  });
}
