// The data of `processes.launch`: the OCI spec, the files made for the container, its user and its terminal.

import { ContainerFile, Launch } from "../../../../build/bindings/types";
import { Json } from "../../json/json";
import { parseKept } from "../../json/reader";
import { linesForResolver, OWN_RESOLVER, PUBLIC_SERVERS } from "../../network/names/resolver";
import { hasNames } from "../../network/names/tell-names";
import { TextBuilder } from "../../text/builder";
import { encodeUtf8 } from "../../text/utf8";
import { Container } from "../container";
import { hostsOf } from "../endpoint/hosts-file";
import { closedPlaces } from "../mounts/closed-places";
import { logOf } from "../output/log-config";
import { devicesOf, ratesOf } from "./devices";
import { CheckedProfile } from "./seccomp-profile";
import { securityOf } from "./security-options";
import { writeSpec } from "./spec";
import { bindSources, sharedBytes } from "./spec-mounts";

/** `profile`: the client's own seccomp profile; null if it chose none. */
export function launchOf(container: Container, profile: CheckedProfile | null): Launch {
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
    profile === null ? securityOf(hostConfig).seccomp : profile.text,
    container.lentVariables,
    filesOf(container, config, hostConfig),
    PUBLIC_SERVERS,
    bindSources(container),
    closedPlaces(),
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
  const json = parseKept(bytes);
  return json === null ? Json.object() : json;
}

function sideOf(console: Json | null, index: i32): u32 {
  if (console === null || console.items.length <= index) return 0;
  return <u32>parseInt(console.items[index].text, 10);
}

/** A container on another's network uses that container's files as they are, since clients may have written to them. */
function filesOf(container: Container, config: Json, hostConfig: Json): ContainerFile[] {
  if (container.filesOf.length > 0) return [];
  const hostname = config.stringOf("Hostname");
  return [
    new ContainerFile("hostname", encodeUtf8(hostname + "\n")),
    hostsOf(container),
    new ContainerFile("resolv.conf", resolvFile(container, hostConfig)),
  ];
}

/** Made from the client's settings; null, for the machine's own file, if there are none and no names to resolve. */
export function resolvFile(container: Container, hostConfig: Json): Uint8Array | null {
  const isNamed = hasNames(container);
  const servers: string[] = isNamed ? [OWN_RESOLVER] : hostConfig.stringsOf("Dns");
  const search = hostConfig.stringsOf("DnsSearch");
  const options = hostConfig.stringsOf("DnsOptions");
  if (servers.length == 0 && search.length == 0 && options.length == 0) return null;
  const text = new TextBuilder();
  for (let i = 0; i < servers.length; i++) text.text(`nameserver ${servers[i]}\n`);
  if (search.length > 0) text.text(`search ${search.join(" ")}\n`);
  if (options.length > 0) text.text(`options ${options.join(" ")}\n`);
  if (isNamed) text.text(linesForResolver(hostConfig));
  return encodeUtf8(text.toString());
}
