// Heads of replies: what is made of the core's lines.

import { STATUS_CODES } from "node:http";
import type { replies } from "../host.js";

/** Go's server sends a length with bodies up to this, and chunks beyond; clients have seen nothing else. */
const LONGEST_COUNTED = 2048;

/** Whether a reply carries the length of its body. */
export function isCounted(status: number, length: number): boolean {
  return length <= LONGEST_COUNTED && mayHaveBody(status);
}

/** RFC 9110, 6.4.1. */
export function mayHaveBody(status: number): boolean {
  return status >= 200 && status !== 204 && status !== 304;
}

/** The head of a connection taken off HTTP, to which nothing is added. */
export function hijackHead(head: replies.Head): string {
  const reason = head.status === 101 ? "UPGRADED" : (STATUS_CODES[head.status] ?? "");
  return `HTTP/1.1 ${head.status} ${reason}\r\n${headerLines(head.headers)}\r\n`;
}

/** The core's lines as they go onto the wire. A carriage return in a value would end its line for some clients. */
export function headerLines(headers: string): string {
  return headers === "" ? "" : `${withoutControls(headers).replaceAll("\n", "\r\n")}\r\n`;
}

// Nearly all replies share a few sets of headers.
const parsed = new Map<string, readonly string[]>();
const MOST_PARSED = 64;

/** As Node's server takes them: names and values by turns. */
export function namesAndValues(headers: string): readonly string[] {
  const known = parsed.get(headers);
  if (known !== undefined) return known;
  const lines = headers === "" ? [] : withoutControls(headers).split("\n");
  const pairs = lines.flatMap((line) => {
    const colon = line.indexOf(":");
    return [line.slice(0, colon), line.slice(colon + 1).trim()];
  });
  if (parsed.size >= MOST_PARSED) parsed.clear();
  parsed.set(headers, pairs);
  return pairs;
}

/** RFC 9110, 5.5: what no value may contain becomes a space. */
function withoutControls(headers: string): string {
  // oxlint-disable-next-line no-control-regex
  return headers.replaceAll(/[\x00-\x08\x0b-\x1f\x7f]/g, " ");
}
