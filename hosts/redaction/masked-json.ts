// Replaces credentials in JSON by stand-ins of the same length. Everything else stays in its place.

import { hiddenAddress } from "./server-address.js";

const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
/** Decodes each byte to one UTF-16 unit. */
const latin1 = new TextDecoder("latin1");
const X = 0x78;
const ONE = 0x31;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** Keys that are not secret and that the core uses: fields of Docker's AuthConfig and of the requests for a swarm. */
const KNOWN = [
  ...["username", "password", "auth", "email", "serveraddress", "identitytoken", "registrytoken"],
  ...["listenaddr", "advertiseaddr", "datapathaddr", "remoteaddrs", "jointoken", "spec", "name"],
];
/** The one name that a swarm may have. */
const SWARM = "default";

/**
 * The same document with other values: strings become x's, and digits become ones. Unknown keys become x's, too,
 * unless `keys` is `all`. The hosts in addresses of registries stay, since the core decides by them. Bytes that are
 * not JSON become other bytes that are not JSON.
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

/** `{` and spaces, which are never a complete document. */
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

/** In a valid document, a string followed by a colon is a key. */
function isKey(bytes: Uint8Array, from: number): boolean {
  let at = from;
  while (at < bytes.length && bytes[at]! <= 0x20) at++;
  return bytes[at] === 0x3a;
}

function textOf(quoted: Uint8Array): string {
  return JSON.parse(decoder.decode(quoted)) as string;
}
