// `/etc/hosts` of a container on a network of its own (hosts(5)): what every machine has, what the client added, those
// it is linked to, itself.

import { Json } from "../json/json";
import { parseJson } from "../json/reader";
import { engine } from "../state";
import { TextBuilder } from "../text/builder";
import { Container } from "./container";

const OF_EVERY_MACHINE =
  "127.0.0.1\tlocalhost\n::1\tlocalhost ip6-localhost ip6-loopback\nfe00::0\tip6-localnet\n" +
  "ff00::0\tip6-mcastprefix\nff02::1\tip6-allnodes\nff02::2\tip6-allrouters\n";

export function hostsFile(container: Container): string {
  const text = new TextBuilder(256).text(OF_EVERY_MACHINE);
  addExtra(text, container, parseJson(container.hostConfig)!.stringsOf("ExtraHosts"));
  text.text(linkedHosts(container));
  const endpoint = container.endpoint;
  if (endpoint !== null) text.text(`${endpoint.address}\t${namesOf(parseJson(container.config)!)}\n`);
  return text.toString();
}

/** `name:address`, or `name=address` as newer clients write it; an IPv6 address has colons of its own. */
function addExtra(text: TextBuilder, container: Container, extra: string[]): void {
  for (let i = 0; i < extra.length; i++) {
    const equals = extra[i].indexOf("=");
    const at = equals > 0 ? equals : extra[i].indexOf(":");
    if (at > 0) text.text(`${hostAddress(container, extra[i].slice(at + 1))}\t${extra[i].slice(0, at)}\n`);
  }
}

/** `host-gateway` stands for the machine's address on the container's network. */
function hostAddress(container: Container, address: string): string {
  const endpoint = container.endpoint;
  return address == "host-gateway" && endpoint !== null ? endpoint.gateway : address;
}

/** By alias, host name and name. One that does not run has no address. */
export function linkedHosts(container: Container): string {
  const text = new TextBuilder();
  if (!container.onDefaultBridge) return "";
  for (let i = 0; i < container.links.length; i++) {
    const other = engine.containers.find(container.links[i].container);
    if (other === null || other.endpoint === null) continue;
    const alias = container.links[i].alias.slice(container.links[i].alias.lastIndexOf("/") + 1);
    const name = alias == other.name ? "" : ` ${other.name}`;
    const hostname = parseJson(other.config)!.stringOf("Hostname");
    text.text(`${other.endpoint!.address}\t${alias} ${hostname}${name}\n`);
  }
  return text.toString();
}

/** With a domain the full name comes first. */
function namesOf(config: Json): string {
  const hostname = config.stringOf("Hostname");
  const domain = config.stringOf("Domainname");
  return domain.length > 0 ? `${hostname}.${domain} ${hostname}` : hostname;
}
