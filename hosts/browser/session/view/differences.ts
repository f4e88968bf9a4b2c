// The differences between two bodies, field by field.

/**
 * Lines of `+ Path: value`, `- Path: value`, `~ Path: before → after`. Compares JSON or lines of JSON; otherwise whole
 * lines.
 */
export function differences(before: string, after: string): string[] {
  if (before === after) return [];
  const [was, is] = [fieldsOf(before), fieldsOf(after)];
  const changed = [...was].flatMap(([path, value]) => {
    const now = is.get(path);
    if (now === undefined) return [`- ${path}: ${value}`];
    return now === value ? [] : [`~ ${path}: ${value} → ${now}`];
  });
  const added = [...is].filter(([path]) => !was.has(path)).map(([path, value]) => `+ ${path}: ${value}`);
  return [...changed, ...added];
}

function fieldsOf(text: string): Map<string, string> {
  const fields = new Map<string, string>();
  const whole = parsed(text);
  if (whole !== undefined) collect("", whole, fields);
  else text.split(/\r?\n/).forEach((line, at) => line && collect(`line ${at + 1}`, parsed(line) ?? line, fields));
  return fields;
}

function collect(path: string, value: unknown, into: Map<string, string>): void {
  const isTree = typeof value === "object" && value !== null && Object.keys(value).length > 0;
  if (!isTree) return void into.set(path || "body", JSON.stringify(value));
  for (const [key, member] of Object.entries(value)) {
    const step = Array.isArray(value) ? `[${key}]` : path === "" ? key : `.${key}`;
    collect(path + step, member, into);
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
