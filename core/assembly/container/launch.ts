// What `processes.launch` is told: the OCI spec, the files made for the container, its user and its terminal.

import { ContainerFile, Launch } from "../../../build/bindings/types";
import { Json } from "../json/json";
import { parseJson } from "../json/reader";
import { TextBuilder } from "../text/builder";
import { encodeUtf8 } from "../text/utf8";
import { Container } from "./container";
import { devicesOf, ratesOf } from "./devices";
import { networkOwner } from "./joined";
import { logOf } from "./log-config";
import { writeSpec } from "./spec";
import { bindSources, sharedBytes } from "./spec-mounts";
import { securityOf } from "./security-options";

export function launchOf(container: Container): Launch {
  const config = documentOf(container.config);
  const hostConfig = documentOf(container.hostConfig);
  const console = hostConfig.find("ConsoleSize");
  return new Launch(
    container.id,
    container.run,
    hostConfig.stringOf("Runtime"),
    writeSpec(container, config, hostConfig),
    config.stringOf("User"),
    hostConfig.stringsOf("GroupAdd"),
    securityOf(hostConfig).seccomp,
    filesOf(container, config, hostConfig),
    bindSources(container),
    devicesOf(hostConfig),
    hostConfig.boolOf("Privileged"),
    ratesOf(hostConfig),
    hostConfig.stringOf("IpcMode") == "shareable" ? <u64>sharedBytes(hostConfig) : 0,
    logOf(hostConfig),
    container.tty,
    sideOf(console, 0),
    sideOf(console, 1),
    container.openStdin,
    container.stdinOnce,
  );
}

export function documentOf(bytes: Uint8Array): Json {
  const json = parseJson(bytes);
  return json === null ? Json.object() : json;
}

function sideOf(console: Json | null, index: i32): u32 {
  if (console === null || console.items.length <= index) return 0;
  return <u32>parseInt(console.items[index].text, 10);
}

/** Names and servers are those of the container whose network it is on. */
function filesOf(container: Container, config: Json, hostConfig: Json): ContainerFile[] {
  const hostname = config.stringOf("Hostname");
  const owner = networkOwner(container);
  const ownHost = owner === container ? hostConfig : documentOf(owner.hostConfig);
  return [
    new ContainerFile("hostname", encodeUtf8(hostname + "\n")),
    new ContainerFile("hosts", owner.networkMode == "host" ? null : encodeUtf8(hostsFile(owner, ownHost))),
    new ContainerFile("resolv.conf", resolvFile(ownHost)),
  ];
}

/** With a domain the full name comes first (hosts(5)). */
function namesOf(config: Json): string {
  const hostname = config.stringOf("Hostname");
  const domain = config.stringOf("Domainname");
  return domain.length > 0 ? `${hostname}.${domain} ${hostname}` : hostname;
}

function hostsFile(container: Container, hostConfig: Json): string {
  const text = new TextBuilder(256).text(
    "127.0.0.1\tlocalhost\n::1\tlocalhost ip6-localhost ip6-loopback\nfe00::0\tip6-localnet\n" +
      "ff00::0\tip6-mcastprefix\nff02::1\tip6-allnodes\nff02::2\tip6-allrouters\n",
  );
  const extra = hostConfig.stringsOf("ExtraHosts");
  for (let i = 0; i < extra.length; i++) {
    // `name:address`, or `name=address` as newer clients write it; an IPv6 address has colons of its own.
    const equals = extra[i].indexOf("=");
    const at = equals > 0 ? equals : extra[i].indexOf(":");
    if (at > 0) text.text(`${hostAddress(container, extra[i].slice(at + 1))}\t${extra[i].slice(0, at)}\n`);
  }
  const endpoint = container.endpoint;
  if (endpoint !== null) text.text(`${endpoint.address}\t${namesOf(documentOf(container.config))}\n`);
  return text.toString();
}

/** `host-gateway` stands for the machine's address on the container's network. */
function hostAddress(container: Container, address: string): string {
  const endpoint = container.endpoint;
  return address == "host-gateway" && endpoint !== null ? endpoint.gateway : address;
}

/** The machine's own unless DNS options are given. */
function resolvFile(hostConfig: Json): Uint8Array | null {
  const servers = hostConfig.stringsOf("Dns");
  const search = hostConfig.stringsOf("DnsSearch");
  const options = hostConfig.stringsOf("DnsOptions");
  if (servers.length == 0 && search.length == 0 && options.length == 0) return null;
  const text = new TextBuilder();
  for (let i = 0; i < servers.length; i++) text.text(`nameserver ${servers[i]}\n`);
  if (search.length > 0 && !(search.length == 1 && search[0] == ".")) text.text(`search ${search.join(" ")}\n`);
  if (options.length > 0) text.text(`options ${options.join(" ")}\n`);
  return encodeUtf8(text.toString());
}
