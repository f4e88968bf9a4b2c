// Paths and queries of targets.

/** A name as a part of a path, as Go's `url` package writes it: what would begin a query, or was no name, is encoded. */
export function segment(name: string): string {
  const encoded = encodeURIComponent(name).replace(/%(2[46BCF]|3[ABD]|40)/g, (code) => decodeURIComponent(code));
  return encoded.replace(/[!'()*]/g, (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`);
}

/**
 * `?a=1&b=x`, by name, as the docker command writes them; true is 1, what is false or null is left out. Empty for
 * nothing.
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

/** A target's query, decoded. A name that comes twice has its last value. */
export function queryOf(target: string): Record<string, string> {
  const mark = target.indexOf("?");
  return mark < 0 ? {} : Object.fromEntries(new URLSearchParams(target.slice(mark + 1)));
}
