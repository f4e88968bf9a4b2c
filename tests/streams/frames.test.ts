// Headers of frames.

import { expect, test } from "vitest";
import { STDERR, readFrameHeader, writeFrameHeader } from "../../hosts/streams/frames.js";

test("a frame header has stream and length, big-endian", () => {
  const bytes = new Uint8Array(10);
  writeFrameHeader(bytes, 2, STDERR, 0x01020304);
  expect([...bytes]).toEqual([0, 0, 2, 0, 0, 0, 1, 2, 3, 4]);
  expect(readFrameHeader(bytes, 2)).toEqual({ stream: 2, length: 0x01020304 });
  expect(readFrameHeader(bytes, 3)).toBeNull();
});

test("bytes that are not a frame header are reported", () => {
  expect(() => readFrameHeader(new TextEncoder().encode("hello, world"), 0)).toThrow("no frame header at byte 0");
});
