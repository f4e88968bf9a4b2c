// A process's environment, in Docker's order (surface §6.6): PATH, HOSTNAME, TERM, links, the rest. HOME is the host's to add.

import { Json } from "../json/json";
import { Variables } from "../text/variables";
import { Container } from "./container";
import { linkEnvironment } from "./link-environment";

const DEFAULT_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/** `tty`: of the process that it is for. */
export function environmentOf(container: Container, config: Json, tty: bool = container.tty): string[] {
  const wanted = config.stringsOf("Env");
  const first: string[] = [`PATH=${DEFAULT_PATH}`, `HOSTNAME=${config.stringOf("Hostname")}`];
  if (tty) first.push("TERM=xterm");
  const variables = new Variables(first);
  const linked = linkEnvironment(container);
  for (let i = 0; i < linked.length; i++) variables.set(linked[i]);
  // An entry without `=` only kept a default of the image away.
  for (let i = 0; i < wanted.length; i++) variables.set(wanted[i]);
  return variables.entries;
}
