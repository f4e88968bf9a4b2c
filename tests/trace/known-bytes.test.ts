// Digests of bytes that recur are made once.
import { expect, test } from "vitest";
import { remembering } from "../../hosts/hashes/known-bytes.js";
import { murmur3 } from "../../hosts/hashes/murmur3.js";

const [SHORT, LONG] = [256 * 1024, 2 << 20];

/** Checks each digest, and counts how many were made. */
function counting(): { digest: (bytes: Uint8Array) => void; made: () => number } {
  let made = 0;
  const remembered = remembering((bytes) => {
    made += 1;
    return murmur3(bytes);
  });
  const digest = (bytes: Uint8Array): void => expect(remembered(bytes)).toEqual(murmur3(bytes));
  return { digest, made: () => made };
}

test.each([1, 2000, SHORT, SHORT + 1, LONG])("%i bytes that recur are digested once, whoever holds them", (length) => {
  const { digest, made } = counting();
  digest(filled(length, 1));
  digest(filled(length, 1));
  digest(filled(length + 10, 1).subarray(10));
  expect(made()).toBe(1);
  const other = filled(length, 1);
  other[length - 1] = 2;
  digest(other);
  digest(filled(length, 1));
  expect(made()).toBe(3);
});

test("longer bytes are digested each time", () => {
  const { digest, made } = counting();
  for (let count = 0; count < 3; count += 1) digest(filled(LONG + 1, 1));
  expect(made()).toBe(3);
});

test("of short bytes one is kept for each of the last 16 lengths, of long ones only the last", () => {
  const { digest, made } = counting();
  for (let round = 0; round < 2; round += 1) {
    for (let length = 1; length <= 15; length += 1) digest(filled(length, 1));
    digest(filled(SHORT + 1, 1));
  }
  expect(made()).toBe(16);
  digest(filled(SHORT + 2, 1));
  digest(filled(SHORT + 1, 1));
  for (let length = 16; length <= 17; length += 1) digest(filled(length, 1));
  expect(made()).toBe(20);
  digest(filled(2, 1));
  digest(filled(1, 1));
  expect(made()).toBe(21);
});

test("a part of a buffer may change after its digest was made", () => {
  const { digest, made } = counting();
  for (const length of [100, SHORT + 1]) {
    const buffer = filled(length + 1, 1);
    digest(buffer.subarray(1));
    buffer.fill(2);
    digest(buffer.subarray(1));
    digest(filled(length, 2));
  }
  expect(made()).toBe(4);
});

function filled(length: number, value: number): Uint8Array {
  return new Uint8Array(length).fill(value);
}
