// Lends engines to one test file after another. Starting and ending an engine takes half a second of processor time,
// and most files need three. The engines are children of vitest's own process, so that they outlive a file and end with
// the run. A file requests one over a socket, removes what it made, and returns it (borrowed.ts).
import { mkdtemp, rm } from "node:fs/promises";
import { createServer, type Server, type ServerResponse } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import type { DaemonProcess } from "../daemon-process.js";
import { engines, startWithBusybox, type Engine } from "../engines.js";
import { memoryDirectory } from "../memory-directory.js";
import { describeLoan, type Loan } from "./loan.js";

declare module "vitest" {
  interface ProvidedContext {
    /** Socket of the lender (lending/lender.ts). */
    lender: string;
    /** A directory for what the test files of a run share. It is removed when the run ends. */
    shared: string;
  }
}

interface Held {
  readonly engine: Engine;
  readonly daemon: DaemonProcess;
  readonly loan: Loan;
}

/**
 * All projects (vitest.config.ts) borrow from one lender, because all are provided with what the root is. The first project
 * starts it. Resolves to its end.
 */
export default async function setUp({ vitest }: TestProject): Promise<(() => Promise<void>) | undefined> {
  const root = vitest.getRootProject();
  if (root.getProvidedContext().lender !== undefined) return undefined;
  const directory = await mkdtemp(join(tmpdir(), "coracle-lender-"));
  const lender = new Lender();
  const socketPath = join(directory, "socket");
  await lender.listen(socketPath);
  root.provide("lender", socketPath);
  root.provide("shared", directory);
  return async () => {
    await lender.close();
    await rm(directory, { recursive: true });
  };
}

/**
 * `POST /KIND` requests a loan for the test file named in the user agent: 200 with a Loan, 500 with the reason as text.
 * `PUT /ID` returns a clean engine. `DELETE /ID` returns an engine that must be ended, because something is left in it.
 */
class Lender {
  readonly #server: Server = createServer();
  /** By id: lent and free engines. */
  readonly #held = new Map<string, Held>();
  /** Engines that are being started. */
  readonly #starts = new Set<Promise<Loan>>();
  /** By id: the test files that borrow them. */
  readonly #borrowers = new Map<string, string>();
  /** Ids of free engines. The one returned last is lent first, because its pages are in the caches. */
  #free: string[] = [];

  listen(socketPath: string): Promise<void> {
    this.#server.on(
      "request",
      ({ method, url = "/", headers }, response) =>
        void this.#answer(`${method}`, url.slice(1), String(headers["user-agent"]), response),
    );
    return new Promise((resolve) => this.#server.listen(socketPath, resolve));
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await Promise.allSettled(this.#starts);
    for (const [id, file] of this.#borrowers) {
      console.error(`${file} has not given back the engine that it had: ${this.#held.get(id)?.engine.kind}`);
    }
    const ended = await Promise.allSettled([...this.#held.keys()].map((id) => this.#end(id)));
    const failures = ended.flatMap((end) => (end.status === "rejected" ? [end.reason as unknown] : []));
    if (failures.length > 0) throw new AggregateError(failures, "engines that were lent could not be ended");
  }

  async #answer(method: string, what: string, file: string, response: ServerResponse): Promise<void> {
    try {
      const loan = await this.#act(method, what, file);
      response.end(loan === null ? "" : JSON.stringify(loan));
    } catch (error) {
      response.writeHead(500).end(error instanceof Error ? error.message : String(error));
    }
  }

  async #act(method: string, what: string, file: string): Promise<Loan | null> {
    if (method === "POST") {
      const loan = await this.#lend(what);
      this.#borrowers.set(loan.id, file);
      return loan;
    }
    this.#borrowers.delete(what);
    if (method === "PUT") this.#free.push(what);
    else await this.#end(what);
    return null;
  }

  async #lend(kind: string): Promise<Loan> {
    const free = this.#free.findLast((id) => this.#held.get(id)?.engine.kind === kind);
    this.#free = this.#free.filter((id) => id !== free);
    if (free !== undefined) return this.#held.get(free)!.loan;
    const start = this.#start(kind);
    this.#starts.add(start);
    return start.finally(() => this.#starts.delete(start));
  }

  async #start(kind: string): Promise<Loan> {
    const engine = engines().find((one) => one.kind === kind);
    if (!engine) throw new Error(`no engine of the kind "${kind}"`);
    const parent = memoryDirectory();
    const daemon = await startWithBusybox(engine, [], [], parent === undefined ? {} : { parent });
    const loan = await describeLoan(engine, daemon);
    this.#held.set(loan.id, { engine, daemon, loan });
    return loan;
  }

  async #end(id: string): Promise<void> {
    const held = this.#held.get(id);
    this.#held.delete(id);
    await held?.daemon.close();
  }
}
