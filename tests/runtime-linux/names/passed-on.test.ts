// Many queries at once at the resolver of a container that it passes on to another server: each client gets its own answers.
// With real packets, in a network namespace of the test.
import { decode, encode } from "dns-packet";
import { createSocket, type Socket } from "node:dgram";
import { once } from "node:events";
import { closeSync, openSync } from "node:fs";
import { afterAll, beforeAll, expect, test } from "vitest";
import { CLONE_NEWNET } from "../../../runtime-linux/kernel.js";
import { libc } from "../../../runtime-linux/kernel/libc.js";
import { Listener } from "../../../runtime-linux/names/resolver/listener.js";
import { MachineServers } from "../../../runtime-linux/names/resolver/machine-servers.js";
import { Places } from "../../../runtime-linux/names/resolver/places.js";
import { Responder } from "../../../runtime-linux/names/resolver/responder.js";
import { Table } from "../../../runtime-linux/names/resolver/table.js";
import { Turns } from "../../../runtime-linux/names/resolver/turns.js";
import type { PlacedResolver } from "../../../runtime-linux/names/table-files.js";
import { must, until } from "../../support/commands.js";
import { describeUnless } from "../../support/on-engines.js";
import { missing } from "../networks/bridge.js";
import { question } from "./queries.js";

const OWN = "/proc/thread-self/ns/net";
const PORT = 61_235;
const SERVER = "127.0.0.2";
/** As many as a container may have waiting. */
const [CLIENTS, EACH] = [4, 30];
/** Bytes of an answer that is longer than most. */
const LONG = 2000;

describeUnless(missing, "many queries for another server", () => {
  const sockets: Socket[] = [];
  let listener: Listener;
  let home = -1;

  beforeAll(async () => {
    home = openSync(OWN, "r");
    libc.unshare(CLONE_NEWNET);
    await must(["ip", "link", "set", "lo", "up"]);
    const responder = new Responder(new Table(), new MachineServers("/dev/null"));
    const servers = { servers: [SERVER], machineServers: false, publicServers: [] };
    const placed = { container: "c", networks: [], namespace: OWN, port: PORT, ...servers } as PlacedResolver;
    listener = new Listener(placed, responder, new Places(4, 4), new Turns());
    await serve();
  });

  afterAll(() => {
    listener.close();
    for (const socket of sockets) socket.close();
    libc.setns(home, CLONE_NEWNET);
    closeSync(home);
  });

  test.each([1, 2, 3])("each is answered once, with its own id and text (time %d)", async () => {
    const told = Array.from({ length: CLIENTS }, (_, client) => askedBy(client));
    await until("all answers", () => told.every(({ length }) => length >= EACH));
    for (const [client, answers] of told.entries()) {
      const wanted = Array.from({ length: EACH }, (_, id) => `${id} ${textOf(nameOf(client, id))}`);
      expect(answers.toSorted()).toEqual(wanted.toSorted());
    }
  });

  /** A server that answers when all have asked, in the other order, with a text that follows from the name. */
  async function serve(): Promise<void> {
    const socket = createSocket({ type: "udp4", recvBufferSize: 1 << 20 });
    sockets.push(socket);
    const waiting: (() => void)[] = [];
    socket.on("message", (bytes, { port, address }) => {
      const { id, questions = [] } = decode(bytes);
      const { name } = questions[0]!;
      const answers = [{ type: "TXT" as const, name, ttl: 60, data: pieces(textOf(name)) }];
      const reply = encode({ type: "response", id, questions, answers });
      waiting.push(() => socket.send(reply, port, address));
      if (waiting.length === CLIENTS * EACH) for (const answer of waiting.splice(0).reverse()) answer();
    });
    socket.bind(53, SERVER);
    await once(socket, "listening");
  }

  /** Sends a client's queries, and collects the answers. */
  function askedBy(client: number): string[] {
    const told: string[] = [];
    const socket = createSocket({ type: "udp4", recvBufferSize: 1 << 20 });
    sockets.push(socket);
    socket.on("message", (bytes) => {
      const { id, answers = [] } = decode(bytes);
      const texts = answers.map((record) => Buffer.concat((record as { data: Buffer[] }).data).toString());
      told.push(`${id} ${texts.join()}`);
    });
    for (let id = 0; id < EACH; id++) socket.send(question(nameOf(client, id), "TXT", id), PORT, "127.0.0.11");
    return told;
  }
});

function nameOf(client: number, id: number): string {
  return `host${id}.of${client}.example`;
}

/** Of one host of each client it is long. */
function textOf(name: string): string {
  return name.startsWith("host1.") ? name.repeat(LONG / name.length) : name;
}

/** A text of a record has 255 bytes at most. */
function pieces(text: string): string[] {
  return text.match(/.{1,250}/g) ?? [];
}
