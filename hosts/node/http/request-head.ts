// Parses as much of an HTTP/1 head as is needed before Node's parser sees it: where the request ends, and its target,
// which the core wants as it was sent.

/**
 * In bytes; the same as Go's server, because a registry configuration in a header may be long. Longer heads are
 * answered with 431.
 */
export const LONGEST_HEAD = 1024 * 1024;

export interface RequestHead {
  method: string;
  /** As sent. */
  target: string;
  /** The 0 or 1 of HTTP/1.0 or HTTP/1.1. */
  minorVersion: 0 | 1;
  /** Header lines as received, joined by LF. */
  headers: string;
  /** `none`, a known length, or chunks. */
  body: { kind: "none" } | { kind: "length"; length: number } | { kind: "chunked" };
  /** The client says nothing about the connection, so it is kept, and does not wait for `100 Continue`. */
  plain: boolean;
  /** Media type without parameters, in lower case; empty if there is none. */
  mediaType: string;
}

/** A head that cannot be served. It is answered in plain text, as Go's server does. */
export class BadRequest extends Error {
  constructor(
    readonly status: string,
    detail = "",
  ) {
    super(detail === "" ? status : `${status}: ${detail}`);
  }
}

const BAD_REQUEST = "400 Bad Request";
/** Control characters, including a carriage return without a newline. */
// oxlint-disable-next-line no-control-regex
const GARBAGE = /[\x00-\x08\x0b-\x1f\x7f]/;
/** A target is copied into replies, so it must not contain line ends, which could add headers. */
// oxlint-disable-next-line no-control-regex
const TARGET = /^[^\x00-\x20\x7f]+$/;
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;

/** Lines end in LF, with an optional CR before it (RFC 9112, 2.2). */
export function linesOf(head: string): string[] {
  return head.split("\n").map((line) => (line.endsWith("\r") ? line.slice(0, -1) : line));
}

/** The method with which HTTP/2 begins. No request of HTTP/1 has it. */
export const PREFACE_METHOD = "PRI";
/** What of the preface of HTTP/2 looks like a request (RFC 9113, 3.4). */
export const PREFACE = "PRI * HTTP/2.0\r\n\r\n";

/** Parses a head up to, but not including, the LF that ends its last line. */
export function parseHead(text: string): RequestHead {
  const [startLine = "", ...lines] = linesOf(text);
  const headers = lines.join("\n");
  const [method = "", target = "", version = "", more] = startLine.split(" ");
  if (!TOKEN.test(method) || !TARGET.test(target) || more !== undefined) throw new BadRequest(BAD_REQUEST);
  if (GARBAGE.test(headers)) throw new BadRequest(BAD_REQUEST);
  if (method === PREFACE_METHOD) return prefaceHead(text);
  const minorVersion = minorOf(version);
  const head: RequestHead = {
    method,
    target,
    minorVersion,
    headers,
    body: NO_BODY,
    plain: minorVersion === 1,
    mediaType: "",
  };
  readHeaders(head);
  return head;
}

function prefaceHead(text: string): RequestHead {
  if (!PREFACE.startsWith(text)) throw new BadRequest(BAD_REQUEST);
  return {
    method: PREFACE_METHOD,
    target: "*",
    minorVersion: 1,
    headers: "",
    body: NO_BODY,
    plain: true,
    mediaType: "",
  };
}

function minorOf(version: string): 0 | 1 {
  if (version === "HTTP/1.1") return 1;
  if (version === "HTTP/1.0") return 0;
  if (/^HTTP\/\d+\.\d+$/.test(version))
    throw new BadRequest("505 HTTP Version Not Supported", "unsupported protocol version");
  throw new BadRequest(BAD_REQUEST, "malformed HTTP version");
}

function readHeaders(head: RequestHead): void {
  let host = false;
  let chunked = false;
  let length: string | null = null;
  for (const line of head.headers === "" ? [] : head.headers.split("\n")) {
    const colon = line.indexOf(":");
    if (colon < 1 || line.charCodeAt(colon - 1) === SPACE) throw new BadRequest(BAD_REQUEST);
    // A line that continues the previous value (RFC 9112, 5.2). A proxy that removes a header by its name would miss
    // it.
    if (line.charCodeAt(0) <= SPACE) throw new BadRequest(BAD_REQUEST);
    // Only names that begin with these letters matter here.
    const first = line.charCodeAt(0) | 0x20;
    if (first !== LETTER_C && first !== LETTER_E && first !== LETTER_H && first !== LETTER_T) continue;
    const name = line.slice(0, colon).toLowerCase();
    const value = line.slice(colon + 1).trim();
    if (name === "host") host = true;
    else if (name === "content-type") head.mediaType = value.split(";", 1)[0]!.trim().toLowerCase();
    else if (name === "expect" || (name === "connection" && /close/i.test(value))) head.plain = false;
    else if (name === "transfer-encoding") chunked = true;
    else if (name === "content-length") {
      if (!/^\d{1,15}$/.test(value) || (length !== null && length !== value))
        throw new BadRequest(BAD_REQUEST, "bad Content-Length");
      length = value;
    }
  }
  if (!host && head.minorVersion === 1) throw new BadRequest(BAD_REQUEST, "missing required Host header");
  if (chunked) head.body = { kind: "chunked" };
  else if (length !== null && Number(length) > 0) head.body = { kind: "length", length: Number(length) };
}

const NO_BODY = { kind: "none" } as const;
const SPACE = 0x20;
const LETTER_C = 0x63;
const LETTER_E = 0x65;
const LETTER_H = 0x68;
const LETTER_T = 0x74;
