// A client of BuildKit sends a directory again: only what has changed crosses the socket, also after the daemon was killed.

import { randomUUID } from "node:crypto";
import type { Server, ServerDuplexStream } from "@grpc/grpc-js";
import { afterEach, beforeEach, expect, test } from "vitest";
import { BuildKitClient, openSession } from "../../support/buildkit/client.js";
import { messagesOf, type Fields } from "../../support/buildkit/protocol.js";
import { until } from "../../support/commands.js";
import { describeUnless } from "../../support/on-engines.js";
import { killedDaemon, missing } from "../killed-daemon.js";

const DIFF_COPY = "/moby.filesync.v1.FileSync/DiffCopy";
const [STAT, REQUEST, DATA, FINISHED] = [0, 1, 2, 3];
const FILES = 20_000;

interface File {
  bytes: string;
  /** Nanoseconds since 1970. */
  time: bigint;
}

/** What a client has, and what it was asked for. */
class Directory {
  readonly files = new Map<string, File>();
  asked: string[] = [];
  /** Of files. */
  bytes = 0;
  /** After so many files, the client sends no more. */
  stopsAfter = Infinity;

  serve(server: Server): readonly string[] {
    const packet = messagesOf("Packet");
    const copy = {
      path: DIFF_COPY,
      ...{ requestStream: true, responseStream: true },
      ...{ requestSerialize: packet.encode, requestDeserialize: packet.decode },
      ...{ responseSerialize: packet.encode, responseDeserialize: packet.decode },
    };
    const DiffCopy = (call: ServerDuplexStream<Fields, Fields>): void => this.#send(call);
    // The session's own lists no times.
    server.unregister(DIFF_COPY);
    server.addService({ DiffCopy: copy }, { DiffCopy });
    return [DIFF_COPY];
  }

  #send(call: ServerDuplexStream<Fields, Fields>): void {
    const isContext =
      String(call.metadata.get("dir-name")[0]) === "context" && call.metadata.get("followpaths").length === 0;
    const files = isContext ? [...this.files].sort(([a], [b]) => (a < b ? -1 : 1)) : this.#definition(call);
    for (const [path, { bytes, time }] of files) {
      call.write({ type: STAT, stat: { path, mode: 0o644, size: bytes.length, modTime: String(time) } });
    }
    call.write({ type: STAT });
    call.on("error", () => {});
    call.on("data", ({ type = STAT, ID = 0 }: { type?: number; ID?: number }) => {
      if (type === REQUEST) this.#give(call, ID, files[ID]!, isContext);
      if (type !== FINISHED) return;
      call.write({ type: FINISHED });
      call.end();
    });
  }

  #give(
    call: ServerDuplexStream<Fields, Fields>,
    ID: number,
    [path, { bytes }]: [string, File],
    counts: boolean,
  ): void {
    if (counts) this.asked.push(path);
    if (counts && this.asked.length > this.stopsAfter) return;
    if (counts) this.bytes += bytes.length;
    call.write({ type: DATA, ID, data: Buffer.from(bytes) });
    call.write({ type: DATA, ID });
  }

  definition = "";

  #definition(call: ServerDuplexStream<Fields, Fields>): [string, File][] {
    const isDockerfile = String(call.metadata.get("dir-name")[0]) === "dockerfile";
    return isDockerfile ? [["Dockerfile", { bytes: this.definition, time: 1n }]] : [];
  }
}

describeUnless(missing, "a directory that a client has sent before", () => {
  const killed = killedDaemon();
  let directory: Directory;
  let client: BuildKitClient;
  beforeEach(async () => {
    directory = new Directory();
    client = await BuildKitClient.open(killed.daemon.socketPath);
  });
  afterEach(() => client.close());

  test("20,000 files, of which one has changed, is new, or is gone", { timeout: 300_000 }, async () => {
    for (let at = 0; at < FILES; at++) set(`f${at}`, `the bytes of ${at}`);
    expect(await built("f7", "f8")).toBe("the bytes of 7|the bytes of 8|");
    expect(directory.asked).toHaveLength(FILES);
    set("f7", "changed", 2n);
    expect(await built("f7", "f8")).toBe("changed|the bytes of 8|");
    expect([directory.asked, directory.bytes]).toEqual([["f7"], 7]);
    // The same size, in the same second.
    set("f7", "CHANGED", 3n);
    expect(await built("f7", "f8")).toBe("CHANGED|the bytes of 8|");
    expect(directory.asked).toEqual(["f7"]);
    directory.files.delete("f8");
    set("new", "new");
    await expect(built("f7", "f8")).rejects.toThrow("not found");
    expect(directory.asked).toEqual(["new"]);
    expect(await built("f7", "new")).toBe("CHANGED|new|");
    expect([directory.asked, directory.bytes]).toEqual([[], 0]);
    await killed.killAndRestart();
    client.close();
    client = await BuildKitClient.open(killed.daemon.socketPath);
    set("f9", "nine");
    expect(await built("f9", "f10")).toBe("nine|the bytes of 10|");
    expect(directory.asked).toEqual(["f9"]);
    await prune();
    expect(await built("f9", "f10")).toBe("nine|the bytes of 10|");
    expect(directory.asked).toHaveLength(FILES);
  });

  test("the daemon is killed while it comes: what came before counts, and no file that came by half", async () => {
    for (const name of ["a", "b", "c"]) set(name, name.repeat(3));
    expect(await built("a", "c")).toBe("aaa|ccc|");
    for (const name of ["a", "c"]) set(name, name.toUpperCase(), 2n);
    directory.stopsAfter = 1;
    const broken = built("a", "c").catch((error: unknown) => error);
    await until("half of it to come", async () => directory.asked.length === 2);
    await killed.killAndRestart();
    expect(await broken).toBeInstanceOf(Error);
    directory.stopsAfter = Infinity;
    client.close();
    client = await BuildKitClient.open(killed.daemon.socketPath);
    expect(await built("a", "b", "c")).toBe("A|bbb|C|");
    expect(directory.asked).toEqual(["a", "c"]);
    await prune();
    client.close();
    await killed.expectNothingLeft();
  });

  /** `time`: nanoseconds of one second long ago. */
  function set(name: string, bytes: string, time = 1n): void {
    directory.files.set(name, { bytes, time: 1_000_000_000_000_000_000n + time });
  }

  /** Builds an image with these files, and returns what is in them. */
  async function built(...names: string[]): Promise<string> {
    [directory.asked, directory.bytes] = [[], 0];
    directory.definition = `FROM busybox\nCOPY ${names.join(" ")} /sent/\n`;
    const ref = randomUUID();
    const end = await openSession(killed.daemon.socketPath, ref, null, { serve: (server) => directory.serve(server) });
    try {
      const fields = { Ref: ref, Session: ref, Frontend: "dockerfile.v0", Exporter: "moby" };
      const wanted = { ...fields, ExporterAttrs: { name: "sent" } };
      await client.control("Solve", ["SolveRequest", wanted], "SolveResponse");
    } finally {
      end();
    }
    const Cmd = ["sh", "-c", names.map((name) => `cat /sent/${name}; printf '|'`).join(";")];
    const { stdout } = await killed.engine.run({ Image: "sent", Cmd, HostConfig: { NetworkMode: "none" } });
    return stdout;
  }

  /** Nothing of the images and of the cache stays. */
  async function prune(): Promise<void> {
    await killed.removeAll();
    await killed.engine.must(200, "DELETE", "/images/sent");
    await killed.engine.must(200, "POST", "/build/prune?all=1");
  }
});
