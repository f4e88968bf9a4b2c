// The shape of an answer: its status, header names, and its JSON's keys and types, one per line.
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

/** The keys and types of a JSON value. All elements of a list are merged. */
export function jsonShape(value: unknown, path = ""): string[] {
  if (value === null) return [`${path} null`];
  if (Array.isArray(value)) return [`${path} list`, ...value.flatMap((item) => jsonShape(item, `${path}[]`))];
  if (typeof value === "object") {
    const entries = Object.entries(value);
    return [`${path} object`, ...entries.flatMap(([key, item]) => jsonShape(item, `${path}.${key}`))];
  }
  return [`${path} ${typeof value}`];
}

/** Connection headers may differ, and whether a body of this size is chunked. */
const TRANSPORT = new Set(["connection", "keep-alive", "content-length", "transfer-encoding"]);

function documentsOf(response: RawResponse): unknown[] {
  const texts = response.text.split(/\r?\n/).filter((line) => line.trim() !== "");
  try {
    return texts.map((text) => JSON.parse(text) as unknown);
  } catch {
    return [];
  }
}
