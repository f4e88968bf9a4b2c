// The headers of a call for the files of a directory (moby/buildkit, session/filesync).

/** Which files of a directory are wanted. */
export interface WantedFiles {
  /** The directory's name, as the client's command has it: `context`. */
  name: string;
  /** Patterns of the files that are wanted; none: all. */
  include: readonly string[];
  /** Patterns of files that are left out, as of a `.dockerignore`. */
  exclude: readonly string[];
  /** Paths that are wanted with what their links lead to; none: all. */
  follow: readonly string[];
}

export function headersFor({ name, include, exclude, follow }: WantedFiles): Record<string, string[]> {
  const headers: Record<string, string[]> = {};
  const add = (key: string, values: readonly string[]): void => {
    if (values.length === 0) return;
    const plain = values.every(isPlain);
    headers[key] = plain ? [...values] : values.map(escaped);
    if (!plain) headers[`${key}-encoded`] = ["1"];
  };
  add("dir-name", [name]);
  add("include-patterns", include);
  add("exclude-patterns", exclude);
  add("followpaths", follow);
  return headers;
}

/** Spaces around a header's value would be lost. */
function isPlain(value: string): boolean {
  return /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(value);
}

/** As in a query, where a space is a `+`. */
function escaped(value: string): string {
  return encodeURIComponent(value).replaceAll("%20", "+");
}
