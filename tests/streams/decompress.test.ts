// bzip2 and xz: the output is the original, however the input is divided.
import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { HostFailure, interrupted } from "../../hosts/shared/failure.js";
import { bunzip2 } from "../../hosts/streams/compression/bzip2.js";
import { unxz } from "../../hosts/streams/compression/xz.js";
import { findProgram } from "../support/commands.js";
import { describeUnless } from "../support/on-engines.js";
import { flat } from "../support/failed.js";

type Decoder = (source: AsyncIterable<Uint8Array>) => AsyncIterable<Uint8Array>;

const CASES: [program: string, Decoder][] = [
  ["bzip2", bunzip2],
  ["xz", unxz],
];

for (const [program, decoder] of CASES) {
  const missing = findProgram(program) === null ? `${program} is not installed` : null;
  describeUnless(missing, program, () => {
    const pack = (bytes: Uint8Array, ...flags: string[]): Buffer =>
      execFileSync(program, ["-c", ...flags], { input: bytes, maxBuffer: 1 << 30 });

    test.each([
      ["nothing", Buffer.alloc(0)],
      ["a few bytes", Buffer.from("a few bytes")],
      ["noise", randomBytes(1_200_000)],
      ["zeros", Buffer.alloc(2_000_000)],
    ])("%s, in pieces of all sizes", async (_, bytes) => {
      for (const level of ["-1", "-9"]) {
        const packed = pack(bytes, level);
        for (const size of [packed.length, 100_001, 4096]) {
          expect((await all(decoder(pieces(packed, size)))).equals(bytes)).toBe(true);
        }
      }
    });

    test("in pieces that share their memory", async () => {
      const bytes = randomBytes(300_000);
      expect((await all(decoder(overwritten(pack(bytes), 4096)))).equals(bytes)).toBe(true);
    });

    test("a byte at a time", async () => {
      const bytes = Buffer.from("some words ".repeat(500));
      expect(await all(decoder(pieces(pack(bytes), 1)))).toEqual(bytes);
    });

    test("several at once", async () => {
      const texts = ["one", "two", "three"].map((word) => Buffer.from(word.repeat(50_000)));
      const unpacked = await Promise.all(texts.map((text) => all(decoder(pieces(pack(text), 1000)))));
      expect(unpacked.map((bytes, index) => bytes.equals(texts[index]!))).toEqual([true, true, true]);
    });

    test("a truncated stream is reported, and does not affect the next one", async () => {
      const packed = pack(randomBytes(300_000));
      for (const length of [3, 10, 50_000, packed.length - 3]) {
        if (program === "xz" && length < 6) continue;
        expect(await failure(decoder(pieces(packed.subarray(0, length), 4096)))).toEqual({
          tag: "damaged",
          val: { what: "cut", said: "" },
        });
      }
      expect((await all(decoder(pieces(pack(Buffer.from("next")), 9)))).toString()).toBe("next");
    });

    test("an invalid stream is reported", async () => {
      const packed = pack(randomBytes(300_000));
      packed.fill(0x55, 1000, 1200);
      expect(await failure(decoder(pieces(packed, 4096)))).toMatchObject({
        tag: "damaged",
        val: { what: "compression" },
      });
    });

    test("a source that fails, and a reader that stops", async () => {
      const packed = pack(randomBytes(1_500_000));
      async function* failing(): AsyncGenerator<Uint8Array> {
        yield packed.subarray(0, 1000);
        throw interrupted("client-gone");
      }
      expect(await failure(decoder(failing()))).toMatchObject({ tag: "interrupted" });
      let ended = false;
      async function* watched(): AsyncGenerator<Uint8Array> {
        try {
          yield* pieces(packed, 4096);
        } finally {
          ended = true;
        }
      }
      for await (const _ of decoder(watched())) break;
      expect(ended).toBe(true);
      expect((await all(decoder(pieces(pack(Buffer.from("next")), 9)))).toString()).toBe("next");
    });
  });
}

async function* pieces(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function all(source: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  for await (const part of source) parts.push(new Uint8Array(part));
  return Buffer.concat(parts);
}

async function failure(source: AsyncIterable<Uint8Array>): Promise<unknown> {
  try {
    await all(source);
    return "nothing failed";
  } catch (error) {
    return error instanceof HostFailure ? flat(error.failure) : error;
  }
}

/** Every piece is in the same memory. */
async function* overwritten(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  const memory = new Uint8Array(size);
  for await (const piece of pieces(bytes, size)) {
    memory.set(piece);
    yield memory.subarray(0, piece.length);
    memory.fill(0xff);
  }
}
