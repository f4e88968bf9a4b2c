// `set -x`: prints commands before they run, in a form that can be typed again.

import type { Shell } from "./shell.js";

export async function traced(
  assignments: readonly (readonly [string, string])[],
  words: readonly string[],
  shell: Shell,
): Promise<void> {
  if (!shell.options.has("x")) return;
  const shown = [...assignments.map(([name, value]) => `${name}=${quoteWord(value)}`), ...words.map(quoteWord)];
  await shell.say(`${shell.variables.value("PS4") ?? "+ "}${shown.join(" ")}\n`);
}

function quoteWord(word: string): string {
  return /^[\w%+,./:@\]{}^!~-]+$/.test(word) ? word : quoteValue(word);
}

/** Quotes a value with single quotes, as `export -p` and `trap` print it. */
export function quoteValue(text: string): string {
  return `'${text.replace(/'/g, `'"'"'`)}'`;
}
