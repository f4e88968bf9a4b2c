import { afterEach, describe, expect, test, vi } from "vitest";
import { fromBase64, toBase64 } from "../../hosts/shared/base64.js";

const NodeBuffer = Buffer;

afterEach(() => void vi.unstubAllGlobals());

describe.each(["with Buffer", "without"])("%s", (kind) => {
  test("encodes and decodes, also a part of a larger buffer, and more bytes than a call can have arguments", () => {
    const large = new Uint8Array(200_000).map((_, at) => (at * 7) % 256);
    for (const bytes of [new Uint8Array(), large.subarray(0, 1), large.subarray(5, 7), large.subarray(1), large]) {
      const expected = NodeBuffer.from(bytes).toString("base64");
      if (kind === "without") vi.stubGlobal("Buffer", undefined);
      const text = toBase64(bytes);
      const back = fromBase64(text)!;
      vi.unstubAllGlobals();
      expect(text).toBe(expected);
      expect(NodeBuffer.compare(back, bytes)).toBe(0);
    }
  });
});

test.each(["A", "AA", "AAA", "A===", "AA==AA==", "A-_=", "AA= ", "AAA\n", "=AAA"])("%j is not base64", (text) => {
  expect(fromBase64(text)).toBeNull();
});
