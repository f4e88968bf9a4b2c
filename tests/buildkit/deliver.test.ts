// What a client gets of a build: files, one by one or as a tar. Clients that refuse, leave, or ask late.
import { expect, test } from "vitest";
import type { Caller, Conversation } from "../../hosts/buildkit/conversation.js";
import { CallFailed } from "../../hosts/buildkit/conversation.js";
import { decode, encode, type Fields } from "../../hosts/buildkit/messages/codec.js";
import { bytesMessage } from "../../hosts/buildkit/messages/control.js";
import { packet } from "../../hosts/buildkit/messages/files.js";
import { deliver } from "../../hosts/buildkit/sent/delivery.js";
import { rawTar, type RawEntry } from "../support/archives/tar.js";

const [STAT, REQUEST, DATA, FINISHED, BROKEN] = [0, 1, 2, 3, 4];
const NEVER = new AbortController().signal;

interface Packet {
  type?: number;
  stat?: Fields;
  ID?: number;
  data?: Uint8Array;
}

/** Answers each message of the engine, and may end the call. */
class Client implements Conversation {
  /** Each message, as it came. */
  readonly got: Uint8Array[] = [];
  isCancelled = false;
  headers: Readonly<Record<string, readonly string[]>> = {};
  readonly #answer: (message: Uint8Array, client: Client) => void;
  #queue: Uint8Array[] = [];
  #over = false;
  #error: unknown = null;
  #wake: () => void = () => {};

  constructor(answer: (message: Uint8Array, client: Client) => void) {
    this.#answer = answer;
  }

  get caller(): Caller {
    return (path, headers) => {
      this.headers = headers;
      expect(path).toBe("/moby.filesync.v1.FileSend/DiffCopy");
      return this;
    };
  }

  say(fields: Fields): void {
    this.#queue.push(encode(packet, fields));
    this.#wake();
  }

  end(error: unknown = null): void {
    this.#over = true;
    this.#error = error;
    this.#wake();
  }

  async send(message: Uint8Array): Promise<void> {
    if (this.#over) throw this.#error ?? new Error("the call is over");
    this.got.push(message.slice());
    this.#answer(this.got.at(-1)!, this);
  }

  finish(): void {
    this.#answer(new Uint8Array(), this);
  }

  cancel(): void {
    this.isCancelled = true;
    this.end(this.#error);
  }

  readonly messages = this.#messages();

  async *#messages(): AsyncGenerator<Uint8Array> {
    for (;;) {
      while (this.#queue.length > 0) yield this.#queue.shift()!;
      if (this.#error !== null) throw this.#error;
      if (this.#over) return;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }
}

/** A client that makes files as fsutil's does. `asks`: when it asks for a file. */
function receiver(asks: "at once" | "at the end" | "never" = "at once"): { client: Client; files: Map<string, Taken> } {
  const files = new Map<string, Taken>();
  const listed: Taken[] = [];
  const late: number[] = [];
  const client = new Client((message, { say, end }) => {
    if (message.length === 0) return end.call(client);
    const { type = STAT, stat, ID = 0, data = new Uint8Array() } = decode(packet, message) as Packet;
    if (type === STAT && stat !== undefined) {
      const taken = { stat, text: "", size: 0, whole: false };
      files.set(String(stat.path), taken);
      listed.push(taken);
      const isFile = hasBytes(stat);
      if (isFile && asks === "at once") say.call(client, { type: REQUEST, ID: listed.length - 1 });
      if (isFile && asks === "at the end") late.push(listed.length - 1);
    } else if (type === STAT) {
      for (const id of late.reverse()) say.call(client, { type: REQUEST, ID: id });
      if (listed.length === 0 || asks === "never") say.call(client, { type: FINISHED });
    } else if (type === DATA) {
      const taken = listed[ID]!;
      if (data.length === 0) taken.whole = true;
      else if (taken.size < 100) taken.text += new TextDecoder().decode(data.subarray(0, 100));
      taken.size += data.length;
    }
    const isComplete = listed.filter(({ stat: one }) => hasBytes(one)).every(({ whole }) => whole);
    const isListed = client.got.some((one) => isEnd(one));
    if (isListed && isComplete && type !== FINISHED && asks !== "never") say.call(client, { type: FINISHED });
  });
  return { client, files };
}

interface Taken {
  stat: Fields;
  text: string;
  size: number;
  whole: boolean;
}

/** It is no directory, and no link. */
function hasBytes({ mode, linkname }: Fields): boolean {
  return Number(mode) < 2 ** 31 && !linkname;
}

function isEnd(message: Uint8Array): boolean {
  const { type = STAT, stat } = decode(packet, message) as Packet;
  return type === STAT && stat === undefined;
}

async function* pieces(bytes: Uint8Array, size = 700): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

const TREE: RawEntry[] = [
  { name: "./", flag: "5", mode: 0o755 },
  { name: "d/", flag: "5", mode: 0o1777 },
  { name: "d/f", body: "one", mode: 0o4755 },
  { name: "d/hard", flag: "1", target: "d/f", mode: 0o4755 },
  { name: "empty", body: "", mode: 0o600 },
  { name: "l", flag: "2", target: "d/f", mode: 0o777 },
];

test.each(["at once", "at the end"] as const)("files, links and modes for a client that asks %s", async (asks) => {
  const { client, files } = receiver(asks);
  await deliver(client.caller, { form: "files", tar: pieces(rawTar(TREE)), output: 0 }, NEVER);
  expect([...files].map(([path, { stat, text }]) => [path, Number(stat.mode), stat.linkname ?? "", text])).toEqual([
    ["d", 2 ** 31 + 2 ** 20 + 0o777, "", ""],
    ["d/f", 2 ** 23 + 0o755, "", "one"],
    ["d/hard", 2 ** 23 + 0o755, "d/f", ""],
    ["empty", 0o600, "", ""],
    ["l", 2 ** 27 + 0o777, "d/f", ""],
  ]);
  expect(files.get("empty")!.whole).toBe(true);
});

test("large files are sent as they come, between small ones", async () => {
  const { client, files } = receiver();
  const large = "x".repeat(9 << 20);
  const many = Array.from({ length: 40 }, (_, at) => ({ name: `s${at}`, body: "y".repeat(300_000) }));
  const tar = rawTar([{ name: "large", body: large }, ...many, { name: "z", body: large }]);
  await deliver(client.caller, { form: "files", tar: pieces(tar, 100_000), output: 0 }, NEVER);
  expect([...files.values()].every(({ whole }) => whole)).toBe(true);
  expect([files.get("large")!.size, files.get("s39")!.size, files.get("z")!.size]).toEqual([
    large.length,
    300_000,
    large.length,
  ]);
});

test("a client that wants none of the files is done when it says so", async () => {
  const { client, files } = receiver("never");
  await deliver(client.caller, { form: "files", tar: pieces(rawTar(TREE)), output: 0 }, NEVER);
  expect(files.size).toBe(5);
});

test.each(["files", "bytes"] as const)("%s: what a client says about its failure is the failure", async (form) => {
  const full = new CallFailed(2, "write /out/d/f: no space left on device");
  const { reading, tar } = watched(rawTar([{ name: "f", body: "z".repeat(4 << 20) }]));
  const client = new Client((_, self) => self.end(full));
  await expect(deliver(client.caller, { form, tar, output: 0 }, NEVER)).rejects.toBe(full);
  expect(reading.isOver).toBe(true);
});

test("a packet with an error ends it, too", async () => {
  const client = new Client((_, self) => self.say({ type: BROKEN, data: new TextEncoder().encode("not mine") }));
  const sent = deliver(client.caller, { form: "files", tar: pieces(rawTar(TREE)), output: 0 }, NEVER);
  await expect(sent).rejects.toMatchObject({ failure: { tag: "body-broke", val: "not mine" } });
});

test.each(["files", "bytes"] as const)("%s: a client that ends before it has all has left", async (form) => {
  const client = new Client((_, self) => self.end());
  const { reading, tar } = watched(rawTar([{ name: "f", body: "z".repeat(4 << 20) }]));
  const sent = deliver(client.caller, { form, tar, output: 0 }, NEVER);
  await expect(sent).rejects.toMatchObject({ failure: { tag: "interrupted", val: "client-gone" } });
  expect(reading.isOver).toBe(true);
});

test.each(["files", "bytes"] as const)(
  "%s: nobody waits for a client that says nothing, once it is given up",
  async (form) => {
    const stop = new AbortController();
    const client = new Client(() => {});
    const { reading, tar } = watched(rawTar([{ name: "f", body: "z".repeat(9 << 20) }]));
    const sent = deliver(client.caller, { form, tar, output: 0 }, stop.signal);
    setTimeout(() => stop.abort(), 20);
    await expect(sent).rejects.toMatchObject({ failure: { tag: "interrupted", val: "given-up" } });
    expect([client.isCancelled, reading.isOver]).toEqual([true, true]);
  },
);

test("a tar that breaks off is the failure", async () => {
  const broken = (async function* (): AsyncGenerator<Uint8Array> {
    yield rawTar(TREE).subarray(0, 1024);
    throw new Error("the disk has lost it");
  })();
  await expect(deliver(receiver().client.caller, { form: "files", tar: broken, output: 0 }, NEVER)).rejects.toThrow(
    "the disk has lost it",
  );
});

test("as bytes, the tar arrives unchanged, in messages that clients take", async () => {
  const tar = rawTar([{ name: "f", body: "z".repeat(3 << 20) }]);
  const client = new Client((message, self) => message.length === 0 && self.end());
  await deliver(client.caller, { form: "bytes", tar: pieces(tar, 2 << 20), output: 3 }, NEVER);
  // Which of its outputs it is.
  expect(client.headers).toEqual({ "buildkit-attachable-exporter-id": ["3"] });
  const parts = client.got.map((message) => (decode(bytesMessage, message) as { data: Uint8Array }).data);
  expect(Buffer.concat(parts).equals(tar)).toBe(true);
  expect(Math.max(...parts.map(({ length }) => length))).toBeLessThanOrEqual(1 << 20);
});

/** A tar, and whether its reader has ended. */
function watched(bytes: Uint8Array): { reading: { isOver: boolean }; tar: AsyncIterable<Uint8Array> } {
  const reading = { isOver: false };
  const tar = (async function* (): AsyncGenerator<Uint8Array> {
    try {
      yield* pieces(bytes);
    } finally {
      reading.isOver = true;
    }
  })();
  return { reading, tar };
}
