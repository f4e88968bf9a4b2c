// Paths and queries of targets.

/** Encodes a name as a path segment like Go's `url` package, so that it cannot begin a query. */
export function segment(name: string): string {
  const encoded = encodeURIComponent(name).replace(/%(2[46BCF]|3[ABD]|40)/g, (code) => decodeURIComponent(code));
  return encoded.replace(/[!'()*]/g, (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`);
}

/**
 * Makes `?a=1&b=x`, sorted by name as the docker command does. true becomes 1; false and null are left out. Empty if
 * nothing is left.
 */
export function query(values: Readonly<Record<string, string | boolean | null | readonly string[]>>): string {
  const sorted = Object.entries(values).toSorted(([a], [b]) => (a < b ? -1 : 1));
  const parts = sorted.flatMap(([name, value]) => {
    if (value === null || value === false) return [];
    const all = Array.isArray(value) ? (value as readonly string[]) : [value === true ? "1" : (value as string)];
    return all.map((one) => `${name}=${encodeURIComponent(one).replace(/%2F/g, "/").replace(/%3A/g, ":")}`);
  });
  return parts.length > 0 ? `?${parts.join("&")}` : "";
}

/** A target's decoded query. The last value of a repeated name counts. */
export function queryOf(target: string): Record<string, string> {
  const mark = target.indexOf("?");
  return mark < 0 ? {} : Object.fromEntries(new URLSearchParams(target.slice(mark + 1)));
}
