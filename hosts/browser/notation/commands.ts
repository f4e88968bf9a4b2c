// The commands that the console knows, by their first word.

import { parseCurl } from "./curl.js";
import { parseDocker } from "./docker/docker.js";
import { didYouMean } from "./docker/nearest.js";
import type { Parsed } from "./notation.js";
import { METHODS, parsePlain } from "./plain.js";

const KNOWN = ["docker", "podman", "curl", "echo"];

/** What a command's words stand for. `version` is spoken where none is said. */
export function parseWords(all: readonly string[], version: string): Parsed {
  const words = all[0] === "sudo" ? all.slice(1) : all;
  const [first = ""] = words;
  if (first === "curl") return parseCurl(words);
  if (first === "docker" || first === "podman") return parseDocker(words, version);
  if (first === "echo") return echo(words.slice(1));
  if (isPlain(first)) return parsePlain(words.join(" "));
  const meant = didYouMean(first, KNOWN);
  const known = "type a request (GET /version), a curl line or a docker command; docker help lists those";
  const message = first === "" || meant === "" ? known : `${first} is no command here${meant}`;
  return { ok: false, message, at: first || null };
}

/** Whether a line begins as a request does. */
export function isPlain(word: string): boolean {
  return word.startsWith("/") || (METHODS as readonly string[]).includes(word.toUpperCase());
}

function echo(words: readonly string[]): Parsed {
  const text = words.join(" ");
  return { ok: true, notation: "docker", requests: [], remarks: [], text, prints: () => text };
}
