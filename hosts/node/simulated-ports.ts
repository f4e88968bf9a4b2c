// Real listeners for the published ports of the simulated machine, on this machine's loopback.

import { once } from "node:events";
import { createServer, type Server, type Socket } from "node:net";
import type { PortDoors, SimulatedHost } from "../simulated/index.js";
import { ABSENT, DatagramDoor } from "./simulated-datagrams.js";

type Published = Parameters<PortDoors["open"]>[0];

export class LoopbackDoors implements PortDoors {
  #host: SimulatedHost | null = null;

  /** Visitors are connected to the ports of this host. */
  serve(host: SimulatedHost): void {
    this.#host = host;
  }

  async open({ address, port, protocol }: Published): Promise<() => void> {
    const here = loopbackOf(address);
    if (here === null) return () => {};
    if (protocol === "udp") return (await DatagramDoor.open(this.#host!, { address: here, port })) ?? (() => {});
    const visitors = new Set<Socket>();
    const server = createServer({ allowHalfOpen: true }, (socket) => {
      visitors.add(socket);
      socket.on("error", () => {}); // the visitor has left
      socket.on("close", () => visitors.delete(socket));
      void this.#connect(socket, port, here);
    });
    if (!(await listens(server, port, here))) return () => {};
    return () => {
      server.close();
      for (const visitor of visitors) visitor.destroy();
    };
  }

  /** If nobody listens in the container, the visitor's connection is reset. */
  async #connect(socket: Socket, port: number, address: string): Promise<void> {
    try {
      const { readable, writable } = await this.#host!.dial(port, address);
      await Promise.all([taken(socket, writable), given(readable, socket)]);
    } catch {
      socket.resetAndDestroy();
    }
  }
}

/**
 * Until the visitor sends no more, even if it still takes. `Duplex.toWeb` would tell of the end only when both directions
 * have ended.
 */
async function taken(socket: Socket, writable: WritableStream<Uint8Array>): Promise<void> {
  const writer = writable.getWriter();
  try {
    for await (const bytes of socket.iterator({ destroyOnReturn: false })) await writer.write(bytes as Uint8Array);
    await writer.close();
  } catch (error) {
    await writer.abort(error).catch(() => {});
    throw error;
  }
}

async function given(readable: ReadableStream<Uint8Array>, socket: Socket): Promise<void> {
  for await (const bytes of readable) {
    if (!socket.write(bytes)) await Promise.race([drained(socket), once(socket, "close")]);
    if (socket.destroyed) throw new Error("the visitor has left");
  }
  socket.end();
}

function drained(socket: Socket): Promise<void> {
  return new Promise((resolve) => socket.once("drain", resolve));
}

/** Where a port of the simulated machine is reached on this one; null: nowhere. */
function loopbackOf(address: string): string | null {
  if (address === "0.0.0.0" || address.startsWith("127.")) return address === "0.0.0.0" ? "127.0.0.1" : address;
  return address === "::" || address === "::1" ? "::1" : null;
}

/** False if this machine has no such address. Rejects with the error of listen(2). */
function listens(server: Server, port: number, host: string): Promise<boolean> {
  return new Promise((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) => {
      if (ABSENT.includes(error.code)) resolve(false);
      else reject(error);
    });
    server.listen({ port, host, exclusive: true }, () => resolve(true));
  });
}
