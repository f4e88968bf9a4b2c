// Forwarding from IPv6 to IPv4, and between other families: half-closed connections, slow and vanished peers, and that nothing is left.
import { createSocket, type RemoteInfo, type Socket as Datagrams } from "node:dgram";
import { once } from "node:events";
import { readdirSync } from "node:fs";
import { type AddressInfo, createConnection, createServer, type Server, type Socket } from "node:net";
import { afterEach, describe, expect, test } from "vitest";
import { forwardDatagrams } from "../../../../runtime-linux/networks/forward/datagrams.js";
import { forwardStreams } from "../../../../runtime-linux/networks/forward/streams.js";
import { type Forwarder, Room } from "../../../../runtime-linux/networks/forward/forwarder.js";
import { until } from "../../../support/commands.js";

const closing: (() => unknown)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

describe("connections", () => {
  test("each end gets the other's last bytes, and may still answer", async () => {
    const { port } = await forwarded((socket) => {
      let heard = "";
      socket.on("data", (text) => (heard += String(text)));
      socket.on("end", () => socket.end(`heard ${heard}`));
    });
    const client = await connect(port);
    client.end("all of it");
    expect(await textOf(client)).toBe("heard all of it");

    const other = await forwarded((socket) => socket.end("bye"));
    const late = await connect(other.port);
    expect(await textOf(late)).toBe("bye");
    late.end("too late, but not refused");
    await once(late, "close");
    expect(late.errored).toBe(null);
  });

  test("a peer that does not read blocks the other, and loses nothing when it reads", async () => {
    let sent = 0;
    const whole = 64 << 20;
    const { port } = await forwarded((socket) => {
      const more = (): void => {
        while (sent < whole && !socket.destroyed) {
          sent += PIECE.length;
          if (!socket.write(PIECE)) return void socket.once("drain", more);
        }
        socket.end();
      };
      more();
    });
    const client = await connect(port);
    let before = -1;
    await until("the sender to be held up", async () => {
      const still = sent > 0 && sent === before;
      before = sent;
      return still;
    });
    expect(sent).toBeLessThan(whole);
    let received = 0;
    client.on("data", (bytes) => (received += bytes.length));
    client.on("end", () => client.end());
    await once(client, "close");
    expect(received).toBe(whole);
  });

  test("a slow end reads everything that the other has sent before it left", async () => {
    let received = 0;
    const { port } = await forwarded((socket) => {
      socket.pause();
      setTimeout(() => socket.resume(), 300);
      socket.on("data", (bytes) => (received += bytes.length));
      socket.on("end", () => socket.end());
    });
    const client = await connect(port);
    const whole = 16 << 20;
    for (let sent = 0; sent < whole; sent += PIECE.length) client.write(PIECE);
    client.end();
    client.resume();
    await once(client, "close");
    expect(received).toBe(whole);
  });

  test("an end that fails closes the other, and so does a container that does not listen", async () => {
    const sockets: Socket[] = [];
    const { port } = await forwarded((socket) => sockets.push(socket));
    const client = await connect(port);
    await until("the container to be reached", async () => sockets.length === 1);
    sockets[0]?.resetAndDestroy();
    await closed(client);

    const server = await listening(createServer());
    const gone = portOf(server);
    server.close();
    const refused = createConnection({ host: "::1", port: (await forward(gone)).port });
    await closed(refused);
  });

  test("a reader that never reads leaves nothing when it is gone", async () => {
    const sockets: Socket[] = [];
    const { port, room } = await forwarded((socket) => {
      sockets.push(socket);
      const more = (): void => {
        while (!socket.destroyed && socket.write(PIECE));
        socket.once("drain", more);
      };
      more();
    });
    const client = await connect(port);
    await until("the sender to be held up", async () => (sockets[0]?.writableLength ?? 0) > 0);
    client.destroy();
    await until("both to be closed", async () => room.free === 100);
  });

  test("a thousand connections, dropped in every way, leave no descriptor", async () => {
    const { port, room } = await forwarded((socket) => {
      socket.on("data", (text) => socket.write(text));
      socket.on("end", () => socket.end());
    });
    const before = descriptors();
    for (let round = 0; round < 20; round++) {
      const clients = await Promise.all(Array.from({ length: 50 }, () => connect(port)));
      clients.forEach((client, at) => {
        client.on("error", () => {});
        if (at % 3 !== 0) client.write("some words");
        if (at % 2 === 0) client.resetAndDestroy();
        else if (at % 5 === 0) client.end(() => client.resume());
        else client.destroy();
      });
    }
    await until("all to be closed", async () => descriptors() <= before && room.free === 100);
  });

  test("connections above the limit are closed, and closed ones make room; closing ends all", async () => {
    const { port, forwarder } = await forwarded((socket) => {
      socket.on("end", () => socket.end());
      socket.resume();
      socket.write("in");
    }, 4);
    const clients: Socket[] = [];
    for (let at = 0; at < 4; at++) {
      const client = await connect(port);
      await once(client, "data");
      clients.push(client);
    }
    const beyond = createConnection({ host: "::1", port });
    await closed(beyond);
    clients.pop()?.destroy();
    await until("room for one more", async () => {
      const next = createConnection({ host: "::1", port });
      next.on("error", () => {});
      closing.push(() => next.destroy());
      return Promise.race([once(next, "data").then(() => true), closed(next).then(() => false)]);
    });
    const ends = clients.map(closed);
    forwarder.close();
    await Promise.all(ends);
    const late = createConnection({ host: "::1", port });
    await expect(once(late, "connect")).rejects.toThrow("ECONNREFUSED");
  });
});

describe("datagrams", () => {
  test("each client gets its own answers", async () => {
    const { port, clientsOf } = await forwardedDatagrams();
    const [a, b] = [await datagrams(), await datagrams()];
    const [first, second] = [once(a, "message"), once(b, "message")];
    a.send("from a", port, "::1");
    b.send("from b", port, "::1");
    expect(String((await first)[0])).toBe("re from a");
    expect(String((await second)[0])).toBe("re from b");
    const third = once(a, "message");
    a.send("again", port, "::1");
    const [answer, sender] = (await third) as [Buffer, RemoteInfo];
    expect([String(answer), sender.port]).toEqual(["re again", port]);
    expect(clientsOf()).toBe(2);
  });

  test.each([
    ["127.0.0.1", "127.0.0.1"],
    ["::1", "::1"],
  ])("from %s to %s", async (from, to) => {
    const { port, forwarder } = await forwardedDatagrams(from, to);
    closing.push(() => forwarder.close());
    const client = await datagrams(from);
    const answer = once(client, "message");
    client.send("hello", port, from);
    expect(String((await answer)[0])).toBe("re hello");
  });

  test("at the limit the longest-silent client is forgotten; closing leaves no descriptor", async () => {
    const { port, forwarder, clientsOf, room } = await forwardedDatagrams();
    const before = descriptors();
    for (let at = 0; at < 9; at++) {
      const client = await datagrams();
      const answer = once(client, "message");
      client.send("x", port, "::1");
      expect(String((await answer)[0])).toBe("re x");
      client.close();
    }
    expect(clientsOf()).toBe(9);
    expect(room.free).toBe(0);
    forwarder.close();
    // Everything has been sent, so no socket has anything to wait for.
    expect(descriptors()).toBeLessThan(before);
    expect(room.free).toBe(4);
  });
});

const PIECE = Buffer.alloc(64 << 10, "x");

/** A room whose use can be counted. */
class CountedRoom extends Room {
  constructor(public free: number) {
    super(free);
  }

  override enter(): boolean {
    const entered = super.enter();
    if (entered) this.free--;
    return entered;
  }

  override leave(): void {
    super.leave();
    this.free++;
  }
}

interface Forwarded {
  port: number;
  forwarder: Forwarder;
  room: CountedRoom;
}

/** A port on ::1 that leads to a server on 127.0.0.1. */
async function forwarded(serve: (socket: Socket) => unknown, most = 100): Promise<Forwarded> {
  const server = await listening(createServer({ allowHalfOpen: true }, serve));
  // Open connections are reset at the end of a test.
  server.on("connection", (socket) => socket.on("error", () => {}));
  closing.push(() => server.close());
  return forward(portOf(server), most);
}

/** A port on ::1 that leads to one on 127.0.0.1. */
async function forward(to: number, most = 100): Promise<Forwarded> {
  const port = await freePort();
  const room = new CountedRoom(most);
  const forwarder = await forwardStreams({ address: "::1", port }, { address: "127.0.0.1", port: to }, room);
  closing.push(() => forwarder.close());
  return { port, forwarder, room };
}

/** A port that leads to a datagram server, which answers each packet and counts its clients. */
async function forwardedDatagrams(
  from = "::1",
  target = "127.0.0.1",
): Promise<Forwarded & { clientsOf: () => number }> {
  const server = createSocket(typeFor(target)).bind(0, target);
  await once(server, "listening");
  closing.push(() => server.close());
  const clients = new Set<number>();
  server.on("message", (bytes, sender) => {
    clients.add(sender.port);
    server.send(`re ${String(bytes)}`, sender.port, sender.address);
  });
  const port = await freePort();
  const room = new CountedRoom(4);
  const to = { address: target, port: server.address().port };
  const forwarder = await forwardDatagrams({ address: from, port }, to, room);
  return { port, forwarder, room, clientsOf: () => clients.size };
}

async function datagrams(address = "::1"): Promise<Datagrams> {
  const socket = createSocket(typeFor(address)).bind(0, address);
  await once(socket, "listening");
  closing.push(() => socket.unref());
  return socket;
}

function typeFor(address: string): "udp4" | "udp6" {
  return address.includes(":") ? "udp6" : "udp4";
}

/** A connected client, ended with the test. */
async function connect(port: number): Promise<Socket> {
  const client = createConnection({ host: "::1", port, allowHalfOpen: true });
  closing.push(() => client.destroy());
  await once(client, "connect");
  return client;
}

/** Closed without data. */
async function closed(client: Socket): Promise<void> {
  let text = "";
  client.on("data", (bytes) => (text += String(bytes)));
  client.on("end", () => client.end());
  await once(client, "close");
  expect(text).toBe("");
}

async function textOf(client: Socket): Promise<string> {
  let text = "";
  for await (const bytes of client.iterator({ destroyOnReturn: false })) text += String(bytes);
  return text;
}

async function listening(server: Server, host = "127.0.0.1"): Promise<Server> {
  server.listen(0, host);
  await once(server, "listening");
  return server;
}

function portOf(server: Server): number {
  return (server.address() as AddressInfo).port;
}

/** A port that was free on ::1 a moment ago. */
async function freePort(): Promise<number> {
  const server = await listening(createServer(), "::1");
  const port = portOf(server);
  server.close();
  await once(server, "close");
  return port;
}

/** Number of descriptors that this process has open. */
function descriptors(): number {
  return readdirSync("/proc/self/fd").length;
}
