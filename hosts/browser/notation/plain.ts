// Parses a request as on the wire: `GET /path`, then headers, an empty line and a body; or the body at once.

import type { Parsed } from "./notation.js";

export const METHODS = ["GET", "HEAD", "POST", "PUT", "DELETE"] as const;

export function parsePlain(text: string): Parsed {
  const [first = "", ...lines] = text.trim().split(/\r?\n/);
  const [, method, target, onLine] = /^([A-Za-z]+)\s+(\/\S*)(?:\s+HTTP\/1\.[01])?\s*(.*)$/s.exec(first.trim()) ?? [];
  if (method === undefined || target === undefined) {
    return { ok: false, message: "a request begins with a method and a path: GET /version", at: first };
  }
  const headers: [string, string][] = [];
  let at = 0;
  for (; at < lines.length; at++) {
    const header = /^([\w-]+):\s*(.*)$/.exec(lines[at]!);
    if (header === null) break;
    headers.push([header[1]!, header[2]!]);
  }
  const body = [onLine ?? "", ...lines.slice(at)].join("\n").trim();
  if (body !== "" && !headers.some(([name]) => name.toLowerCase() === "content-type")) {
    headers.push(["Content-Type", "application/json"]);
  }
  const request = { method: method.toUpperCase(), target, headers, body, purpose: "", background: false };
  return { ok: true, notation: "plain", requests: [request], remarks: [] };
}
