// The options of the driver `local` (surface §2.25).

import { Json } from "../json/json";
import { byteCount } from "../text/byte-size";

const KNOWN: string[] = ["type", "o", "device", "size"];

/** Options, and the others that each of them needs. */
const NEEDS: string[][] = [
  ["device", "type"],
  ["type", "device"],
  ["o", "device", "type"],
];

/** Why a volume cannot be made with these options, in Docker's words; empty if it can. */
export function volumeOptionsProblem(name: string, options: Json | null): string {
  if (options === null || options.isNull) return "";
  const problem = problemOf(options);
  return problem.length == 0 ? "" : `create ${name}: ${problem}`;
}

function problemOf(options: Json): string {
  for (let i = 0; i < options.keys.length; i++) {
    if (!KNOWN.includes(options.keys[i])) return `invalid option: "${options.keys[i]}"`;
  }
  if (hasPort(options)) return "port not allowed in CIFS device URL, include 'port' in 'o='";
  if (options.keys.includes("size")) {
    const bytes = byteCount(options.stringOf("size"), 1024);
    if (bytes < 0) return `invalid size: '${options.stringOf("size")}'`;
    if (bytes > 0) return "quota size requested but no quota support";
  }
  return missingProblem(options);
}

/** A share of a server as `//HOST:PORT/SHARE`. */
function hasPort(options: Json): bool {
  if (options.stringOf("type") != "cifs") return false;
  const device = options.stringOf("device");
  const start = device.indexOf("//");
  if (start < 0) return false;
  const host = device.slice(start + 2).split("/")[0];
  const colon = host.lastIndexOf(":");
  return colon > host.lastIndexOf("]") && colon < host.length - 1;
}

function missingProblem(options: Json): string {
  for (let i = 0; i < NEEDS.length; i++) {
    const needs = NEEDS[i];
    if (!options.keys.includes(needs[0])) continue;
    for (let j = 1; j < needs.length; j++) {
      if (!options.keys.includes(needs[j])) return `missing required option: "${needs[j]}"`;
    }
  }
  return "";
}
