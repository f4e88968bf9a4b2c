// Blobs in a content store of a session's client: how they are read, and how they are put there.

import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import { CallFailed, type Caller } from "../../hosts/buildkit/conversation.js";
import { decode, encode } from "../../hosts/buildkit/messages/codec.js";
import {
  COMMIT,
  STAT,
  WRITE,
  readRequest,
  readResponse,
  writeRequest,
  writeResponse,
} from "../../hosts/buildkit/messages/content.js";
import { storedBlob, storedDocument } from "../../hosts/buildkit/stores/reading.js";
import { giveBlobs } from "../../hosts/buildkit/stores/writing.js";
import { fromClient } from "../../hosts/streams/index.js";
import type { KeptBlob } from "../../hosts/shared/index.js";

const SERVICE = "/containerd.services.content.v1.Content";
const STORE = { session: 1n, name: "local:/c" };
const NEVER = new AbortController().signal;
const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);
const digestOf = (bytes: Uint8Array): string => `sha256:${createHash("sha256").update(bytes).digest("hex")}`;

/** A client whose answer to each message is what `answer` returns or throws; null ends the call. */
function client(answer: (message: Uint8Array) => (Uint8Array | Error | null)[]): { caller: Caller; calls: string[] } {
  const calls: string[] = [];
  const caller: Caller = (path, headers) => {
    calls.push(`${path} ${String(headers["buildkit-attachable-store-id"])}`);
    const queue: (Uint8Array | Error | null)[] = [];
    let wake = (): void => {};
    const push = (...said: (Uint8Array | Error | null)[]): void => {
      queue.push(...said);
      wake();
    };
    return {
      send: async (message) => push(...answer(message)),
      finish: () => {},
      cancel: () => push(null),
      messages: (async function* () {
        for (;;) {
          while (queue.length === 0) await new Promise<void>((resolve) => (wake = resolve));
          const next = queue.shift()!;
          if (next === null) return;
          if (next instanceof Error) throw next;
          yield next;
        }
      })(),
    };
  };
  return { caller, calls };
}

/** A client that has one blob, and sends it in pieces of three bytes. */
function having(text: string): ReturnType<typeof client> {
  const digest = digestOf(bytesOf(text));
  return client((message) => {
    if ((decode(readRequest, message) as { digest: string }).digest !== digest) return [new CallFailed(5, "not found")];
    const pieces = text.match(/.{1,3}/g) ?? [];
    return [...pieces.map((piece) => encode(readResponse, { data: bytesOf(piece) })), null];
  });
}

describe("reading", () => {
  const wanted = (digest: string, limit = 100) => ({ in: STORE, digest, limit });

  test("gives the bytes as they come", async () => {
    const { caller, calls } = having("abcdefgh");
    const pieces: string[] = [];
    for await (const piece of storedBlob(caller, { in: STORE, digest: digestOf(bytesOf("abcdefgh")) })) {
      pieces.push(new TextDecoder().decode(piece));
    }
    expect(pieces).toEqual(["abc", "def", "gh"]);
    expect(calls).toEqual([`${SERVICE}/Read local:/c`]);
  });

  test("ends the call as soon as nobody reads on, even while the client sends nothing", async () => {
    let cancelled = 0;
    const silent = client(() => []).caller;
    const caller: Caller = (path, headers) => ({ ...silent(path, headers), cancel: () => void (cancelled += 1) });
    const given = new AbortController();
    const pieces = fromClient(storedBlob(caller, { in: STORE, digest: digestOf(bytesOf("a")) }), given.signal);
    const first = pieces.next();
    setTimeout(() => given.abort(), 10);
    await expect(first).rejects.toMatchObject({ failure: { tag: "interrupted", val: "given-up" } });
    expect(cancelled).toBe(1);
  });

  test("gives a document only if it has its digest", async () => {
    const digest = digestOf(bytesOf("abcdefgh"));
    expect(await storedDocument(having("abcdefgh").caller, wanted(digest), NEVER)).toEqual(bytesOf("abcdefgh"));
    const lying = client(() => [encode(readResponse, { data: bytesOf("other") }), null]);
    const failed = storedDocument(lying.caller, wanted(digest), NEVER);
    await expect(failed).rejects.toMatchObject({ failure: { tag: "mismatch" } });
  });

  test("ends as soon as a document is larger than it may be", async () => {
    let asked = 0;
    const endless = client(() => {
      asked += 1;
      return Array.from({ length: 5 }, () => encode(readResponse, { data: new Uint8Array(50) }));
    });
    const failed = storedDocument(endless.caller, wanted(digestOf(bytesOf("a"))), NEVER);
    await expect(failed).rejects.toMatchObject({ failure: { tag: "too-large", val: { limit: 100n } } });
    expect(asked).toBe(1);
  });

  test("ends the call of a client that says nothing as soon as nobody waits for it", async () => {
    const given = new AbortController();
    const { caller } = client(() => []);
    const failed = storedDocument(caller, wanted(digestOf(bytesOf("a"))), given.signal);
    setTimeout(() => given.abort(), 10);
    await expect(failed).rejects.toMatchObject({ failure: { tag: "interrupted", val: "given-up" } });
  });

  test.each([
    [5, "no-such"],
    [12, "no-such"],
    [2, "body-broke"],
  ])("tells an error of code %d as %s", async (code, tag) => {
    const { caller } = client(() => [new CallFailed(code, "words")]);
    const failed = storedDocument(caller, wanted(digestOf(bytesOf("a"))), NEVER);
    await expect(failed).rejects.toMatchObject({ failure: { tag } });
  });
});

interface Written {
  action?: number;
  ref?: string;
  total?: number;
  expected?: string;
  offset?: number;
  data?: Uint8Array;
}

/** A blob of so many bytes, which come in pieces of 100,000. */
function blobOf(size: number): KeptBlob {
  const bytes = new Uint8Array(size).fill(7);
  return {
    digest: digestOf(bytes),
    size: async () => size,
    async *bytes() {
      for (let at = 0; at < size; at += 100_000) yield bytes.subarray(at, at + 100_000);
    },
  };
}

/** A client that takes what it gets. */
function taking(had: readonly string[] = []) {
  const written: Written[] = [];
  const made = client((message) => {
    const { action = STAT, ...said } = decode(writeRequest, message) as Written;
    written.push({ action, ...said, ...(said.data && { data: said.data.slice() }) });
    if (had.includes(said.expected ?? "")) return [new CallFailed(6, "already exists")];
    return [encode(writeResponse, { action })];
  });
  return { ...made, written };
}

describe("writing", () => {
  test("says what comes, sends it in pieces of a mebibyte, and commits all of it", async () => {
    const { caller, calls, written } = taking();
    const blob = blobOf(2_500_000);
    await giveBlobs(caller, STORE, [blob], NEVER);
    expect(calls).toEqual([`${SERVICE}/Write local:/c`]);
    expect(written.map(({ action, offset = 0, data }) => [action, offset, data?.length ?? 0])).toEqual([
      [STAT, 0, 0],
      [WRITE, 0, 1 << 20],
      [WRITE, 1 << 20, 1 << 20],
      [WRITE, 2 << 20, 2_500_000 - (2 << 20)],
      [COMMIT, 2_500_000, 0],
    ]);
    const about = { ref: blob.digest, total: 2_500_000, expected: blob.digest };
    expect([written[0], written.at(-1)]).toMatchObject([about, about]);
    expect(digestOf(Buffer.concat(written.flatMap(({ data }) => data ?? [])))).toBe(blob.digest);
  });

  test("leaves a blob that is there, and goes on with the next one", async () => {
    const [first, second] = [blobOf(1), blobOf(2)];
    const { caller, written } = taking([first.digest]);
    await giveBlobs(caller, STORE, [first, second], NEVER);
    expect(written.map(({ action }) => action)).toEqual([STAT, STAT, WRITE, COMMIT]);
  });

  test("fails with the client's words, if the client ends the call, and if it answers something else", async () => {
    const failing = (answers: (Uint8Array | Error | null)[]): Promise<void> =>
      giveBlobs(client(() => answers).caller, STORE, [blobOf(1)], NEVER);
    const words = { failure: { tag: "body-broke", val: "disk full" } };
    await expect(failing([new CallFailed(8, "disk full")])).rejects.toMatchObject(words);
    await expect(failing([null])).rejects.toMatchObject({ failure: { tag: "interrupted" } });
    const other = encode(writeResponse, { action: COMMIT });
    await expect(failing([other])).rejects.toMatchObject({ failure: { tag: "body-broke" } });
  });

  test("is given up while the client is silent", async () => {
    const controller = new AbortController();
    const given = giveBlobs(client(() => []).caller, STORE, [blobOf(1)], controller.signal);
    controller.abort();
    await expect(given).rejects.toMatchObject({ failure: { tag: "interrupted", val: "given-up" } });
  });
});
