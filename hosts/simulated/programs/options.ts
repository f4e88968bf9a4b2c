// Parses command line options like getopt(3).

/** A call with invalid arguments. busybox prints the reason and the usage. */
export class UsageError extends Error {}

export interface Options {
  /** The letters that were given, with their last values; the value is empty for options without one. */
  flags: ReadonlyMap<string, string>;
  /** Arguments that are not options. */
  words: string[];
}

/** Reads a whole number from `least` to `most`. Throws `UsageError`. */
export function wholeNumber(text: string, least = 0, most = 2 ** 31 - 1): number {
  if (!/^\d+$/.test(text)) throw new UsageError(`invalid number '${text}'`);
  const number = Number(text);
  if (number < least || number > most) throw new UsageError(`number ${text} is not in ${least}..${most} range`);
  return number;
}

/** `letters`: the known letters, with `:` after those that take a value. Long options map to letters. */
export function parseOptions(
  args: readonly string[],
  letters: string,
  long: Readonly<Record<string, string>> = {},
  stopsAtWord = false,
): Options {
  const flags = new Map<string, string>();
  const words: string[] = [];
  for (let at = 0; at < args.length; at++) {
    const arg = args[at]!;
    if (arg === "--") return { flags, words: [...words, ...args.slice(at + 1)] };
    if (arg === "-" || !arg.startsWith("-")) {
      if (stopsAtWord) return { flags, words: args.slice(at) };
      words.push(arg);
    } else if (arg.startsWith("--")) at += longOption(arg, args[at + 1], letters, long, flags);
    else at += cluster(arg.slice(1), args[at + 1], letters, flags);
  }
  return { flags, words };
}

/** Returns how many more words were used. */
function cluster(text: string, next: string | undefined, letters: string, flags: Map<string, string>): number {
  for (let at = 0; at < text.length; at++) {
    const letter = text[at]!;
    const place = letter === ":" ? -1 : letters.indexOf(letter);
    if (place < 0) throw new UsageError(`invalid option -- '${letter}'`);
    if (letters[place + 1] !== ":") {
      flags.set(letter, "");
      continue;
    }
    const value = text.slice(at + 1) || next;
    if (value === undefined) throw new UsageError(`option requires an argument -- '${letter}'`);
    flags.set(letter, value);
    return text.length > at + 1 ? 0 : 1;
  }
  return 0;
}

function longOption(
  arg: string,
  next: string | undefined,
  letters: string,
  long: Readonly<Record<string, string>>,
  flags: Map<string, string>,
): number {
  const [, name = "", value] = /^--([^=]*)(?:=(.*))?$/s.exec(arg) ?? [];
  const letter = long[name];
  if (letter === undefined) throw new UsageError(`unrecognized option '${arg}'`);
  if (letters[letters.indexOf(letter) + 1] !== ":") {
    flags.set(letter, "");
    return 0;
  }
  if (value === undefined && next === undefined) throw new UsageError(`option '--${name}' requires an argument`);
  flags.set(letter, value ?? next!);
  return value === undefined ? 1 : 0;
}
