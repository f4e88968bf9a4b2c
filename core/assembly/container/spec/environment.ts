// The environment of a process, in Docker's order (surface §6.6):
// PATH, HOSTNAME, TERM, links, the rest. The host adds HOME.

import { Json } from "../../json/json";
import { overridden } from "../../text/variables";
import { Container } from "../container";
import { linkEnvironment } from "../links/link-environment";

const DEFAULT_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/** `tty`: whether the process has a terminal. */
export function environmentOf(container: Container, config: Json, tty: bool = container.tty): string[] {
  const wanted = config.stringsOf("Env");
  const first: string[] = [`PATH=${DEFAULT_PATH}`, `HOSTNAME=${config.stringOf("Hostname")}`];
  if (tty) first.push("TERM=xterm");
  return overridden(first, linkEnvironment(container).concat(wanted));
}
