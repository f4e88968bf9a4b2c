// All requests of a session as a shell script that does the same on any engine: the script reads ids from the new
// answers.

import type { Exchange } from "../session/exchange.js";
import { hijacks } from "../session/request.js";
import type { WrittenRequest } from "../session/request.js";
import { curl } from "./generate-curl.js";

/** Makes a script for POSIX shell, curl and sed. */
export function curlScript(exchanges: readonly Exchange[]): string {
  const ids = new Map<string, string>();
  const parts = exchanges.map((exchange) => {
    const line = withVariables(curl(exchange.request, "new"), ids);
    const id = idOf(exchange);
    if (id !== null) {
      const name = `id${ids.size + 1}`;
      ids.set(id, name);
      return `${name}=$(${line} | sed -n 's/.*"Id": *"\\([^"]*\\)".*/\\1/p')\necho "$${name}"`;
    }
    if (hijacks(exchange.request)) return `# curl cannot upgrade the connection:\n# ${line.replaceAll("\n", "\n# ")}`;
    return goesOn(exchange.request) ? `${line} &` : line;
  });
  return `${["#!/bin/sh", "set -e", ...parts].join("\n\n")}\n`;
}

function idOf({ head, view }: Exchange): string | null {
  if (head.value?.status !== 201 || view.value.kind !== "json") return null;
  const id = (view.value.value as { Id?: unknown } | null)?.Id;
  return typeof id === "string" && /^(sha256:)?[0-9a-f]{64}$/.test(id) ? id : null;
}

/** Replaces each id that an earlier answer returned, whole or as its first twelve digits, by a variable. */
function withVariables(line: string, ids: ReadonlyMap<string, string>): string {
  let text = line;
  for (const [id, name] of ids) {
    const short = id.replace("sha256:", "").slice(0, 12);
    // Closes the quotes around it, if there are any.
    const put = (found: string): string => text.replaceAll(found, () => `"$${name}"`);
    text = put(id);
    text = put(short);
  }
  return text.replace(
    /'([^']*"\$id\d+"[^']*)'/g,
    (_all, inside: string) => `'${inside.replace(/"\$id\d+"/g, (one) => `'${one}'`)}'`,
  );
}

function goesOn({ method, target }: WrittenRequest): boolean {
  if (method === "POST") return /\/wait(\?|$)/.test(target);
  return /[?&]follow=(1|true)/.test(target) || (/\/events(\?|$)/.test(target) && !target.includes("until="));
}
