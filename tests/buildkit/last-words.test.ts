// What a session's client says when it ends a call before the engine has said all that it wanted to say there.

import { once } from "node:events";
import { connect, createServer, type AddressInfo, type Server, type Socket } from "node:net";
import { Duplex } from "node:stream";
import { afterEach, expect, test } from "vitest";
import { encode } from "../../hosts/buildkit/messages/codec.js";
import { writeResponse } from "../../hosts/buildkit/messages/content.js";
import { sessionOn } from "../../hosts/node/grpc/call-client.js";
import { framed } from "../../hosts/node/grpc/messages.js";
import type { KeptBlob } from "../../hosts/shared/index.js";

const NEVER = new AbortController().signal;
const STORE = { session: 1n, name: "local:/c" };

let server: Server | undefined;
let socket: Socket | undefined;
afterEach(() => {
  socket?.destroy();
  server?.close();
});

// Frames of HTTP/2 (RFC 9113 §6) and their flags.
const [DATA, HEADERS, RST_STREAM, SETTINGS] = [0, 1, 3, 4];
const [END_STREAM, ACK, END_HEADERS] = [1, 1, 4];
const FRAME_HEAD = 9;
const PREFACE = 24;
const NO_ERROR = Buffer.alloc(4);

function frame(type: number, flags: number, stream: number, payload: Uint8Array = Buffer.alloc(0)): Buffer {
  const head = Buffer.alloc(FRAME_HEAD);
  head.writeUIntBE(payload.length, 0, 3);
  head.writeUInt8(type, 3);
  head.writeUInt8(flags, 4);
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, payload]);
}

/** Literal fields (RFC 7541 §6.2.2). */
function fields(...pairs: [string, string][]): Buffer {
  const text = (words: string): Buffer => Buffer.concat([Buffer.of(words.length), Buffer.from(words)]);
  return Buffer.concat(pairs.map(([name, value]) => Buffer.concat([Buffer.of(0), text(name), text(value)])));
}

const HEAD = fields([":status", "200"], ["content-type", "application/grpc"]);
const answer = (stream: number): Buffer =>
  Buffer.concat([
    frame(HEADERS, END_HEADERS, stream, HEAD),
    frame(DATA, 0, stream, framed(encode(writeResponse, { action: 0 }))),
  ]);

/**
 * What a client in Go sends when it ends a call that is not half-closed: its words, and at once that it reads no more. It has
 * answered before, or these are its first words.
 */
function ending(stream: number, isFirst: boolean, ...words: [string, string][]): Buffer {
  const last = isFirst ? Buffer.concat([HEAD, fields(...words)]) : fields(...words);
  return Buffer.concat([
    frame(HEADERS, END_HEADERS | END_STREAM, stream, last),
    frame(RST_STREAM, 0, stream, NO_ERROR),
  ]);
}

/** Puts a blob into the store of a client. `after`: it ends the call at the message of this number. */
async function given(after: number, ...words: [string, string][]): Promise<void> {
  server = createServer((client) => {
    client.on("error", () => {});
    client.write(frame(SETTINGS, 0, 0));
    let messages = 0;
    eachFrame(client, (type, flags, stream) => {
      if (type === SETTINGS && (flags & ACK) === 0) client.write(frame(SETTINGS, ACK, 0));
      if (type !== DATA) return;
      messages += 1;
      client.write(messages === after ? ending(stream, after === 1, ...words) : answer(stream));
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
  await once(socket, "connect");
  await sessionOn(carried(socket), 0n, () => {}).give(STORE, [blob], NEVER);
}

/**
 * As a connection comes inside a call: its bytes come with a promise. So whoever waits for messages learns that the call is
 * over before Node tells what the client said last.
 */
function carried(connection: Socket): Duplex {
  const duplex = new Duplex({
    read: () => {},
    write: (bytes, _encoding, done) => void connection.write(bytes as Buffer, done),
  });
  connection.on("data", (bytes) => queueMicrotask(() => duplex.push(bytes)));
  return duplex;
}

function eachFrame(client: Socket, take: (type: number, flags: number, stream: number) => void): void {
  let held = Buffer.alloc(0);
  let begun = false;
  client.on("data", (bytes: Buffer) => {
    held = Buffer.concat([held, bytes]);
    if (!begun && held.length >= PREFACE) {
      begun = true;
      held = held.subarray(PREFACE);
    }
    while (begun && held.length >= FRAME_HEAD && held.length >= FRAME_HEAD + held.readUIntBE(0, 3)) {
      const length = held.readUIntBE(0, 3);
      const [type, flags, stream] = [held.readUInt8(3), held.readUInt8(4), held.readUInt32BE(5)];
      held = held.subarray(FRAME_HEAD + length);
      take(type, flags, stream);
    }
  });
}

const blob: KeptBlob = {
  digest: "sha256:a",
  size: async () => 1,
  async *bytes() {
    yield new Uint8Array(1);
  },
};

test.each([1, 2])("a blob that the client has is no failure, if it says so at message %d", async (after) => {
  await given(after, ["grpc-status", "6"], ["grpc-message", "it is here"]);
});

test.each([1, 2])("why the client cannot take a blob is told, if it says so at message %d", async (after) => {
  const failed = given(after, ["grpc-status", "2"], ["grpc-message", "no%20space%20left"]);
  await expect(failed).rejects.toMatchObject({ failure: { tag: "body-broke", val: "no space left" } });
});

test("a client that ends a call without a word has left", async () => {
  await expect(given(2)).rejects.toMatchObject({ failure: { tag: "interrupted", val: "client-gone" } });
});
