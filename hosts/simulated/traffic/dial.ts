// Connections from outside the world to its published ports. Whatever comes from outside enters as an event of its own.

import type { PortConnection } from "../../shared/index.js";
import type { Sink, Source } from "../processes/streams.js";
import type { SimulatedTime } from "../time.js";
import { bracketed, isLoopback } from "./addresses.js";
import type { ConnectionEnd, Peer } from "./connection.js";
import { MOST_DATAGRAM_BYTES } from "./datagram-socket.js";
import { SocketError } from "./errors.js";
import type { Traffic } from "./traffic.js";

/** The world as programs outside it see it. */
export interface World {
  readonly time: SimulatedTime;
  readonly traffic: Traffic;
  /** Aborted when the world ends: no event runs any more. */
  readonly ended: AbortSignal;
}

/** Connects from the machine itself. Rejects with `SocketError`, or with the reason of the world's end. */
export async function dial(world: World, to: Peer): Promise<PortConnection> {
  const { time, traffic, ended } = world;
  const connecting = new Promise<ConnectionEnd>((resolve, reject) => {
    const done = (result: ConnectionEnd | SocketError["code"]): void =>
      typeof result === "object" ? resolve(result) : reject(new SocketError(result));
    time.enter(() => traffic.connect(traffic.machine, to, done)).catch(reject);
  });
  const end = await before(ended, connecting);
  return { readable: readableOf(world, end), writable: writableOf(world, end, putAll) };
}

/**
 * The same with a UDP port: each chunk is a datagram, an empty one too; a write rejects with `SocketError` if it is too
 * large for one. It ends when the other side says that nobody listens there. Rejects with `SocketError` if there is no
 * way.
 */
export async function dialDatagrams(world: World, to: Peer): Promise<PortConnection> {
  const { time, traffic, ended } = world;
  const opening = new Promise<ConnectionEnd>((resolve, reject) => {
    const open = (): void => {
      try {
        resolve(traffic.datagrams.connect(traffic.datagrams.bind(traffic.machine), to));
      } catch (error) {
        reject(error as Error);
      }
    };
    time.enter(open).catch(reject);
  });
  const end = await before(ended, opening);
  return { readable: readableOf(world, end), writable: writableOf(world, end, putOne) };
}

/** Acts as an event of its own. */
async function enter({ time, ended }: World, act: () => void): Promise<void> {
  await before(ended, time.enter(act));
}

/** Rejects with the signal's reason if it is aborted first. */
function before<T>(signal: AbortSignal, pending: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = (): void => reject(signal.reason as Error);
    if (signal.aborted) stop();
    signal.addEventListener("abort", stop, { once: true });
    void pending.then(resolve, reject).finally(() => signal.removeEventListener("abort", stop));
  });
}

/** Resolves once there may be bytes, or room for them. */
function woken(held: Pick<Source, "wake">): Promise<void> {
  return new Promise((wake) => void held.wake(wake));
}

/** Asks a port of the machine for its page, without events of its own. Rejects with `SocketError`. */
export async function visit(traffic: Traffic, to: Peer): Promise<string> {
  const { source, sink } = await new Promise<ConnectionEnd>((resolve, reject) => {
    traffic.connect(traffic.machine, to, (result) =>
      typeof result === "object" ? resolve(result) : reject(new SocketError(result)),
    );
  });
  const name = isLoopback(to.address) ? "localhost" : bracketed(to.address);
  sink.put(new TextEncoder().encode(`GET / HTTP/1.1\r\nHost: ${name}:${to.port}\r\nConnection: close\r\n\r\n`));
  const decoder = new TextDecoder();
  let text = "";
  for (;;) {
    const piece = source.take();
    if (piece === null || text.length > MOST_SHOWN) break;
    if (piece === undefined) await woken(source);
    else text += decoder.decode(piece, { stream: true });
  }
  source.release();
  sink.release();
  return text;
}

/** A longer answer is cut off. */
const MOST_SHOWN = 65_536;

function readableOf(world: World, { source }: ConnectionEnd): ReadableStream<Uint8Array> {
  const { ended } = world;
  let isLeft = false;
  let leave = (): void => {};
  const left = new Promise<void>((resolve) => (leave = resolve));
  return new ReadableStream(
    {
      async pull(controller) {
        let piece: Uint8Array | null | undefined;
        let more = Promise.resolve();
        for (;;) {
          await enter(world, () => {
            piece = source.take();
            // In the same event: what comes later would not wake it.
            if (piece === undefined) more = woken(source);
          });
          if (piece !== undefined || isLeft) break;
          // The flow may go on without its reader: the writer may stay open.
          await before(ended, Promise.race([more, left]));
        }
        if (isLeft || piece === undefined) return;
        if (piece === null) controller.close();
        else controller.enqueue(piece);
      },
      async cancel() {
        isLeft = true;
        leave();
        if (!ended.aborted) await enter(world, () => source.release());
      },
    },
    { highWaterMark: 0 },
  );
}

/** Puts a chunk into a sink. `signal`: the writer gives up. */
type Put = (world: World, sink: Sink, bytes: Uint8Array, signal: AbortSignal) => Promise<void>;

function writableOf(world: World, { sink, source }: ConnectionEnd, put: Put): WritableStream<Uint8Array> {
  const { ended } = world;
  return new WritableStream({
    async write(bytes, { signal }) {
      await put(world, sink, bytes, signal);
    },
    async close() {
      await enter(world, () => sink.release());
    },
    async abort() {
      if (ended.aborted) return;
      await enter(world, () => {
        sink.release();
        source.release();
      });
    },
  });
}

/** In as many pieces as there is room for. */
const putAll: Put = async (world, sink, bytes, signal) => {
  for (let rest = bytes; rest.length > 0;) {
    let taken: number | null = 0;
    let room = Promise.resolve();
    await enter(world, () => {
      taken = sink.put(rest);
      if (taken !== rest.length) room = woken(sink);
    });
    if (taken === null) throw new Error("the connection is closed");
    rest = rest.subarray(taken);
    if (rest.length > 0) await before(signal, before(world.ended, room));
  }
};

/** As one datagram. */
const putOne: Put = async (world, sink, bytes) => {
  if (bytes.length > MOST_DATAGRAM_BYTES) throw new SocketError("EMSGSIZE");
  await enter(world, () => void sink.put(bytes));
};
