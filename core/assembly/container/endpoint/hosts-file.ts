// `/etc/hosts` of a container (hosts(5)): the standard entries, those
// that the client added, linked containers, and the container itself.

import { ContainerFile } from "../../../../build/bindings/types";
import { Json } from "../../json/json";
import { parseKept } from "../../json/reader";
import { canonicalAddress } from "../../network/address/address";
import { networkStore } from "../../network/store";
import { TextBuilder } from "../../text/builder";
import { quoteText } from "../../text/go-quote";
import { encodeUtf8 } from "../../text/utf8";
import { Container } from "../container";
import { containerStore } from "../store";

const HOST_GATEWAY = "host-gateway";
const OF_EVERY_MACHINE =
  "127.0.0.1\tlocalhost\n::1\tlocalhost ip6-localhost ip6-loopback\nfe00::0\tip6-localnet\n" +
  "ff00::0\tip6-mcastprefix\nff02::1\tip6-allnodes\nff02::2\tip6-allrouters\n";

/** The machine's own file for a container on the host network without added entries. */
export function hostsOf(container: Container): ContainerFile {
  const extra = parseKept(container.hostConfig)!.stringsOf("ExtraHosts");
  if (container.networkMode == "host" && extra.length == 0) return new ContainerFile("hosts", null);
  const text = new TextBuilder(256).text(OF_EVERY_MACHINE);
  addExtra(text, extra);
  text.text(linkedHosts(container));
  addOwn(text, container);
  return new ContainerFile("hosts", encodeUtf8(text.toString()));
}

/** The container's addresses on each of its networks, with its names. */
function addOwn(text: TextBuilder, container: Container): void {
  if (container.sandbox === null) return;
  const names = namesOf(parseKept(container.config)!);
  for (let i = 0; i < container.endpoints.length; i++) {
    const place = container.endpoints[i].place;
    const addresses: string[] = place === null ? [] : place.addresses;
    for (let j = 0; j < addresses.length; j++) text.text(`${addresses[j]}\t${names}\n`);
  }
}

/** `name:address`, or `name=address` from newer clients; IPv6 addresses contain colons. */
function addExtra(text: TextBuilder, extra: string[]): void {
  for (let i = 0; i < extra.length; i++) {
    const at = nameEnd(extra[i]);
    const addresses: string[] = at > 0 ? hostAddresses(extra[i].slice(at + 1)) : [];
    for (let j = 0; j < addresses.length; j++) text.text(`${addresses[j]}\t${extra[i].slice(0, at)}\n`);
  }
}

/** Index where the name of an entry ends; less than 1 if the entry has no name. */
function nameEnd(entry: string): i32 {
  const equals = entry.indexOf("=");
  return equals > 0 ? equals : entry.indexOf(":");
}

/** `host-gateway` stands for the machine's addresses on the default bridge, on whatever network the container is. */
function hostAddresses(address: string): string[] {
  return address == HOST_GATEWAY ? hostGateways() : [withoutBrackets(address)];
}

/** The machine's addresses on the default bridge: IPv4 first. */
export function hostGateways(): string[] {
  const bridge = networkStore.named("bridge");
  if (bridge === null) return [];
  const ipv6 = bridge.ipv6;
  return ipv6 === null ? [bridge.gateway] : [bridge.gateway, ipv6.gateway];
}

/** Newer clients may put IPv6 addresses in brackets. */
function withoutBrackets(address: string): string {
  return address.startsWith("[") && address.endsWith("]") ? address.slice(1, -1) : address;
}

/** What is invalid in `ExtraHosts`, in Docker's words; empty if nothing is. */
export function extraHostProblem(extra: string[]): string {
  for (let i = 0; i < extra.length; i++) {
    const at = nameEnd(extra[i]);
    if (at < 1) return `bad format for add-host: ${quoteText(extra[i])}`;
    const address = extra[i].slice(at + 1);
    if (address == HOST_GATEWAY || canonicalAddress(withoutBrackets(address)).length > 0) continue;
    return `invalid IP address in add-host: ${quoteText(address)}`;
  }
  return "";
}

/** Each linked container's address with alias, hostname and name. A container that is not running has no address. */
export function linkedHosts(container: Container): string {
  const text = new TextBuilder();
  if (!container.onDefaultBridge) return "";
  for (let i = 0; i < container.links.length; i++) {
    const other = containerStore.find(container.links[i].container);
    if (other === null || other.bridgeAddress.length == 0) continue;
    const alias = container.links[i].shortAlias;
    const name = alias == other.name ? "" : ` ${other.name}`;
    const hostname = parseKept(other.config)!.stringOf("Hostname");
    const addresses = other.bridgeEndpoint!.place!.addresses;
    for (let j = 0; j < addresses.length; j++) text.text(`${addresses[j]}\t${alias} ${hostname}${name}\n`);
  }
  return text.toString();
}

/** The fully qualified name, wherever the client wrote the domain, then the name alone. */
function namesOf(config: Json): string {
  const domain = config.stringOf("Domainname");
  const full = domain.length > 0 ? `${config.stringOf("Hostname")}.${domain}` : config.stringOf("Hostname");
  const dot = full.indexOf(".");
  return dot < 0 ? full : `${full} ${full.slice(0, dot)}`;
}
