// Sockets that ask other name servers: which queries share one, and when it is closed. In a network namespace of the test.
import { decode, encode } from "dns-packet";
import { createSocket, type Socket } from "node:dgram";
import { once } from "node:events";
import { closeSync, openSync, readFileSync } from "node:fs";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { CLONE_NEWNET } from "../../../runtime-linux/kernel.js";
import { libc } from "../../../runtime-linux/kernel/libc.js";
import { leaveNamespace, openUpstream } from "../../../runtime-linux/names/resolver/upstream.js";
import { must, until } from "../../support/commands.js";
import { describeUnless } from "../../support/on-engines.js";
import { missing } from "../networks/bridge.js";
import { question } from "./queries.js";

const OWN = "/proc/thread-self/ns/net";
const SERVER = { address: "127.0.0.2", namespace: OWN };

/** A query that has reached the server. */
interface Asked {
  id: number;
  name: string;
  port: number;
}

describeUnless(missing, "sockets to other name servers", () => {
  let home = -1;
  let server: Socket | undefined;

  beforeAll(async () => {
    home = openSync(OWN, "r");
    libc.unshare(CLONE_NEWNET);
    await must(["ip", "link", "set", "lo", "up"]);
  });

  afterEach(async () => {
    leaveNamespace(OWN);
    server?.close();
    server = undefined;
    await until("no socket that asks", () => openOnes() === 0);
  });

  afterAll(() => {
    libc.setns(home, CLONE_NEWNET);
    closeSync(home);
  });

  test("serve 128 queries each, with an id of its own for each, and every client gets its own id and answer", async () => {
    const asked = await serve(400);
    const clients = Array.from({ length: 400 }, (_, at) => at);
    const answers = await Promise.all(clients.map((at) => ask(`host${at}`, at)));
    expect(answers).toEqual(clients.map((at) => `${at} host${at}`));
    const ports = [...new Set(asked.map(({ port }) => port))];
    const ofEach = ports.map((port) => asked.filter((query) => query.port === port));
    expect(ofEach.map((own) => own.length)).toEqual([128, 128, 128, 16]);
    for (const own of ofEach) expect(new Set(own.map(({ id }) => id)).size).toBe(own.length);
    expect(asked.filter(({ id, name }) => `host${id}` === name).length).toBeLessThan(3);
  });

  test("hold 128 long answers that come at once", async () => {
    await serve(128, undefined, 1000);
    const clients = Array.from({ length: 128 }, (_, at) => at);
    const answers = await Promise.all(clients.map((at) => ask(`host${at}`, at)));
    expect(answers).toEqual(clients.map((at) => `${at} host${at}`));
  });

  test("are replaced after a moment, so that a port is not known for long", async () => {
    const asked = await serve(1);
    await until("another port", async () => {
      await ask("web", 7);
      return new Set(asked.map(({ port }) => port)).size === 2;
    });
    // Nobody asks any more.
    await until("no socket that asks", () => openOnes() === 0);
  });

  test("do not keep the namespace of a container that is gone, and whoever waits is told", async () => {
    await serve(Infinity);
    const [first, second] = [ask("web", 1), ask("db", 2)];
    expect(openOnes()).toBe(1);
    leaveNamespace("/elsewhere");
    expect(openOnes()).toBe(1);
    leaveNamespace(OWN);
    expect(await Promise.all([first, second])).toEqual([undefined, undefined]);
    await until("no socket that asks", () => openOnes() === 0);
  });

  test("tell all who wait if the server cannot be reached", async () => {
    expect(await Promise.all([ask("web", 1), ask("db", 2), ask("mail", 3)])).toEqual([undefined, undefined, undefined]);
  });

  test("an answer to something else is nobody's", async () => {
    await serve(1, "evil");
    const told: unknown[] = [];
    const stop = openUpstream(SERVER).ask(question("web"), (answer) => told.push(answer));
    await serveAnother();
    stop();
    expect(told).toEqual([]);
  });

  /**
   * A server that answers when so many have asked, in the other order. `says`: another name than the one asked for.
   * `padding`: bytes of a record in each answer.
   */
  async function serve(most: number, says?: string, padding = 0): Promise<Asked[]> {
    const asked: Asked[] = [];
    const waiting: (() => void)[] = [];
    const socket = (server = createSocket({ type: "udp4", recvBufferSize: 1 << 20 }));
    socket.on("message", (bytes, client) => {
      const { id = -1, questions = [] } = decode(bytes);
      asked.push({ id, name: questions[0]!.name, port: client.port });
      const name = says ?? questions[0]!.name;
      const records = padding === 0 ? [] : [{ type: "NULL" as const, name, data: Buffer.alloc(padding) }];
      const reply = encode({ type: "response", id, questions: [{ type: "A", name }], answers: records });
      waiting.push(() => socket.send(reply, client.port, client.address));
      if (waiting.length >= most) for (const answer of waiting.splice(0).reverse()) answer();
    });
    socket.bind(53, SERVER.address);
    await once(socket, "listening");
    return asked;
  }

  /** What a server has sent before this is answered has arrived. */
  async function serveAnother(): Promise<void> {
    const other = createSocket("udp4");
    other.on("message", (bytes, { port, address }) => other.send(answerTo(bytes), port, address));
    other.bind(53, "127.0.0.3");
    await once(other, "listening");
    const done = new Promise((came) =>
      openUpstream({ ...SERVER, address: "127.0.0.3" }).ask(question("db"), () => came(null)),
    );
    await done;
    other.close();
  }
});

function answerTo(query: Buffer): Buffer {
  const { id = 0, questions = [] } = decode(query);
  return encode({ type: "response", id, questions, answers: [] });
}

/** The id and the name in the answer; undefined if the server cannot be reached. */
async function ask(name: string, id: number): Promise<string | undefined> {
  const answer = await new Promise<Buffer | undefined>((came) =>
    openUpstream(SERVER).ask(question(name, "A", id), came),
  );
  if (answer === undefined) return undefined;
  const { id: told, questions = [] } = decode(answer);
  return `${told} ${questions[0]?.name}`;
}

/** How many sockets of this namespace are connected to port 53 of the server. */
function openOnes(): number {
  return readFileSync("/proc/thread-self/net/udp", "utf8").split("0200007F:0035 01").length - 1;
}
