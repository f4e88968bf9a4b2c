// Commands that the shell runs itself.

import { quoted } from "../words.js";
import { Wrong } from "../docker/wrong.js";
import type { Variables } from "./variables.js";

interface Done {
  readonly code: number;
  readonly printed: string;
}

type Builtin = (words: readonly string[], variables: Variables) => Done;

const BUILTINS: Readonly<Record<string, Builtin>> = {
  ":": () => done(0),
  true: () => done(0),
  false: () => done(1),
  echo: (words) => done(0, (words[0] === "-n" ? words.slice(1) : words).join(" ")),
  export: exported,
  unset: (words, variables) => {
    words.forEach((name) => variables.unset(name));
    return done(0);
  },
};

export const BUILTIN_NAMES: readonly string[] = Object.keys(BUILTINS);

export function isBuiltin(word: string): boolean {
  return Object.hasOwn(BUILTINS, word);
}

export function runBuiltin([name = "", ...words]: readonly string[], variables: Variables): Done {
  return BUILTINS[name]!(words, variables);
}

/** `export A=1 B`: makes variables visible to commands. Without names it lists the exported variables. */
function exported(words: readonly string[], variables: Variables): Done {
  const seen = [...variables.environment()].map(([name, value]) => `export ${name}=${quoted(value)}`);
  if (words.length === 0) return done(0, seen.join("\n"));
  for (const word of words) {
    const [, name, value] = /^([A-Za-z_]\w*)(?:=(.*))?$/s.exec(word) ?? [];
    if (name === undefined) throw new Wrong(`export: ${word} is not the name of a variable`, word);
    if (value !== undefined) variables.set(name, value);
    variables.export(name);
  }
  return done(0);
}

function done(code: number, printed = ""): Done {
  return { code, printed };
}
