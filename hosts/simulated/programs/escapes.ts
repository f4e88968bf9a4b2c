// Escapes of `echo -e` and `printf`, and conversion of texts to bytes.

const encoder = new TextEncoder();

const LETTERS: Readonly<Record<string, number>> = {
  a: 7,
  b: 8,
  e: 27,
  f: 12,
  n: 10,
  r: 13,
  t: 9,
  v: 11,
  "\\": 92,
};

/** `octal`: `\0123` (echo, and %b) or `\123` (formats of printf). `stop`: the text ended at a `\c`. */
export function unescapeBytes(text: string, octal: "echo" | "printf"): { bytes: Uint8Array; stop: boolean } {
  const pieces: Uint8Array[] = [];
  const number = octal === "echo" ? /^0[0-7]{0,3}|^[1-7][0-7]{0,2}/ : /^[0-7]{1,3}/;
  let at = 0;
  for (;;) {
    const next = text.indexOf("\\", at);
    pieces.push(encoder.encode(text.slice(at, next < 0 ? undefined : next)));
    if (next < 0) return { bytes: concat(pieces), stop: false };
    const rest = text.slice(next + 1);
    if (rest[0] === "c") return { bytes: concat(pieces), stop: true };
    const [bytes, length] = escape(rest, number);
    pieces.push(bytes);
    at = next + 1 + length;
  }
}

function escape(rest: string, number: RegExp): [Uint8Array, number] {
  const letter = LETTERS[rest[0] ?? ""];
  if (letter !== undefined) return [Uint8Array.of(letter), 1];
  const hexadecimal = /^x[0-9a-fA-F]{1,2}/.exec(rest)?.[0];
  if (hexadecimal) return [Uint8Array.of(Number.parseInt(hexadecimal.slice(1), 16)), hexadecimal.length];
  const octal = number.exec(rest)?.[0];
  if (octal) return [Uint8Array.of(Number.parseInt(octal, 8) & 0xff), octal.length];
  return [Uint8Array.of(92), 0];
}

export function concat(pieces: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(pieces.reduce((sum, piece) => sum + piece.length, 0));
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}
