// Settings that conflict with a network mode, with Docker's texts (surface §2.14):
// a container on another container's network has that container's names, addresses
// and ports. Only the request's own settings are checked, not the image's.

import { Json } from "../../json/json";
import { WITH_HOST } from "../links/links";
import { otherIn } from "../spec/namespaces";

/** Empty if nothing conflicts. */
export function networkProblem(config: Json, host: Json): string {
  const mode = host.stringOf("NetworkMode");
  if (mode == "host" && host.stringsOf("Links").length > 0) return WITH_HOST;
  if (mode != "container" && !mode.startsWith("container:")) return "";
  if (otherIn(mode).length == 0) {
    return "invalid network mode: invalid container format container:<name|id>";
  }
  const contradiction = contradictionOf(config, host);
  return contradiction.length > 0 ? `conflicting options: ${contradiction}` : "";
}

function contradictionOf(config: Json, host: Json): string {
  if (config.stringOf("Hostname").length > 0) return "hostname and the network mode";
  if (host.stringsOf("Links").length > 0) {
    return "container type network can't be used with links. This would result in undefined behavior";
  }
  if (host.stringsOf("Dns").length > 0) return "dns and the network mode";
  if (host.stringsOf("ExtraHosts").length > 0) return "custom host-to-IP mapping and the network mode";
  if (host.boolOf("PublishAllPorts") || holds(host, "PortBindings")) {
    return "port publishing and the container type network mode";
  }
  return holds(config, "ExposedPorts") ? "port exposing and the container type network mode" : "";
}

function holds(document: Json, member: string): bool {
  const value = document.entry(member);
  return value !== null && value.length > 0;
}
