// Parses console input in any notation.

import { isPlain, parseWords } from "./commands.js";
import { Wrong } from "./docker/wrong.js";
import type { Parsed } from "./notation.js";
import { parsePlain } from "./plain.js";
import { isBuiltin } from "./shell/builtins.js";
import { fieldsOf } from "./shell/expand.js";
import { readScript, substitutions, type Script } from "./shell/script.js";
import { Variables } from "./shell/variables.js";

/** One command, whose requests are known at once, or several, whose requests depend on earlier results. */
export type Line = { readonly parsed: Parsed } | { readonly script: Script };

/** `version`, such as `1.41`, is used if the request names none. */
export function readLine(text: string, version: string, variables = new Variables()): Line {
  const line = text.trim().replace(/^[$#>]\s+/gm, "");
  try {
    const [first = ""] = line.split(/\s/);
    if (isPlain(first) && !/\s(&&|\|\|)\s/.test(line))
      return { parsed: parsePlain(first.startsWith("/") ? `GET ${line}` : line) };
    const script = readScript(line);
    if (!isSingle(script)) return { script };
    const parsed = single(script, version, variables);
    return parsed.ok && parsed.formats ? { script } : { parsed };
  } catch (error) {
    if (error instanceof Wrong) return { parsed: { ok: false, message: error.message, at: error.at } };
    throw error;
  }
}

/** Whether everything is known without running a part of it. */
function isSingle({ steps }: Script): boolean {
  const commands = steps.flatMap((step) => step.commands);
  const { assignments = [], words = [] } = commands[0] ?? {};
  if (commands.length > 1 || assignments.length > 0 || isBuiltin(words[0]?.value ?? "")) return false;
  return words.every((word) => substitutions(word).length === 0);
}

function single({ steps, remarks }: Script, version: string, variables: Variables): Parsed {
  const unset = new Set<string>();
  const values = {
    variable: (name: string): string => {
      const value = variables.get(name);
      if (value === undefined) unset.add(name);
      return value ?? "";
    },
    known: (name: string): string | undefined => variables.get(name),
    assign: (name: string, value: string): void => variables.set(name, value),
    printed: (): string => "",
  };
  const words = (steps[0]?.commands[0]?.words ?? []).flatMap((word) => fieldsOf(word, values));
  const parsed = parseWords(words, version, variables.environment());
  if (!parsed.ok) return parsed;
  return { ...parsed, remarks: [...parsed.remarks, ...remarks, ...[...unset].map(unsetRemark)] };
}

export function unsetRemark(name: string): string {
  return `$${name} has no value here, so the shell replaces it by nothing. Use single quotes to pass it to the container.`;
}

/** Parses a single command. Several commands must be run one after the other. */
export function parse(text: string, version: string): Parsed {
  const line = readLine(text, version);
  if ("parsed" in line) return line.parsed;
  return { ok: false, message: "these are several commands", at: null };
}
