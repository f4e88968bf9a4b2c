// What is typed into the console, in whichever notation.

import { parseCurl } from "./curl.js";
import { parseDocker } from "./docker.js";
import type { Parsed } from "./notation.js";
import { METHODS, parsePlain } from "./plain.js";

/** A curl line, a docker command, or `GET /path` as it stands. `version` is spoken where none is said: `1.41`. */
export function parse(text: string, version: string): Parsed {
  try {
    return parseLine(text, version);
  } catch (error) {
    // The reader of shell words throws where braces or quotes have no end.
    return { ok: false, message: error instanceof Error ? error.message : String(error), at: null };
  }
}

function parseLine(text: string, version: string): Parsed {
  const line = text
    .trim()
    .replace(/^[$#>]\s+/, "")
    .replace(/^sudo\s+/, "");
  const word = line.split(/\s/)[0] ?? "";
  if (word === "curl") return parseCurl(line);
  if (word === "docker" || word === "podman") return parseDocker(line, version);
  if ((METHODS as readonly string[]).includes(word.toUpperCase())) return parsePlain(line);
  if (line.startsWith("/")) return parsePlain(`GET ${line}`);
  return {
    ok: false,
    message: "type a request (GET /version), a curl line or a docker command",
    at: word === "" ? null : word,
  };
}
