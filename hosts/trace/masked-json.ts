// Credentials in JSON: their values become stand-ins of the same length, all else stays where it is.

import { hiddenAddress } from "./server-address.js";

const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
/** One unit for each byte. */
const latin1 = new TextDecoder("latin1");
const X = 0x78;
const ONE = 0x31;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** Names that give nothing away, by which the core decides: fields of Docker's AuthConfig, and of what makes a swarm. */
const KNOWN = [
  ...["username", "password", "auth", "email", "serveraddress", "identitytoken", "registrytoken"],
  ...["listenaddr", "advertiseaddr", "datapathaddr", "remoteaddrs", "jointoken", "spec", "name"],
];
/** The one name that a swarm may have. */
const SWARM = "default";

/**
 * The same document with other values: texts become x's, digits become ones, keys that nobody knows become x's unless
 * `keys` says to keep them. Of addresses of registries the hosts stay: the core decides by them. What is no JSON becomes
 * other bytes that are no JSON either.
 */
export function maskJson(bytes: Uint8Array, keys: "known" | "all" = "known"): Uint8Array<ArrayBuffer> {
  if (!isJson(bytes)) return noJson(bytes.length);
  const masked = new Uint8Array(bytes);
  let key = "";
  for (let at = 0; at < masked.length; at++) {
    const byte = masked[at]!;
    if (byte >= 0x30 && byte <= 0x39) masked[at] = ONE;
    if (byte !== QUOTE) continue;
    const end = endOfText(masked, at + 1);
    if (isKey(masked, end + 1)) {
      key = textOf(bytes.subarray(at, end + 1));
      maskKey(masked.subarray(at + 1, end), key, keys);
    } else {
      maskValue(masked.subarray(at + 1, end), key);
    }
    at = end;
  }
  return masked;
}

function isJson(bytes: Uint8Array): boolean {
  try {
    JSON.parse(decoder.decode(bytes));
    return true;
  } catch {
    return false;
  }
}

/** `{` and spaces: never the whole of a document. */
function noJson(length: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(length).fill(0x20);
  if (length > 0) bytes[0] = 0x7b;
  return bytes;
}

function maskKey(inside: Uint8Array, key: string, keys: "known" | "all"): void {
  if (KNOWN.includes(key.toLowerCase())) return;
  if (keys === "known") inside.fill(X);
  else maskAddress(inside);
}

function maskValue(inside: Uint8Array, key: string): void {
  const name = key.toLowerCase();
  if (name === "serveraddress") maskAddress(inside);
  else if (name !== "name" || latin1.decode(inside) !== SWARM) inside.fill(X);
}

function maskAddress(inside: Uint8Array): void {
  const shown = hiddenAddress(latin1.decode(inside));
  for (let at = 0; at < inside.length; at++) if (shown[at] === "x") inside[at] = X;
}

function endOfText(bytes: Uint8Array, from: number): number {
  let at = from;
  while (bytes[at] !== QUOTE) at += bytes[at] === BACKSLASH ? 2 : 1;
  return at;
}

/** In a document, a text that a colon follows is a key. */
function isKey(bytes: Uint8Array, from: number): boolean {
  let at = from;
  while (at < bytes.length && bytes[at]! <= 0x20) at++;
  return bytes[at] === 0x3a;
}

function textOf(quoted: Uint8Array): string {
  return JSON.parse(decoder.decode(quoted)) as string;
}
