// Texts with one JSON value on each line.

/** The JSON values of complete lines. Separators of RFC 7464 are skipped. */
export function valuesOf(text: string): unknown[] {
  const values: unknown[] = [];
  for (const line of text.replaceAll("\u001e", "\n").split(/\r?\n/)) {
    const value = parsedOrNull(line);
    if (value !== null) values.push(value);
  }
  return values;
}

export function parsedOrNull(text: string): unknown {
  if (text.trim() === "") return null;
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
