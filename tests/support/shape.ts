// The shape of an answer: its status, the names of its headers, and its JSON's keys and types, a line each.
import type { RawResponse } from "./raw-http.js";

/** Lines such as `status 200`, `header Server` and `body .State.Pid number`, sorted. */
export function shapeOf(response: RawResponse): string[] {
  const lines = [`status ${response.status}`];
  for (const [name] of response.headers) {
    if (!TRANSPORT.has(name.toLowerCase())) lines.push(`header ${name}`);
  }
  const type = response.header("content-type");
  if (type !== null) lines.push(`type ${type}`);
  for (const document of documentsOf(response)) lines.push(...jsonShape(document).map((line) => `body ${line}`));
  return [...new Set(lines)].sort();
}

/** The keys and types of a JSON value: elements of a list are laid over one another. */
export function jsonShape(value: unknown, path = ""): string[] {
  if (value === null) return [`${path} null`];
  if (Array.isArray(value)) return [`${path} list`, ...value.flatMap((item) => jsonShape(item, `${path}[]`))];
  if (typeof value === "object") {
    const entries = Object.entries(value);
    return [`${path} object`, ...entries.flatMap(([key, item]) => jsonShape(item, `${path}.${key}`))];
  }
  return [`${path} ${typeof value}`];
}

/** How a connection is kept, and whether a body is chunked at this size, may differ. */
const TRANSPORT = new Set(["connection", "keep-alive", "content-length", "transfer-encoding"]);

function documentsOf(response: RawResponse): unknown[] {
  const texts = response.text.split(/\r?\n/).filter((line) => line.trim() !== "");
  try {
    return texts.map((text) => JSON.parse(text) as unknown);
  } catch {
    return [];
  }
}
