// Hides what may be a credential in a registry's address as clients keep it: the part before an `@`, the query and the
// fragment. The core finds the same host in the result, or still none.

/** A character of a JSON string, whose bytes of UTF-8 are one UTF-16 unit each. */
const UNIT = /\\u[0-9a-f]{4}|\\[^]|[^]/gi;
const AT = /@|%40/gi;
const MARK = /[?#]|%3f|%23/i;
const SCHEME = /^[a-z][a-z0-9+.-]*$/i;
/** Not a host and its port, but a user and the part of a password before its first slash. */
const NO_PORT = /^[^:[]*:(?!\d+$)/;

interface Range {
  from: number;
  to: number;
}

/** `inside`: the text between the quotes. The result has the same length. */
export function hiddenAddress(inside: string): string {
  const units = inside.match(UNIT) ?? [];
  const ranges = secretsOf(units.map(decoded).join(""));
  return units.map((unit, at) => (ranges.some((range) => isIn(range, at)) ? "x".repeat(unit.length) : unit)).join("");
}

/** The unit as one character. */
function decoded(unit: string): string {
  return unit.length === 1 ? unit : (JSON.parse(`"${unit}"`) as string);
}

/** Splits the address as the core does: the host ends at the first slash after the scheme. */
function secretsOf(address: string): Range[] {
  const mark = address.indexOf("://");
  const start = mark < 0 ? 0 : mark + 3;
  const slash = address.indexOf("/", start);
  const end = slash < 0 ? address.length : slash;
  const scheme = address.slice(0, Math.max(mark, 0));
  return [
    ...(SCHEME.test(scheme) ? [] : [{ from: 0, to: scheme.length }]),
    ...secretsOfHost(address, start, end),
    ...secretsOfPath(address, start, end),
  ];
}

function secretsOfHost(address: string, from: number, to: number): Range[] {
  const host = address.slice(from, to);
  if (endOfUser(host) > 0 || endOfUser(address.slice(to)) === 0 || !NO_PORT.test(host))
    return rangesIn(address, from, to);
  // A user and the start of a password. The colons stay: without them this would be a valid host.
  return Array.from(host.matchAll(/[^:]+/g), ({ index, 0: one }) => ({
    from: from + index,
    to: from + index + one.length,
  }));
}

function secretsOfPath(address: string, start: number, from: number): Range[] {
  const host = address.slice(start, from);
  // The query has a slash in it.
  if (MARK.test(host.slice(endOfUser(host)))) return [{ from: from + 1, to: address.length }];
  return rangesIn(address, from, address.length);
}

/** The ranges up to the last `@`, and after the mark of a query or a fragment. The marks stay. */
function rangesIn(address: string, from: number, to: number): Range[] {
  const part = address.slice(from, to);
  const user = endOfUser(part);
  const mark = MARK.exec(part.slice(user));
  const behind = mark === null ? part.length : user + mark.index + mark[0].length;
  return [
    { from: from + (part.startsWith("/") ? 1 : 0), to: from + user },
    { from: from + behind, to },
  ];
}

function endOfUser(part: string): number {
  return Array.from(part.matchAll(AT), ({ index }) => index).at(-1) ?? 0;
}

function isIn({ from, to }: Range, at: number): boolean {
  return at >= from && at < to;
}
