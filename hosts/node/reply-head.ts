// Heads of replies: from the core's lines to what Node's response takes.

import { STATUS_CODES } from "node:http";
import type { ServerResponse } from "node:http";
import type { replies } from "../host.js";

/** Go's server sends a length with bodies up to this, and chunks beyond; clients have seen nothing else. */
const LONGEST_COUNTED = 2048;

/** Begins a reply; `length` of its body if that is known. */
export function writeHead(response: ServerResponse, head: replies.Head, length: number | null): void {
  const lines = namesAndValues(head.headers);
  const counted = length !== null && length <= LONGEST_COUNTED && mayHaveBody(head.status);
  // That a connection is kept goes without saying on HTTP/1.1, and Go's server does not say it.
  if (response.shouldKeepAlive && response.req.httpVersionMinor === 1) response.removeHeader("Connection");
  response.writeHead(head.status, counted ? [...lines, "Content-Length", String(length)] : [...lines]);
}

/** The head of a connection taken off HTTP, to which nothing is added. */
export function hijackHead(head: replies.Head): string {
  const reason = head.status === 101 ? "UPGRADED" : (STATUS_CODES[head.status] ?? "");
  const lines = head.headers === "" ? "" : `${head.headers.replaceAll("\n", "\r\n")}\r\n`;
  return `HTTP/1.1 ${head.status} ${reason}\r\n${lines}\r\n`;
}

/** RFC 9110, 6.4.1. */
function mayHaveBody(status: number): boolean {
  return status >= 200 && status !== 204 && status !== 304;
}

// Nearly all replies share a few sets of headers.
const parsed = new Map<string, readonly string[]>();
const MOST_PARSED = 64;

function namesAndValues(headers: string): readonly string[] {
  const known = parsed.get(headers);
  if (known !== undefined) return known;
  const lines = headers === "" ? [] : headers.split("\n");
  const pairs = lines.flatMap((line) => {
    const colon = line.indexOf(":");
    return [line.slice(0, colon), line.slice(colon + 1).trim()];
  });
  if (parsed.size >= MOST_PARSED) parsed.clear();
  parsed.set(headers, pairs);
  return pairs;
}
