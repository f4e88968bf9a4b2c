// A process's environment, in Docker's order (surface §6.6): PATH, HOSTNAME, TERM, the rest. HOME is the host's to add.

import { Json } from "../json/json";
import { Container } from "./container";

const DEFAULT_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

export function environmentOf(container: Container, config: Json): string[] {
  const wanted = config.stringsOf("Env");
  const result: string[] = [`PATH=${DEFAULT_PATH}`, `HOSTNAME=${config.stringOf("Hostname")}`];
  if (container.tty) result.push("TERM=xterm");
  for (let i = 0; i < wanted.length; i++) {
    const equals = wanted[i].indexOf("=");
    // An entry without `=` only kept a default of the image away.
    if (equals > 0) replaceOrAppend(result, wanted[i], wanted[i].slice(0, equals + 1));
  }
  return result;
}

function replaceOrAppend(entries: string[], entry: string, prefix: string): void {
  for (let i = 0; i < entries.length; i++) {
    if (!entries[i].startsWith(prefix)) continue;
    entries[i] = entry;
    return;
  }
  entries.push(entry);
}
