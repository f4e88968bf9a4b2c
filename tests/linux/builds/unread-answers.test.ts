// A client that directs its build asks for large files of its result and reads no answer: the daemon holds few of them.

import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { connect, type ClientHttp2Session, type ClientHttp2Stream } from "node:http2";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openSession, upgraded } from "../../support/buildkit/client.js";
import { messagesOf, type Fields } from "../../support/buildkit/protocol.js";
import { until } from "../../support/commands.js";
import type { DaemonProcess } from "../../support/daemon-process.js";
import { EngineClient } from "../../support/engine-client.js";
import { missingLinux, startCoracle } from "../../support/engines.js";
import { describeUnless } from "../../support/on-engines.js";
import { rssKibibytes } from "../../support/processes.js";

const CONTROL = "/moby.buildkit.v1.Control";
const BRIDGE = "/moby.buildkit.v1.frontend.LLBBridge";
/** As many as a connection may have open. */
const CALLS = 1000;
/** The one that is being answered, and those that wait for it. */
const TAKEN = 101;
const EXHAUSTED = "8";
const LARGEST = (16 << 20) - 64;
/** For one such file: its bytes, those in base64 in JSON, and the message, each for a moment twice. */
const MEBIBYTES_MORE = 400;
/** When the engine is idle. */
const MEBIBYTES_KEPT = 40;

describeUnless(missingLinux(), "answers that a client of BuildKit does not read", () => {
  let daemon: DaemonProcess;
  let calls: ClientHttp2Session;
  beforeEach(async () => {
    daemon = await startCoracle();
    const connection = await upgraded(daemon.socketPath, "/grpc", {});
    calls = connect("http://localhost", { createConnection: () => connection });
    calls.on("error", () => {});
  });
  afterEach(async () => {
    calls.destroy();
    await daemon.close();
  });

  test("do not pile up", { timeout: 180_000 }, async () => {
    const ref = randomUUID();
    const Ref = await resultOf(ref);
    const before = rssMebibytes();
    const codes: (string | undefined)[] = [];
    const asked = Array.from({ length: CALLS }, () => {
      const stream = call(`${BRIDGE}/ReadFile`, readRequest(Ref), ref);
      stream.once("trailers", (trailers: Record<string, string>) => codes.push(trailers["grpc-status"]));
      return stream.pause();
    });
    await until("the calls that are too many are refused", () => codes.length === CALLS - TAKEN);
    expect(new Set(codes)).toEqual(new Set([EXHAUSTED]));
    await new EngineClient(daemon.socketPath).must(200, "GET", "/_ping");
    expect(rssMebibytes() - before).toBeLessThan(MEBIBYTES_MORE);
    for (const stream of asked.slice(0, 3)) expect(await lengthOf(stream)).toBeGreaterThan(LARGEST);
    expect(rssMebibytes() - before).toBeLessThan(MEBIBYTES_MORE);
    for (const stream of asked.slice(3)) stream.close();
    await until("memory is given back", () => rssMebibytes() < before + MEBIBYTES_KEPT);
  });

  /** The id of a result that has one large file. */
  async function resultOf(ref: string): Promise<string> {
    const dockerfile = [{ path: "Dockerfile", bytes: "FROM scratch\nCOPY large /\n" }];
    const context = [{ path: "large", bytes: "0123456789abcdef".repeat(LARGEST / 16) }];
    await openSession(daemon.socketPath, ref, { dockerfile, context });
    call(`${CONTROL}/Solve`, messagesOf("SolveRequest").encode({ Ref: ref, Session: ref })).resume();
    const wanted = { Frontend: "dockerfile.v0", allowResultReturn: true };
    const stream = call(`${BRIDGE}/Solve`, messagesOf("BridgeSolveRequest").encode(wanted), ref);
    const told = Buffer.concat((await stream.toArray()) as Buffer[]).subarray(5);
    const { result } = messagesOf("BridgeSolveResponse").decode(told) as { result: { ref: Fields } };
    return String(result.ref.id);
  }

  function call(path: string, message: Buffer, ref = ""): ClientHttp2Stream {
    const build = ref === "" ? {} : { "buildkit-controlapi-buildid": ref };
    const headers = { "content-type": "application/grpc", te: "trailers", ...build };
    const stream = calls.request({ ":method": "POST", ":path": path, ...headers });
    stream.on("error", () => {});
    const prefix = Buffer.alloc(5);
    prefix.writeUInt32BE(message.length, 1);
    stream.end(Buffer.concat([prefix, message]));
    return stream;
  }

  function rssMebibytes(): number {
    return Math.round(rssKibibytes(daemon.pid()) / 1024);
  }
});

/** `Ref` and `FilePath` (moby/buildkit, gateway.proto). */
function readRequest(ref: string): Buffer {
  const field = (number: number, text: string): Buffer =>
    Buffer.concat([Uint8Array.of((number << 3) | 2, text.length), Buffer.from(text)]);
  return Buffer.concat([field(1, ref), field(2, "large")]);
}

async function lengthOf(stream: ClientHttp2Stream): Promise<number> {
  let length = 0;
  stream.on("data", (bytes: Buffer) => (length += bytes.length)).resume();
  await once(stream, "end");
  return length;
}
