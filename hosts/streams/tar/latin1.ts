// Bytes as strings with one character for each byte. TextDecoder's "latin1" is windows-1252 (Encoding standard) and
// loses bytes.

/** The bytes from `from` up to `to`. */
export function latin1Of(bytes: Uint8Array, from = 0, to = bytes.length): string {
  let text = "";
  for (let at = from; at < to; at += PIECE) {
    text += Reflect.apply(String.fromCharCode, null, bytes.subarray(at, Math.min(to, at + PIECE)));
  }
  return text;
}

/** The inverse of `latin1Of`. The caller may choose the destination. */
export function latin1Bytes(text: string, into: Uint8Array = new Uint8Array(text.length), at = 0): Uint8Array {
  for (let index = 0; index < text.length; index++) into[at + index] = text.charCodeAt(index);
  return into;
}

/** Text as UTF-8 bytes, one for each character. */
export function bytesOf(text: string): string {
  return isAscii(text) ? text : latin1Of(new TextEncoder().encode(text));
}

/** The inverse of `bytesOf`; invalid UTF-8 is replaced. */
export function textOf(bytes: string): string {
  return isAscii(bytes) ? bytes : new TextDecoder("utf-8", { ignoreBOM: true }).decode(latin1Bytes(bytes));
}

export function isAscii(text: string): boolean {
  return !/[\u0080-\uffff]/.test(text);
}

/** The number of arguments of one call. */
const PIECE = 4096;
