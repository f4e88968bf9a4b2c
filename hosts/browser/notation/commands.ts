// The commands of the console, by their first word.

import { parseCurl } from "./curl.js";
import { parseDocker } from "./docker/docker.js";
import { didYouMean } from "./docker/nearest.js";
import type { Parsed } from "./notation.js";
import { METHODS, parsePlain } from "./plain.js";
import { BUILTIN_NAMES } from "./shell/builtins.js";

const KNOWN = ["docker", "podman", "curl", "help", ...BUILTIN_NAMES];
const NOTHING: ReadonlyMap<string, string> = new Map();

/**
 * Parses the words of a command. `version` is used if the request names none; `environment` holds the variables that it
 * sees.
 */
export function parseWords(all: readonly string[], version: string, environment = NOTHING): Parsed {
  const words = all[0] === "sudo" ? all.slice(1) : all;
  const [first = ""] = words;
  if (first === "curl") return parseCurl(words);
  if (first === "help") return parseDocker(["docker", ...words], version, environment);
  if (first === "docker" || first === "podman") return parseDocker(words, version, environment);
  if (isPlain(first)) return parsePlain(words.join(" "));
  const meant = didYouMean(first, KNOWN);
  const known = "type a request (GET /version), a curl line or a docker command; docker help lists the commands";
  const unknown = `${first} is not a command here${meant === "" ? `: ${known}` : meant}`;
  const message = first === "" ? known : unknown;
  return { ok: false, message, at: first || null, code: 127 };
}

/** Whether a line begins like a plain request. */
export function isPlain(word: string): boolean {
  return word.startsWith("/") || (METHODS as readonly string[]).includes(word.toUpperCase());
}
