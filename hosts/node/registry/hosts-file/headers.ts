// SECRET. The headers that a `hosts.toml` of containerd sets for a host. They are read where a request is sent.

import { parse, type TomlValue } from "smol-toml";
import { listOf, tableOf } from "./values.js";

/** SECRET. Those of a host, by its name in the text; of the server for the empty name. Throws if they cannot be used. */
export function headersFor(text: string, name: string): Record<string, string> {
  const { host = {}, header: own = {} } = parse(text);
  if (name === "") return headersIn(own);
  const { [name]: one = {} } = tableOf(host, '"host"');
  const { header = {} } = tableOf(one, "a host");
  return headersIn(header);
}

/** Names in lower case, and values. No error repeats anything of them. */
export function headersIn(given: TomlValue): Record<string, string> {
  const headers = Object.entries(tableOf(given, '"header"')).map(([name, value]) => {
    const text = listOf(value, "header").join(", ");
    if (!HEADER_NAME.test(name) || !HEADER_VALUE.test(text)) throw new Error('"header" has what no header may have');
    if (FRAMING.has(name.toLowerCase())) throw new Error('"header" must not say where a message goes or ends');
    return [name.toLowerCase(), text] as const;
  });
  return Object.fromEntries(headers);
}

/** RFC 9110 §5.1 and §5.5. */
const HEADER_NAME = /^[!#$%&'*+.^_`|~\w-]+$/;
const HEADER_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;
/** RFC 9112 §6. */
const FRAMING: ReadonlySet<string> = new Set(["host", "content-length", "transfer-encoding", "connection", "upgrade"]);
