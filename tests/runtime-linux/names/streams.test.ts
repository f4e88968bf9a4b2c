// Queries by TCP for which other servers are asked: what happens to them if their client goes, or if more come than can be
// asked at once. The sockets are real, in a network namespace of the test.
import { once } from "node:events";
import { closeSync, openSync } from "node:fs";
import { connect, createServer, type Server, type Socket } from "node:net";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { CLONE_NEWNET } from "../../../runtime-linux/kernel.js";
import { libc } from "../../../runtime-linux/kernel/libc.js";
import type { Connection } from "../../../runtime-linux/names/resolver/connection.js";
import { Frames, frame } from "../../../runtime-linux/names/resolver/frames.js";
import { Listener } from "../../../runtime-linux/names/resolver/listener.js";
import { MachineServers } from "../../../runtime-linux/names/resolver/machine-servers.js";
import { codeOf } from "../../../runtime-linux/names/resolver/messages.js";
import { Places } from "../../../runtime-linux/names/resolver/places.js";
import { Responder } from "../../../runtime-linux/names/resolver/responder.js";
import { Table } from "../../../runtime-linux/names/resolver/table.js";
import { Turns } from "../../../runtime-linux/names/resolver/turns.js";
import { must, until } from "../../support/commands.js";
import { describeUnless } from "../../support/on-engines.js";
import { missing } from "../networks/bridge.js";
import { question } from "./queries.js";

const NAMESPACE = "/proc/thread-self/ns/net";
const PORT = 5300;
const CONTAINER = "c";
const NETWORK = "n";

describeUnless(missing, "queries by TCP for other servers", () => {
  const opened: Socket[] = [];
  /** Connections with queries that a server has not answered. */
  const asked = new Set<Socket>();
  let askedInAll = 0;
  /** After which the server answers; undefined: never. */
  let answersAfterMs: number | undefined;
  let home = -1;
  let server: Server;
  let responder: Responder;
  let listener: Listener;

  beforeAll(async () => {
    home = openSync(NAMESPACE, "r");
    libc.unshare(CLONE_NEWNET);
    await must(["ip", "link", "set", "lo", "up"]);
    server = createServer((socket) => {
      socket.on("error", () => {});
      socket.on("data", (bytes: Buffer) => {
        asked.add(socket);
        askedInAll++;
        if (answersAfterMs !== undefined) setTimeout(() => socket.write(asAnswer(bytes)), answersAfterMs);
      });
      socket.on("close", () => asked.delete(socket));
    });
    server.listen(53, "127.0.0.2");
    await once(server, "listening");
  });

  beforeEach(() => {
    askedInAll = 0;
    answersAfterMs = undefined;
    const table = new Table();
    table.put("db", { container: "d", network: NETWORK, domain: "shop", names: ["db"], addresses: ["172.18.0.2"] });
    responder = new Responder(table, new MachineServers());
    const wish = {
      container: CONTAINER,
      networks: [{ network: NETWORK, links: [] }],
      servers: ["127.0.0.2"],
      machineServers: false,
      publicServers: [],
    };
    const resolver = { ...wish, namespace: NAMESPACE, port: PORT };
    listener = new Listener(resolver, responder, new Places<Connection>(24, 12), new Turns());
  });

  afterEach(() => {
    for (const socket of opened.splice(0)) socket.destroy();
    listener.close();
  });

  afterAll(() => {
    server.close();
    libc.setns(home, CLONE_NEWNET);
    closeSync(home);
  });

  test.each([
    ["ends its connection", (client: Socket) => client.destroy()],
    ["resets its connection", (client: Socket) => client.resetAndDestroy()],
  ])("a client that %s is waited for by no server, and by nobody", async (_what, leave) => {
    const client = await clientThatAsks(1);
    await until("the server is asked", () => asked.size === 1);
    const left = performance.now();
    leave(client);
    await until("the server is left", () => asked.size === 0);
    expect(responder.waiting).toBe(0);
    expect(performance.now() - left).toBeLessThan(LIMIT_MS / 2);
  });

  test("a client that has sent more queries before it goes has none of them asked", async () => {
    const client = await clientThatAsks(5);
    await until("the server is asked", () => asked.size === 1);
    const left = performance.now();
    client.destroy();
    await until("the server is left", () => asked.size === 0);
    expect(responder.waiting).toBe(0);
    expect(performance.now() - left).toBeLessThan(LIMIT_MS / 2);
    expect(askedInAll).toBe(1);
  });

  test("a client that ends what it sends still gets what the table knows", async () => {
    const client = await clientThatAsks(100, "db");
    client.end();
    const answers = new Frames();
    let got = 0;
    client.on("data", (bytes: Buffer) => {
      answers.add(bytes);
      while (answers.next() !== undefined) got++;
    });
    await once(client, "close");
    expect(got).toBe(100);
  });

  test("more clients than have places at once are all answered, if those before them leave within a second", async () => {
    answersAfterMs = 300;
    const answers = Array.from({ length: 20 }, async () => {
      const client = await clientThatAsks(1);
      const [bytes] = (await Promise.race([once(client, "data"), once(client, "close")])) as [Buffer | boolean];
      client.destroy();
      return typeof bytes === "boolean" ? "closed" : codeOf(bytes.subarray(2));
    });
    expect(await Promise.all(answers)).toEqual(answers.map(() => NOERROR));
  });

  async function clientThatAsks(times: number, name = "example.org"): Promise<Socket> {
    const socket = connect(PORT, "127.0.0.11");
    opened.push(socket.on("error", () => {}));
    await once(socket, "connect");
    socket.write(Buffer.concat(Array.from({ length: times }, (_, id) => frame(question(name, "A", id)))));
    return socket;
  }
});

/** An answer without records to a query with its length before it. */
function asAnswer(query: Buffer): Buffer {
  const answer = Buffer.from(query);
  answer[4]! |= 0x80;
  return answer;
}

const NOERROR = 0;
/** After which a query ends anyway. */
const LIMIT_MS = 4500;
