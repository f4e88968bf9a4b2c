// Heads of replies for every host that serves HTTP, made from the core's lines.

/** Go's server sends a length with bodies up to this size, and chunks beyond. Clients rely on that. */
const LONGEST_COUNTED = 2048;

/** Whether a reply has a Content-Length. */
export function isCounted(status: number, length: number): boolean {
  return length <= LONGEST_COUNTED && mayHaveBody(status);
}

/** An answer to HEAD for which GET would have a body: its length is unknown (RFC 9110, 8.6). */
export function isLengthless(method: string, headers: string, length: number): boolean {
  return method === "HEAD" && length === 0 && !/^content-type:/im.test(headers);
}

/** RFC 9110, 6.4.1. */
export function mayHaveBody(status: number): boolean {
  return status >= 200 && status !== 204 && status !== 304;
}

// Nearly all replies use one of a few sets of headers.
const parsed = new Map<string, readonly string[]>();
const MOST_PARSED = 64;

/** The core's lines as alternating names and values. */
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

/** RFC 9110, 5.5: characters that no value may contain become spaces. */
export function withoutControls(headers: string): string {
  // oxlint-disable-next-line no-control-regex
  return headers.replaceAll(/[\x00-\x08\x0b-\x1f\x7f]/g, " ");
}
