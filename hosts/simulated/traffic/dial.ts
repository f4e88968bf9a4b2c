// Connections from outside the world to its published ports. Whatever comes from outside enters as an event of its own.

import type { PortConnection } from "../../shared/index.js";
import type { SimulatedTime } from "../time.js";
import type { ConnectionEnd, Peer } from "./connection.js";
import { SocketError } from "./errors.js";
import type { Traffic } from "./traffic.js";

/** Connects from the machine itself. Rejects with `SocketError`. */
export async function dial(time: SimulatedTime, traffic: Traffic, to: Peer): Promise<PortConnection> {
  const end = await new Promise<ConnectionEnd>((resolve, reject) => {
    const done = (result: ConnectionEnd | SocketError["code"]): void =>
      typeof result === "object" ? resolve(result) : reject(new SocketError(result));
    time.enter(() => traffic.connect(traffic.machine, to, done)).catch(reject);
  });
  return { readable: readableOf(time, end), writable: writableOf(time, end) };
}

/** Asks a port of the machine for its page, without events of its own. Rejects with `SocketError`. */
export async function visit(traffic: Traffic, port: number): Promise<string> {
  const { source, sink } = await new Promise<ConnectionEnd>((resolve, reject) => {
    traffic.connect(traffic.machine, { address: "127.0.0.1", port }, (result) =>
      typeof result === "object" ? resolve(result) : reject(new SocketError(result)),
    );
  });
  sink.put(new TextEncoder().encode(`GET / HTTP/1.1\r\nHost: localhost:${port}\r\nConnection: close\r\n\r\n`));
  const decoder = new TextDecoder();
  let text = "";
  for (;;) {
    const piece = source.take();
    if (piece === null || text.length > MOST_SHOWN) break;
    if (piece === undefined) await new Promise<void>((wake) => source.wake(wake));
    else text += decoder.decode(piece, { stream: true });
  }
  source.release();
  sink.release();
  return text;
}

/** A longer answer is cut off. */
const MOST_SHOWN = 65_536;

function readableOf(time: SimulatedTime, { source }: ConnectionEnd): ReadableStream<Uint8Array> {
  return new ReadableStream(
    {
      async pull(controller) {
        let piece: Uint8Array | null | undefined;
        for (;;) {
          await time.enter(() => (piece = source.take()));
          if (piece !== undefined) break;
          await new Promise<void>((wake) => source.wake(wake));
        }
        if (piece === null) controller.close();
        else controller.enqueue(piece);
      },
      async cancel() {
        await time.enter(() => source.release());
      },
    },
    { highWaterMark: 0 },
  );
}

function writableOf(time: SimulatedTime, { sink, source }: ConnectionEnd): WritableStream<Uint8Array> {
  return new WritableStream({
    async write(bytes) {
      for (let rest = bytes; rest.length > 0;) {
        let taken: number | null = 0;
        await time.enter(() => (taken = sink.put(rest)));
        if (taken === null) throw new Error("the connection is closed");
        rest = rest.subarray(taken);
        if (rest.length > 0) await new Promise<void>((wake) => sink.wake(wake));
      }
    },
    async close() {
      await time.enter(() => sink.release());
    },
    async abort() {
      await time.enter(() => {
        sink.release();
        source.release();
      });
    },
  });
}
