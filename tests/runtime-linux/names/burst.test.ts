// Many queries at once at the resolver of a container, which are received and answered together. With real packets.
import { decode } from "dns-packet";
import { createSocket, type Socket } from "node:dgram";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { call } from "../../../runtime-linux/kernel/calls.js";
import { libc } from "../../../runtime-linux/kernel/libc.js";
import { redirect } from "../../../runtime-linux/names/redirect.js";
import { Listener } from "../../../runtime-linux/names/resolver/listener.js";
import { MachineServers } from "../../../runtime-linux/names/resolver/machine-servers.js";
import { Responder } from "../../../runtime-linux/names/resolver/responder.js";
import { Places } from "../../../runtime-linux/names/resolver/places.js";
import { connectedSocket } from "../../../runtime-linux/names/resolver/sockets.js";
import { Table } from "../../../runtime-linux/names/resolver/table.js";
import { Turns } from "../../../runtime-linux/names/resolver/turns.js";
import type { EndpointNames, PlacedResolver } from "../../../runtime-linux/names/table-files.js";
import { makeNamespace, releaseNamespace } from "../../../runtime-linux/networks/namespace.js";
import { must, until } from "../../support/commands.js";
import { describeUnless } from "../../support/on-engines.js";
import { missing } from "../networks/bridge.js";
import { question } from "./queries.js";

const PORT = 61_234;
const NAMES = ["web", "db", "nobody", "mail", "cache"];
const KNOWN = ["web", "db", "mail", "cache"];

/** Containers in the order in which they are answered. */
const turns: string[] = [];

class Watched extends Responder {
  override known(...[resolver, ...query]: Parameters<Responder["known"]>): Buffer | undefined {
    turns.push(resolver.container);
    return super.known(resolver, ...query);
  }

  override respond(...[resolver, ...query]: Parameters<Responder["respond"]>): ReturnType<Responder["respond"]> {
    turns.push(resolver.container);
    return super.respond(resolver, ...query);
  }
}

describeUnless(missing, "many queries at once", () => {
  const root = mkdtempSync(join(tmpdir(), "coracle-burst-"));
  const namespaces = ["one", "two"].map((name) => join(root, name));
  const clients: Socket[] = [];
  const listeners: Listener[] = [];

  beforeAll(async () => {
    const table = new Table();
    for (const [at, name] of KNOWN.entries()) {
      const names = { container: name, network: "n1", domain: "shop", names: [name], addresses: [`10.0.0.${at}`] };
      table.put(name, names as EndpointNames);
    }
    const responder = new Watched(table, new MachineServers("/dev/null"));
    for (const namespace of namespaces) {
      await makeNamespace(libc, namespace);
      await must(["nsenter", `--net=${namespace}`, "ip", "link", "set", "lo", "up"]);
      await redirect(libc, namespace, PORT);
      listeners.push(new Listener(resolverIn(namespace), responder, new Places(4, 4), new Turns()));
    }
  });

  afterEach(() => {
    for (const client of clients.splice(0)) client.close();
  });

  afterAll(async () => {
    for (const listener of listeners) listener.close();
    for (const namespace of namespaces) await releaseNamespace(libc, namespace);
    rmSync(root, { recursive: true });
  });

  test("each is answered once, with its own id, name and address, whoever sent it", async () => {
    const told = Array.from({ length: 8 }, () => askedBy(namespaces[0]!, 25));
    await until("all answers", () => told.every((answers) => answers.length >= 25));
    const wanted = Array.from({ length: 25 }, (_, id) => answerTo(id));
    for (const answers of told) expect(answers.toSorted()).toEqual(wanted.toSorted());
  });

  test("of one container only some are answered before another one has its turn", async () => {
    turns.length = 0;
    // No more than a socket has room for.
    const loud = Array.from({ length: 4 }, () => askedBy(namespaces[0]!, 60));
    const calm = askedBy(namespaces[1]!, 1);
    await until("all answers", () => [...loud, calm].flat().length === 241);
    expect(turns.indexOf(namespaces[1]!)).toBeLessThan(200);
  });

  test("what is no query is not answered, and what comes after it is", async () => {
    const answers = askedBy(namespaces[0]!, 3, [
      Buffer.alloc(0),
      Buffer.alloc(1),
      Buffer.alloc(11),
      Buffer.alloc(5000),
    ]);
    await until("all answers", () => answers.length >= 3);
    expect(answers.filter((answer) => !answer.startsWith("0 undefined")).toSorted()).toEqual(
      [0, 1, 2].map(answerTo).toSorted(),
    );
  });

  /** Sends queries one right after the other, and collects the answers. `first`: what is sent before each of them. */
  function askedBy(namespace: string, count: number, first: readonly Buffer[] = []): string[] {
    const answers: string[] = [];
    const client = createSocket("udp4");
    clients.push(client);
    client.on("message", (bytes) => answers.push(told(bytes)));
    const fd = connectedSocket("udp", { address: "127.0.0.11", namespace });
    client.bind({ fd });
    const queries = Array.from({ length: count }, (_, id) => question(nameOf(id), "A", id));
    for (const bytes of queries.flatMap((query) => [...first, query]))
      call("sendto", "a query", fd, bytes, bytes.length, 0, new Uint8Array(0), 0);
    return answers;
  }
});

function nameOf(id: number): string {
  return NAMES[id % NAMES.length]!;
}

/** Nobody has the name that the table does not have, since there are no other servers. */
function answerTo(id: number): string {
  const at = KNOWN.indexOf(nameOf(id));
  return at < 0 ? `${id} ${nameOf(id)} SERVFAIL ` : `${id} ${nameOf(id)} NOERROR 10.0.0.${at}`;
}

function told(bytes: Buffer): string {
  const {
    id,
    questions = [],
    answers = [],
    ...packet
  } = decode(bytes) as ReturnType<typeof decode> & { rcode: string };
  const data = answers.map((record) => ("data" in record ? String(record.data) : ""));
  return `${id} ${questions[0]?.name} ${packet.rcode} ${data.join(" ")}`;
}

function resolverIn(namespace: string): PlacedResolver {
  const networks = [{ network: "n1", links: [] }];
  const servers = { servers: [], machineServers: false, publicServers: [] };
  return { container: namespace, networks, namespace, port: PORT, ...servers } as unknown as PlacedResolver;
}
