// The HTTP server on a real socket, with a core scripted by the test.

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished } from "vitest";
import type { Input, ReplyOrCut, RequestId, Stdin, engine, replies } from "../../hosts/shared/host.js";
import { noSuch } from "../../hosts/shared/failure.js";
import { RequestBodies } from "../../hosts/request/bodies.js";
import { ReplyRouter } from "../../hosts/request/reply-router.js";
import { straight } from "../../hosts/request/door.js";
import { ApiServer } from "../../hosts/node/http/server.js";
import { Attachments } from "../../hosts/streams/attachments.js";
import { MemoryLog } from "../streams/log-of.js";
import { RawConnection } from "../support/raw-http.js";
import { NO_STREAMS } from "../support/no-streams.js";

export interface ScriptedServer {
  path: string;
  server: ApiServer;
  bodies: RequestBodies;
  log: MemoryLog;
  /** The spliced archives, one after the other. */
  archives: AsyncIterable<Uint8Array>[];
  stdin: RecordedStdin;
  /** All inputs except requests. */
  inputs: Input[];
  requests: engine.Request[];
  /** Stateless answers may be others from now on. */
  changed: () => void;
  reply: (id: RequestId, command: ReplyOrCut) => void;
  connect: () => Promise<RawConnection>;
  /** Number of the server's connections. */
  connections: () => Promise<number>;
  /** Resolves when the server has read everything that clients sent so far. */
  allRead: () => Promise<void>;
  /** The next request that the core gets. */
  nextRequest: () => Promise<engine.Request>;
}

/** `answer` is called at once for each request; without it the test replies itself. */
export async function scriptedServer(
  answer: (request: engine.Request, reply: (command: ReplyOrCut) => void) => void = () => {},
): Promise<ScriptedServer> {
  const directory = await mkdtemp(join(tmpdir(), "coracle-server-"));
  const path = join(directory, "s.sock");
  const router = new ReplyRouter();
  const bodies = new RequestBodies();
  const log = new MemoryLog();
  const archives: AsyncIterable<Uint8Array>[] = [];
  const stdin = new RecordedStdin();
  const inputs: Input[] = [];
  const requests: engine.Request[] = [];
  let wake = () => {};
  let last = 0n;
  const driver = {
    nextRequest: () => ++last,
    deliver: (input: Input) => {
      if (input.tag !== "request") return void inputs.push(input);
      requests.push(input.val);
      answer(input.val, (command) => router.perform(input.val.id, command));
      wake();
    },
  };
  const exec = async (): Promise<never> => {
    throw noSuch("exec");
  };
  const archive = () => archives.shift()!;
  const stdio = { log: async () => log, stdin: () => stdin, ...NO_STREAMS, exec, archive };
  const door = { ...driver, replies: router, bodies, stdio, attachments: new Attachments(stdio) };
  const entrance = { bodyLimit: 1000, requireOpen: () => {}, passage: () => straight(door) };
  let generation = 0;
  const server = await ApiServer.create({ entrance, generation: () => generation });
  const listener = server.accept(`unix://${path}`);
  await new Promise<void>((resolve) => listener.listen(path, resolve));
  const connections: RawConnection[] = [];
  onTestFinished(async () => {
    for (const connection of connections) connection.close();
    await server.drain(0);
    await server.close();
    await rm(directory, { recursive: true });
  });
  let seen = 0;
  return {
    path,
    server,
    bodies,
    log,
    archives,
    stdin,
    inputs,
    requests,
    changed: () => void generation++,
    reply: (id, command) => router.perform(id, command),
    connect: async () => {
      const connection = await RawConnection.open(path, 5000);
      connections.push(connection);
      return connection;
    },
    connections: () =>
      new Promise((resolve, reject) => {
        listener.getConnections((error, count) => (error ? reject(error) : resolve(count)));
      }),
    allRead: async () => {
      // Later bytes are read later; they do not reach the core.
      const later = await RawConnection.open(path, 5000);
      later.send("no request\r\n\r\n");
      expect((await later.rest()).toString()).toContain("400 Bad Request");
      later.close();
    },
    nextRequest: async () => {
      while (requests.length <= seen) await new Promise<void>((resolve) => (wake = resolve));
      return requests[seen++]!;
    },
  };
}

export class RecordedStdin implements Stdin {
  text = "";

  async write(bytes: Uint8Array): Promise<void> {
    this.text += new TextDecoder().decode(bytes);
  }

  end(): void {
    this.text += "<end>";
  }

  release(): void {
    this.text += "<released>";
  }
}

export function whole(status: number, body = "", headers = "Content-Type: application/json"): replies.ReplyCommand {
  return { tag: "whole", val: { head: { status, headers }, body: Buffer.from(body), stateless: false } };
}

/** Waits until a condition holds; fails after a minute. */
export async function until(what: () => boolean): Promise<void> {
  for (let turn = 0; turn < 12_000; turn++) {
    if (what()) return;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  throw new Error(`not within a minute: ${what}`);
}
