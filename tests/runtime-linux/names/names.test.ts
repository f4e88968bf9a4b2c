// Names in network namespaces, with the real resolver process and real packets: what containers are told, and that it
// goes on without an engine.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, mkdtempSync, openSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { CLONE_NEWNET } from "../../../runtime-linux/kernel.js";
import { libc } from "../../../runtime-linux/kernel/libc.js";
import { Names } from "../../../runtime-linux/names/names.js";
import { Frames, frame } from "../../../runtime-linux/names/resolver/frames.js";
import { LONGEST_QUERY } from "../../../runtime-linux/names/resolver/messages.js";
import { connectedSocket } from "../../../runtime-linux/names/resolver/sockets.js";
import { redirect } from "../../../runtime-linux/names/redirect.js";
import type { networks } from "../../../hosts/shared/host.js";
import { TableFiles } from "../../../runtime-linux/names/table-files.js";
import { enterNamespace, makeNamespace, releaseNamespace } from "../../../runtime-linux/networks/namespace.js";
import { Paths } from "../../../runtime-linux/paths.js";
import { must, until } from "../../support/commands.js";
import { describeUnless } from "../../support/on-engines.js";
import { commandLineOf, pids } from "../../support/processes.js";
import { missing } from "../networks/bridge.js";
import { dataOf, look, question } from "./queries.js";

const SHOP = "a".repeat(64);
const STORE = "b".repeat(64);
const WEB = "1".repeat(64);
const DB = "2".repeat(64);
const PLACES = [
  { network: SHOP, container: WEB },
  { network: SHOP, container: DB },
];
const PORT = 61_234;
const PROGRAM = fileURLToPath(new URL("../../../build/names.cjs", import.meta.url));

const db: networks.EndpointNames = {
  container: DB,
  network: SHOP,
  domain: "shop",
  names: ["db", "222222222222"],
  addresses: ["172.18.0.2", "fd00::2"],
};

describeUnless(missing, "names", () => {
  const root = mkdtempSync(join(tmpdir(), "coracle-names-"));
  const paths = new Paths({ data: join(root, "data"), exec: join(root, "exec") });
  const namespace = paths.namespace(WEB);
  let home = -1;
  let names: Names;

  beforeAll(async () => {
    home = openSync("/proc/thread-self/ns/net", "r");
    libc.unshare(CLONE_NEWNET);
    await must(["ip", "link", "set", "lo", "up"]);
    await makeNamespace(libc, namespace);
    await must(["nsenter", `--net=${namespace}`, "ip", "link", "set", "lo", "up"]);
    names = new Names(libc, paths);
  });

  afterEach(async () => {
    await names.unresolve(WEB);
  });

  afterAll(async () => {
    await names.close();
    await until("the resolver process has ended", () => resolvers().length === 0);
    await releaseNamespace(libc, namespace);
    libc.setns(home, CLONE_NEWNET);
    closeSync(home);
    rmSync(root, { recursive: true });
  });

  test("a container finds names of its networks, by UDP and TCP, and addresses in reverse", async () => {
    names.name(db);
    await names.resolve(resolver([SHOP]));
    for (const transport of ["udp", "tcp"] as const) {
      expect(await dataOf(namespace, "db", "A", transport)).toEqual(["172.18.0.2"]);
      expect(await dataOf(namespace, "DB.shop.", "AAAA", transport)).toEqual(["fd00::2"]);
      expect(await dataOf(namespace, "222222222222", "A", transport)).toEqual(["172.18.0.2"]);
      expect(await dataOf(namespace, "2.0.18.172.in-addr.arpa", "PTR", transport)).toEqual(["db.shop"]);
    }
    expect(await look(namespace, "db", "MX")).toMatchObject({ rcode: "NOERROR", answers: [] });
    await names.forget(SHOP, DB);
    expect(await look(namespace, "db")).toMatchObject({ rcode: "SERVFAIL" });
  });

  test("all queries on one connection are answered, in their order, and something longer ends it", async () => {
    names.name(db);
    await names.resolve(resolver([SHOP]));
    const fd = connectedSocket("tcp", { address: "127.0.0.11", namespace });
    const socket = new Socket({ fd, readable: true, writable: true });
    socket.on("error", () => {}); // it is reset
    const answers = new Frames();
    const ids: number[] = [];
    socket.on("data", (bytes: Buffer) => {
      answers.add(bytes);
      for (let next = answers.next(); next !== undefined; next = answers.next()) ids.push(next.readUInt16BE(0));
    });
    const asked = Array.from({ length: 300 }, (_, id) => id);
    socket.write(Buffer.concat(asked.map((id) => frame(question(id % 2 ? "db" : "none", "A", id)))));
    await until("all answers", () => ids.length === asked.length);
    expect(ids).toEqual(asked);
    const closed = once(socket, "close");
    socket.write(frame(Buffer.alloc(LONGEST_QUERY + 1)));
    await closed;
    await names.forget(SHOP, DB);
  });

  test("a changed wish counts for the next query", async () => {
    names.name({ container: DB, network: STORE, domain: "store", names: ["db"], addresses: ["172.19.0.2"] });
    await names.resolve(resolver([SHOP]));
    expect(await look(namespace, "db")).toMatchObject({ rcode: "SERVFAIL" });
    await names.resolve(resolver([SHOP, STORE]));
    expect(await dataOf(namespace, "db")).toEqual(["172.19.0.2"]);
    await names.forget(STORE, DB);
  });

  test("the same names again are not written anew, unless their file is gone or damaged", async () => {
    const file = join(paths.networks("names"), "endpoints", `${SHOP}.${DB}.json`);
    const ino = (): number => statSync(file).ino;
    names.name(db);
    const first = ino();
    names.name(structuredClone(db));
    expect(ino()).toBe(first);
    const aliased = { ...db, names: [...db.names, "data"] };
    names.name(aliased);
    expect(ino()).not.toBe(first);
    for (const spoil of [() => rmSync(file), () => writeFileSync(file, "{")]) {
      spoil();
      names.name(aliased);
      expect(files().read("endpoints", `${SHOP}.${DB}`)).toEqual(aliased);
    }
    await names.resolve(resolver([SHOP]));
    expect(await dataOf(namespace, "data")).toEqual(["172.18.0.2"]);
    await names.forget(SHOP, DB);
  });

  test("a container can have a name server of its own at port 53 of all addresses", async () => {
    names.name(db);
    await names.resolve(resolver([SHOP]));
    const own = take(53);
    expect(await dataOf(namespace, "db", "A", "tcp")).toEqual(["172.18.0.2"]);
    closeSync(own);
  });

  test("a port that the container uses itself is avoided", async () => {
    files().write("resolvers", WEB, { ...resolver([SHOP]), namespace, port: PORT });
    const taken = take(PORT);
    await names.resolve(resolver([SHOP]));
    expect(await dataOf(namespace, "db")).toEqual(["172.18.0.2"]);
    expect(files().read("resolvers", WEB)!.port).not.toBe(PORT);
    closeSync(taken);
  });

  test("an engine leads queries to the port of a file, whatever an earlier one has led them to", async () => {
    names.name(db);
    await names.resolve(resolver([SHOP]));
    const { port } = files().read("resolvers", WEB)!;
    // Another port was tried, but the engine was killed before the file told it.
    await redirect(libc, namespace, port + 1);
    expect(await look(namespace, "db", "A", "tcp")).toBeUndefined();
    await names.close();
    names = new Names(libc, paths);
    await names.resolve(resolver([SHOP]));
    expect(await dataOf(namespace, "db")).toEqual(["172.18.0.2"]);
  });

  test("an engine that starts leads queries where an earlier version has written files without rules", async () => {
    names.name(db);
    await names.resolve(resolver([SHOP]));
    await must(["nsenter", `--net=${namespace}`, "nft", "delete", "table", "ip", "coracle-names"]);
    await names.close();
    names = new Names(libc, paths);
    await names.found(PLACES, [WEB, DB]);
    expect(await dataOf(namespace, "db")).toEqual(["172.18.0.2"]);
  });

  test("a namespace that is made anew gets rules of its own", async () => {
    names.name(db);
    await names.resolve(resolver([SHOP]));
    await releaseNamespace(libc, namespace);
    await makeNamespace(libc, namespace);
    await must(["nsenter", `--net=${namespace}`, "ip", "link", "set", "lo", "up"]);
    await names.resolve({ ...resolver([SHOP]), publicServers: ["192.0.2.53"] });
    const rules = await must(["nsenter", `--net=${namespace}`, "nft", "list", "ruleset"]);
    expect(rules).toContain("table ip coracle-names");
  });

  test("without a resolver nothing listens", async () => {
    await names.resolve(resolver([SHOP]));
    await names.unresolve(WEB);
    expect(await look(namespace, "db", "A", "tcp")).toBeUndefined();
  });

  test("if the resolver process is killed, another one answers at the same port", async () => {
    await names.resolve(resolver([SHOP]));
    const [before] = resolvers();
    const { port } = files().read("resolvers", WEB)!;
    process.kill(before!, "SIGKILL");
    await until("names resolve again", async () => (await dataOf(namespace, "db")) !== undefined);
    expect(resolvers()).not.toContain(before);
    expect(files().read("resolvers", WEB)!.port).toBe(port);
  });

  test("names resolve without an engine, and the next one finds the process", async () => {
    await names.resolve(resolver([SHOP]));
    const before = resolvers();
    await names.close();
    expect(await dataOf(namespace, "db")).toEqual(["172.18.0.2"]);
    names = new Names(libc, paths);
    await names.found(PLACES, [WEB, DB]);
    expect(resolvers()).toEqual(before);
    expect(await dataOf(namespace, "db")).toEqual(["172.18.0.2"]);
  });

  test("an engine with another program replaces the process, and meanwhile every query is answered", async () => {
    await names.resolve(resolver([SHOP]));
    const before = resolvers();
    await names.close();
    // Beside the other one, because it needs the same packages.
    const program = `${PROGRAM}.${process.pid}.cjs`;
    writeFileSync(program, `${readFileSync(PROGRAM, "utf8")}\n// newer\n`);
    names = new Names(libc, paths, program);
    let isReplaced = false;
    const found = names.found(PLACES, [WEB, DB]);
    void found.then(() => (isReplaced = true));
    let answered = 0;
    while (!isReplaced) {
      const asked = [1, 2, 3, 4].map(async () => dataOf(namespace, "db"));
      for (const data of await Promise.all(asked)) expect(data).toEqual(["172.18.0.2"]);
      answered++;
    }
    expect(answered).toBeGreaterThan(0);
    rmSync(program);
    await until("the older process has ended", () => !resolvers().includes(before[0]!));
    expect(resolvers()).toHaveLength(1);
    expect(await dataOf(namespace, "db", "A", "tcp")).toEqual(["172.18.0.2"]);
  });

  test("names of containers that are on no network any more are forgotten at the next start", async () => {
    await names.resolve(resolver([SHOP]));
    await names.found([{ network: SHOP, container: WEB }], [WEB]);
    expect(await look(namespace, "db")).toMatchObject({ rcode: "SERVFAIL" });
  });

  test("a process whose engine is killed while it waits for it ends by itself, and leaves nothing", async () => {
    const directory = join(root, "alone");
    new TableFiles(directory).make();
    const log = openSync(join(directory, "log"), "a");
    const child = spawn(process.execPath, [PROGRAM, directory, "any"], { stdio: ["ignore", log, log, "pipe"] });
    closeSync(log);
    child.stdio[3]!.destroy();
    await once(child, "exit");
    expect(readdirSync(directory).sort()).toEqual(["endpoints", "resolvers"]);
  });

  function files(): TableFiles {
    return new TableFiles(paths.networks("names"));
  }

  /** The processes that answer here. */
  function resolvers(): number[] {
    return pids().filter((pid) => commandLineOf(pid).includes(`${root}/exec/networks/names `));
  }

  /** As a program of the container that has bound a port of all addresses. */
  function take(port: number): number {
    return enterNamespace(libc, namespace, () => libc.bindPort("tcp", new Uint8Array(4), port));
  }
});

function resolver(networks: string[]): networks.Resolver {
  return {
    container: WEB,
    networks: networks.map((network) => ({ network, links: [] })),
    servers: [],
    machineServers: false,
    publicServers: [],
  };
}
