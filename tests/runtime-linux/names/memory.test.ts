// What the resolver process takes of memory, whatever containers ask of it, and that others are answered meanwhile. The
// process and its clients are real, each in a network namespace.
import { closeSync, existsSync, mkdtempSync, openSync, rmSync } from "node:fs";
import { createServer, Socket, type Server } from "node:net";
import { release, tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import type { networks } from "../../../hosts/shared/host.js";
import { CLONE_NEWNET } from "../../../runtime-linux/kernel.js";
import { libc } from "../../../runtime-linux/kernel/libc.js";
import { Names } from "../../../runtime-linux/names/names.js";
import { frame } from "../../../runtime-linux/names/resolver/frames.js";
import { connectedSocket, sendDatagram } from "../../../runtime-linux/names/resolver/sockets.js";
import { enterNamespace, makeNamespace, releaseNamespace } from "../../../runtime-linux/networks/namespace.js";
import { Paths } from "../../../runtime-linux/paths.js";
import { must, until } from "../../support/commands.js";
import { describeUnless } from "../../support/on-engines.js";
import { commandLineOf, pids, rssKibibytes } from "../../support/processes.js";
import { missing } from "../networks/bridge.js";
import { dataOf, question } from "./queries.js";

const NETWORK = "a".repeat(64);
const VICTIM = "0".repeat(64);
const HOSTILE = ["1", "2", "3", "4"].map((digit) => digit.repeat(64));
const ALL = [VICTIM, ...HOSTILE];
/** With all pages of Node's program that it has, as if no other program shared them; an older kernel maps more of them. */
const MOST_KIBIBYTES = (mapsSinglePages() ? 30 : 45) * 1024;
/** Addresses of one name: so many that an answer by TCP is as long as one can be. */
const MANY = 4000;

describeUnless(missing, "memory of the resolver process", () => {
  const root = mkdtempSync(join(tmpdir(), "coracle-names-"));
  const paths = new Paths({ data: join(root, "data"), exec: join(root, "exec") });
  const opened: { destroy(): void }[] = [];
  const descriptors: number[] = [];
  const servers: Server[] = [];
  /** By which each container asks. */
  const sockets = new Map<string, number>();
  let home = -1;
  let names: Names;

  beforeAll(async () => {
    home = openSync("/proc/thread-self/ns/net", "r");
    libc.unshare(CLONE_NEWNET);
    for (const container of ALL) {
      await makeNamespace(libc, paths.namespace(container));
      await must(["nsenter", `--net=${paths.namespace(container)}`, "ip", "link", "set", "lo", "up"]);
    }
    names = new Names(libc, paths);
    const addresses = Array.from({ length: MANY }, (_, at) => `10.9.${at >> 8}.${at & 255}`);
    names.name(endpoint(VICTIM, ["db"], ["172.18.0.2"]));
    names.name(endpoint(HOSTILE[0]!, ["large"], addresses));
    names.name(
      endpoint(
        HOSTILE[1]!,
        Array.from({ length: 10_000 }, (_, at) => `alias-number-${at}`),
        ["172.18.0.3"],
      ),
    );
    for (const container of ALL) await names.resolve(resolver(container));
  });

  afterEach(async () => {
    for (const one of opened.splice(0)) one.destroy();
    for (const server of servers.splice(0)) server.close();
    for (const fd of [...descriptors.splice(0), ...sockets.values()]) closeSync(fd);
    sockets.clear();
  });

  afterAll(async () => {
    for (const container of ALL) await names.unresolve(container);
    await names.close();
    await until("the resolver process has ended", () => resolvers().length === 0);
    for (const container of ALL) await releaseNamespace(libc, paths.namespace(container));
    libc.setns(home, CLONE_NEWNET);
    closeSync(home);
    rmSync(root, { recursive: true });
  });

  test("ten thousand aliases, and nothing asked", async () => {
    await within(async () => {});
  });

  test("very many look-ups of different names", async () => {
    await within(async () => {
      for (let at = 0; at < 10_000; at += 100) {
        const some = Array.from({ length: 100 }, (_, i) =>
          dataOf(paths.namespace(HOSTILE[0]!), `alias-number-${at + i}`),
        );
        await Promise.all(some);
      }
    });
  });

  test("thousands of queries that no server answers, some as long as a datagram can be", async () => {
    for (const container of HOSTILE) silentServer(container);
    await within(async (rest) => {
      for (let at = 0; at < 6000; at++) {
        for (const container of HOSTILE)
          ask(container, Buffer.concat([question(`none-${at}.example`, "A", at), at % 2 ? PADDING : NOTHING]));
        if (at % 50 === 0) await rest();
      }
    });
  });

  test("thousands of connections with half of a long message", async () => {
    await within(async (rest) => {
      const half = frame(Buffer.alloc(0xffff)).subarray(0, 0xfff0);
      for (let at = 0; at < 1000; at++) {
        for (const container of HOSTILE) connect(container).write(half);
        if (at % 20 === 0) await rest();
      }
    });
  });

  test("clients that ask for long answers and read none", async () => {
    await within(async (rest) => {
      const asked = Buffer.concat(Array.from({ length: 500 }, (_, at) => frame(question("large", "A", at))));
      for (let at = 0; at < 100; at++) {
        for (const container of HOSTILE) connect(container).write(asked);
        await rest();
      }
    });
  });

  test("queries by TCP whose answers come in pieces of a long message", async () => {
    for (const container of HOSTILE) endlessServer(container);
    await within(async (rest) => {
      for (let at = 0; at < 100; at++) {
        const asked = Buffer.concat(
          Array.from({ length: 50 }, (_, i) => frame(question(`none-${at}-${i}.example`, "A", i))),
        );
        for (const container of HOSTILE) connect(container).write(asked);
        await rest();
      }
    });
  });

  /** Does so, and looks meanwhile at the memory, and that a container which asks little is answered. */
  async function within(act: (rest: () => Promise<void>) => Promise<void>): Promise<void> {
    let most = 0;
    const look = async (): Promise<void> => {
      expect(await dataOf(paths.namespace(VICTIM), "db")).toEqual(["172.18.0.2"]);
      most = Math.max(most, rssKibibytes(resolvers()[0]!));
    };
    await act(look);
    await look();
    console.log(`${most} KiB at most`);
    expect(resolvers()).toHaveLength(1);
    expect(most).toBeLessThan(MOST_KIBIBYTES);
  }

  function ask(container: string, query: Buffer): void {
    const fd =
      sockets.get(container) ??
      connectedSocket("udp", { address: "127.0.0.11", namespace: paths.namespace(container) });
    sockets.set(container, fd);
    sendDatagram(fd, query, NOBODY);
  }

  function connect(container: string): Socket {
    const fd = connectedSocket("tcp", { address: "127.0.0.11", namespace: paths.namespace(container) });
    const socket = new Socket({ fd, readable: true, writable: true });
    socket.pause();
    opened.push(socket.on("error", () => {}));
    return socket;
  }

  function silentServer(container: string): void {
    descriptors.push(boundAt("udp", container));
  }

  /** A server of the container's own that never sends the end of its answers. */
  function endlessServer(container: string): void {
    const server = createServer((socket) => {
      opened.push(socket.on("error", () => {}));
      socket.write(frame(Buffer.alloc(0xffff)).subarray(0, 0xfff0));
    });
    server.listen({ fd: boundAt("tcp", container) });
    servers.push(server);
  }

  function boundAt(transport: "udp" | "tcp", container: string): number {
    const address = new Uint8Array([127, 0, 0, 5]);
    return enterNamespace(libc, paths.namespace(container), () => libc.bindPort(transport, address, 53));
  }

  function resolvers(): number[] {
    return pids().filter((pid) => commandLineOf(pid).includes(`${root}/exec/networks/names `));
  }
});
const NOBODY = new Uint8Array(0);
const NOTHING = Buffer.alloc(0);
const PADDING = Buffer.alloc(60_000);

function endpoint(container: string, ofIt: string[], addresses: string[]): networks.EndpointNames {
  return { container, network: NETWORK, domain: "shop", names: ofIt, addresses };
}

function resolver(container: string): networks.Resolver {
  const servers = ["127.0.0.5"];
  return { container, networks: [{ network: NETWORK, links: [] }], servers, machineServers: false, publicServers: [] };
}

/** See `program-pages.ts`: since Linux 6.7. */
function mapsSinglePages(): boolean {
  const [major = 0, minor = 0] = release().split(".").map(Number);
  return (major > 6 || (major === 6 && minor >= 7)) && existsSync("/dev/userfaultfd");
}
