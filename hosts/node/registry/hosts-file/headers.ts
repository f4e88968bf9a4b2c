// SECRET. The headers that a `hosts.toml` of containerd sets for a host. They are read where a request is sent.

import { readFileSync } from "node:fs";
import type { TomlTable, TomlValue } from "smol-toml";
import type { types } from "../../../shared/index.js";
import { listOf, parsed, tableOf } from "./values.js";

/** Names in lower case, and values. */
export type Headers = Record<string, string>;

/**
 * SECRET. Those of a host as they are in its file now. The settings name a place only if it has headers. So a file that
 * cannot be used, or has none there any more, is about to change: then the last ones count, until the settings change too.
 * Without such ones, throws an error that repeats nothing of the file.
 */
export function headersAt({ file, host }: types.HeaderPlace): Headers {
  try {
    const headers = headersFor(readFileSync(file, "utf8"), host);
    kept.set(file, new Map(kept.get(file)).set(host, headers));
    return headers;
  } catch (error) {
    const former = kept.get(file)?.get(host);
    if (former !== undefined) return former;
    throw "code" in (error as Error) ? error : new Error(`${file}: ${(error as Error).message}`);
  }
}

/** Remembers those of a file that the settings are read from, and forgets those of its former text. */
export function keepHeaders(file: string, given: TomlTable): void {
  const own = Object.keys(tableOf(given["host"] ?? {}, '"host"'));
  const found = ["", ...own].flatMap((name) => {
    const header = headerOf(given, name);
    return header === undefined ? [] : [[name, headersIn(header)] as const];
  });
  kept.set(file, new Map(found));
}

/** SECRET. Those of a host, by its name in the text; of the server for the empty name. Throws if they cannot be used. */
export function headersFor(text: string, name: string): Headers {
  const header = headerOf(parsed(text), name);
  if (header === undefined) throw new Error('no "header" for it');
  return headersIn(header);
}

/** No error repeats anything of them. */
export function headersIn(given: TomlValue): Headers {
  const headers = Object.entries(tableOf(given, '"header"')).map(([name, value]) => {
    const text = listOf(value, "header").join(", ");
    if (!HEADER_NAME.test(name) || !HEADER_VALUE.test(text)) throw new Error('"header" has what no header may have');
    if (FRAMING.has(name.toLowerCase())) throw new Error('"header" must not say where a message goes or ends');
    return [name.toLowerCase(), text] as const;
  });
  return Object.fromEntries(headers);
}

function headerOf({ host = {}, header }: TomlTable, name: string): TomlValue | undefined {
  const hosts = tableOf(host, '"host"');
  return name === "" ? header : tableOf(hosts[name] ?? {}, "a host")["header"];
}

/** SECRET. The last ones that could be used, by file and host. */
const kept = new Map<string, ReadonlyMap<string, Headers>>();

/** RFC 9110 §5.1 and §5.5. */
const HEADER_NAME = /^[!#$%&'*+.^_`|~\w-]+$/;
const HEADER_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;
/** RFC 9112 §6. */
const FRAMING: ReadonlySet<string> = new Set(["host", "content-length", "transfer-encoding", "connection", "upgrade"]);
