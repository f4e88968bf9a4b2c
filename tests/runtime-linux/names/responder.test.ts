// What is asked of other name servers: in which order, and what is answered if they fail. The servers are real, in a
// network namespace of the test.
import { decode, encode, type Packet } from "dns-packet";
import { createSocket, type Socket } from "node:dgram";
import { once } from "node:events";
import { closeSync, mkdtempSync, openSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { CLONE_NEWNET } from "../../../runtime-linux/kernel.js";
import { libc } from "../../../runtime-linux/kernel/libc.js";
import { MachineServers } from "../../../runtime-linux/names/resolver/machine-servers.js";
import { Responder } from "../../../runtime-linux/names/resolver/responder.js";
import { Table } from "../../../runtime-linux/names/resolver/table.js";
import type { PlacedResolver } from "../../../runtime-linux/names/table-files.js";
import { must, until } from "../../support/commands.js";
import { describeUnless } from "../../support/on-engines.js";
import { missing } from "../networks/bridge.js";
import { question } from "./queries.js";

const OWN = "/proc/thread-self/ns/net";

describeUnless(missing, "other name servers", () => {
  const root = mkdtempSync(join(tmpdir(), "coracle-responder-"));
  const machine = join(root, "resolv.conf");
  const opened: Socket[] = [];
  /** Addresses of servers, in the order in which they were asked. */
  const asked: string[] = [];
  let home = -1;

  beforeAll(async () => {
    home = openSync(OWN, "r");
    libc.unshare(CLONE_NEWNET);
    await must(["ip", "link", "set", "lo", "up"]);
    writeFileSync(machine, "nameserver 127.0.0.9\n");
  });

  afterEach(() => {
    for (const socket of opened.splice(0)) socket.close();
    asked.length = 0;
  });

  afterAll(() => {
    libc.setns(home, CLONE_NEWNET);
    closeSync(home);
    rmSync(root, { recursive: true });
  });

  test("the container's servers come first, then the machine's", async () => {
    await serve("127.0.0.2", "10.0.0.2");
    await serve("127.0.0.9", "10.0.0.9");
    expect(await answerOf({ servers: ["127.0.0.2"] })).toMatchObject({ id: 7, answers: [{ data: "10.0.0.2" }] });
    expect(await answerOf({ servers: ["127.0.0.3"] })).toMatchObject({ answers: [{ data: "10.0.0.9" }] });
    expect(await answerOf({})).toMatchObject({ answers: [{ data: "10.0.0.9" }] });
    expect(asked).toEqual(["127.0.0.2", "127.0.0.9", "127.0.0.9"]);
  });

  test("without any server that can be reached, the answer is a failure at once", async () => {
    const began = performance.now();
    expect(await answerOf({ servers: ["127.0.0.3", "192.0.2.1", "2001:db8::1"] })).toMatchObject({ rcode: "SERVFAIL" });
    expect(await answerOf({ servers: [], machineServers: false })).toMatchObject({ rcode: "SERVFAIL" });
    expect(performance.now() - began).toBeLessThan(900); // a server that is silent is waited for longer
  });

  test("a container's own resolver is not asked: that would be a circle", async () => {
    await serve("127.0.0.11", "10.0.0.11");
    expect(await answerOf({ servers: ["127.0.0.11"], machineServers: false })).toMatchObject({ rcode: "SERVFAIL" });
    expect(asked).toEqual([]);
  });

  test("a server that is silent, or cannot help, does not keep the next from being asked", async () => {
    await serve("127.0.0.2", null);
    await serve("127.0.0.4", "REFUSED");
    await serve("127.0.0.9", "10.0.0.9");
    expect(await answerOf({ servers: ["127.0.0.2", "127.0.0.4"] })).toMatchObject({ answers: [{ data: "10.0.0.9" }] });
    expect(asked).toEqual(["127.0.0.2", "127.0.0.4", "127.0.0.9"]);
  });

  test("if no server can help, the first one's reason is told", async () => {
    await serve("127.0.0.4", "REFUSED");
    expect(await answerOf({ servers: ["127.0.0.4"], machineServers: false })).toMatchObject({ rcode: "REFUSED" });
  });

  test("an answer to another question is not taken", async () => {
    await serve("127.0.0.2", "10.0.0.2", "evil.example");
    await serve("127.0.0.9", "10.0.0.9");
    expect(await answerOf({ servers: ["127.0.0.2"] })).toMatchObject({ answers: [{ data: "10.0.0.9" }] });
  });

  test("the machine's servers are read anew when they change", async () => {
    await serve("127.0.0.8", "10.0.0.8");
    const responder = new Responder(new Table(), new MachineServers(machine));
    writeFileSync(machine, "nameserver 127.0.0.7\n");
    expect(await answerOf({}, responder)).toMatchObject({ rcode: "SERVFAIL" });
    writeFileSync(machine, "# new\nnameserver 127.0.0.8\nnameserver nonsense\n");
    await until("the new server is asked", async () => (await answerOf({}, responder)).answers?.length === 1);
    writeFileSync(machine, "nameserver 127.0.0.9\n");
  });

  test("a machine without servers uses those of the wish", async () => {
    await serve("127.0.0.6", "10.0.0.6");
    const responder = new Responder(new Table(), new MachineServers(join(root, "missing")));
    const wish = { publicServers: ["127.0.0.6"] };
    expect(await answerOf(wish, responder)).toMatchObject({ answers: [{ data: "10.0.0.6" }] });
    expect(await answerOf({ ...wish, machineServers: false }, responder)).toMatchObject({ rcode: "SERVFAIL" });
  });

  test("a container that asks too much loses its oldest query, and others lose nothing", async () => {
    await serve("127.0.0.2", null);
    const responder = new Responder(new Table(), new MachineServers(machine));
    let lost = 0;
    const wish = { servers: ["127.0.0.2"], machineServers: false };
    for (let times = 0; times < 200; times++) {
      responder.respond(resolver({ ...wish, container: "loud" }), question("web"), "udp", () => lost++);
    }
    const calm = { ...wish, container: "calm", namespace: "/proc/./thread-self/ns/net" };
    const other = new Promise<void>((answered) =>
      responder.respond(resolver(calm), question("web"), "udp", () => answered()),
    );
    expect(lost).toBe(200 - 128);
    expect(responder.waiting).toBe(129);
    responder.forget(resolver({ ...wish, container: "loud" }));
    expect([lost, responder.waiting]).toEqual([200, 1]);
    responder.forget(resolver(calm));
    await other;
  });

  /** A server that answers with an address or a code; null: with nothing. */
  async function serve(address: string, says: string | null, to?: string): Promise<void> {
    const socket = createSocket("udp4");
    opened.push(socket);
    socket.on("message", (bytes, { port, address: client }) => {
      asked.push(address);
      const { id, questions = [] } = decode(bytes);
      if (says === null) return;
      const name = to ?? questions[0]!.name;
      const isCode = says === "REFUSED";
      const answers = isCode ? [] : [{ type: "A" as const, name, ttl: 60, data: says }];
      const reply = encode({ type: "response", id, flags: isCode ? 5 : 0, questions: [{ type: "A", name }], answers });
      socket.send(reply, port, client);
    });
    socket.bind(53, address);
    await once(socket, "listening");
  }

  async function answerOf(
    wish: Partial<PlacedResolver>,
    responder = new Responder(new Table(), new MachineServers(machine)),
  ): Promise<Packet> {
    return new Promise((told) =>
      responder.respond(resolver(wish), question("example.org"), "udp", (answer) => told(decode(answer))),
    );
  }

  function resolver(wish: Partial<PlacedResolver>): PlacedResolver {
    return {
      container: "c",
      networks: [],
      servers: [],
      machineServers: true,
      publicServers: [],
      namespace: OWN,
      port: 0,
      ...wish,
    };
  }
});
