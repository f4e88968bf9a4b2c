// Files on web servers that are no registries. What may be a credential in an address is sent, but in no failure.

import { timeOfDay } from "../shared/index.js";
import type { content } from "../shared/index.js";
import { basicOf } from "./basic.js";
import { exchange, readText, type Line } from "./exchange.js";
import { registryFailure } from "./failures.js";
import { ERROR_LIMIT } from "./limits.js";

/** A file of a web server, which can be read once. */
export interface WebBody {
  /** Fails as `cut-short` if the connection breaks off, and as `exchange` if nothing arrives. */
  body: AsyncIterable<Uint8Array>;
  /** In bytes, as the server says; 0 if it does not say. */
  size: number;
  /** Value of a header by its name in lower case; null if there is none. */
  header(name: string): string | null;
  /** Closes it without reading the rest. */
  cancel(): void;
}

/** Redirects are followed. An answer that is an error fails as `registry-answer`. */
export async function askWeb(
  line: Line,
  { address, credentials }: content.WebFile,
  signal?: AbortSignal,
): Promise<WebBody> {
  const { user = "", query = "" } = credentials ?? {};
  const url = address + query;
  const trust = { anyCertificate: false, registry: "", plain: address.startsWith("http:") };
  const headers = { "accept-encoding": "identity", ...(user === "" ? {} : { authorization: authorizationOf(user) }) };
  const answer = await exchange(line, { method: "GET", url, headers, trust, signal });
  if (answer.status === OK) return { ...answer, size: sizeIn(answer.header("content-length") ?? "") };
  // What the server says may repeat the query.
  await readText(answer.body, ERROR_LIMIT);
  throw registryFailure({ ...answer, url: address, text: "", secrets: [] }, timeOfDay(line.clock));
}

/** A header that is no number of bytes says nothing: the end of the file is seen without it. */
function sizeIn(header: string): number {
  return SIZE.test(header) ? Number(header) : 0;
}

/** No more digits than numbers hold exactly. */
const SIZE = /^\d{1,15}$/;

/** A user in an address becomes a header (RFC 7617 §2). Without a colon, the password is empty. */
function authorizationOf(user: string): string {
  const pair = unescaped(user.includes(":") ? user : `${user}:`);
  const colon = pair.indexOf(":");
  return basicOf(pair.slice(0, colon), pair.slice(colon + 1));
}

/** Escapes that make no text stay. */
function unescaped(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

const OK = 200;
