// Converts WIT's kebab-case names to names in AssemblyScript.

/** `failure-kind` → `FailureKind`. */
export function pascal(name: string): string {
  return name
    .split("-")
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join("");
}

/** `retry-after` → `retryAfter`. */
export function camel(name: string): string {
  const joined = pascal(name);
  return joined.charAt(0).toLowerCase() + joined.slice(1);
}

/** The same for a parameter or a function, where reserved words get an underscore. */
export function variable(name: string): string {
  const spelled = camel(name);
  return RESERVED.has(spelled) ? `${spelled}_` : spelled;
}

const RESERVED = new Set(
  ("abstract as break case catch class const continue debugger declare default delete do else enum export extends " +
    "false finally for function if implements import in instanceof interface let module namespace new null package " +
    "private protected public return static super switch this throw true try type typeof var void while with yield")
    .split(" "), // prettier-ignore
);
