// od and hexdump -C: bytes as numbers.

import { command, eachInput } from "../command.js";
import { concat } from "../escapes.js";
import { amount } from "./head.js";
import { parseOptions } from "../options.js";

const ROW = 16;

async function bytesOf(
  process: Parameters<typeof eachInput>[0],
  words: readonly string[],
  most: number,
): Promise<[Uint8Array, number]> {
  const pieces: Uint8Array[] = [];
  let left = most;
  const code = await eachInput(process, words, async (input) => {
    for (let piece = left > 0 ? await input.read() : null; piece; piece = left > 0 ? await input.read() : null) {
      pieces.push(piece.slice(0, left));
      left -= piece.length;
      process.allocate(piece.length);
    }
  });
  return [concat(pieces), code];
}

export const od = command(async (process, args) => {
  const { flags, words } = parseOptions(args, "A:t:N:vbcxd");
  const [bytes, code] = await bytesOf(process, words, flags.has("N") ? amount(flags.get("N")!) : Infinity);
  const cell = cellOf(flags.has("c") ? "c" : flags.has("b") ? "o1" : (flags.get("t") ?? "o2"));
  const radix = { d: 10, x: 16, n: 0 }[flags.get("A") ?? ""] ?? 8;
  const place = (at: number): string => (radix === 0 ? "" : at.toString(radix).padStart(7, "0"));
  let text = "";
  for (let at = 0; at < bytes.length; at += ROW) text += `${place(at)}${cell(bytes.subarray(at, at + ROW))}\n`;
  if (radix !== 0) text += `${place(bytes.length)}\n`;
  await process.stdout.write(text);
  return code;
});

const NAMED: Readonly<Record<number, string>> = {
  0: "\\0",
  7: "\\a",
  8: "\\b",
  9: "\\t",
  10: "\\n",
  11: "\\v",
  12: "\\f",
  13: "\\r",
};

function cellOf(type: string): (row: Uint8Array) => string {
  const character = (byte: number): string =>
    NAMED[byte] ?? (byte >= 32 && byte < 127 ? String.fromCharCode(byte) : byte.toString(8).padStart(3, "0"));
  if (type === "c") return (row) => [...row].map((byte) => character(byte).padStart(4)).join("");
  const [kind, size] = [type[0] ?? "o", Number(type[1] ?? 2)];
  const radix = kind === "x" ? 16 : kind === "o" ? 8 : 10;
  const digits = kind === "x" ? size * 2 : kind === "o" ? Math.ceil((size * 8) / 3) : { 1: 3, 2: 5, 4: 10 }[size]!;
  return (row) => {
    let text = "";
    for (let at = 0; at < row.length; at += size) {
      const value = [...row.subarray(at, at + size)].reduceRight((sum, byte) => sum * 256 + byte, 0);
      text += ` ${value.toString(radix).padStart(digits, kind === "u" || kind === "d" ? " " : "0")}`;
    }
    return text;
  };
}
