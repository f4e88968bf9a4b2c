// OCI specs as JSON. Some of their numbers need all 64 bits, which JavaScript's numbers do not have: they are BigInts.

/** Limits of resources, and operands of seccomp rules. Nothing else in a spec has lists of these names. */
const LISTED = /("(?:soft|hard|value|valueTwo)":)\["(\d+)"\]/g;
const LONG_LIMIT = /("(?:soft|hard)":)(\d{16,})/g;

/** A spec, or a part of one. */
export function specText(spec: object): string {
  try {
    // Without a function that is called for each value, this is three times as fast. It refuses BigInts.
    return JSON.stringify(spec);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    return exactText(spec);
  }
}

function exactText(spec: object): string {
  const listed = JSON.stringify(spec, (_key, value: unknown) => (typeof value === "bigint" ? [String(value)] : value));
  return listed.replaceAll(LISTED, "$1$2");
}

/** A process, or a spec with one. Its limits that need more bits than a number has are BigInts. */
export function parseLimited<T extends object>(bytes: Uint8Array, limitsIn: (parsed: T) => Limit[] | undefined): T {
  const text = Buffer.from(bytes).toString();
  if (!text.includes('"rlimits":[')) return JSON.parse(text) as T;
  // JSON.parse would round long numbers, so it gets them as strings.
  const parsed = JSON.parse(text.replaceAll(LONG_LIMIT, '$1"$2"')) as T;
  for (const limit of limitsIn(parsed) ?? []) {
    limit.soft = exact(limit.soft);
    limit.hard = exact(limit.hard);
  }
  return parsed;
}

/** A limit of a resource (getrlimit(2)). */
export interface Limit {
  type: string;
  soft: number | bigint;
  hard: number | bigint;
}

function exact(value: number | bigint | string): number | bigint {
  return typeof value === "string" ? BigInt(value) : value;
}
