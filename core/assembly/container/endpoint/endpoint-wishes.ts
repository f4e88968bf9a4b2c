// `NetworkingConfig.EndpointsConfig` of a create body: the networks that a container asks for, and its hardware address
// there. The older `Config.MacAddress` means the endpoint on the network of the container's mode (surface §3).

import { refusedField } from "../../json/asked";
import { Json } from "../../json/json";
import { parseMac } from "../../network/address/mac";
import { Endpoint } from "../../network/endpoint/endpoint";
import { lookUpNetwork } from "../../network/look-up";
import { badParameter, notBuilt, Refusal } from "../../refusal";
import { otherIn } from "../spec/namespaces";
import { keptSettings, refuseSettings } from "./endpoint-settings";
import { MovedSysctls } from "./interface-sysctls";
import { ENDPOINT_SETTINGS } from "./networking-config-table";

/** From this version on, every endpoint has its own hardware address, and a container may have several endpoints. */
const OWN_ADDRESSES = 44;
/** The built-in networks. */
const NETWORKS: string[] = ["bridge", "host", "none"];
/** A container on one of these is on no other network. */
const ALONE: string[] = ["host", "none"];

export class EndpointWishes {
  refusal: Refusal | null = null;
  /** That on the network of the container's mode comes first. */
  readonly endpoints: Endpoint[] = [];
  /** Warnings for the client. */
  readonly warnings: string[] = [];
}

/**
 * `endpoints`: by name of network. `version`: minor API version of the request. Sysctls of the interface are moved from
 * `hostConfig` to the endpoint, in place.
 */
export function readEndpoints(config: Json, hostConfig: Json, endpoints: Json, version: i32): EndpointWishes {
  const wishes = new EndpointWishes();
  const mode = nameOf(hostConfig.stringOf("NetworkMode"));
  const moved = new MovedSysctls(version);
  wishes.refusal = takeSysctls(moved, hostConfig, endpoints);
  if (wishes.refusal === null) wishes.refusal = takeNetworks(wishes, endpoints, mode, version);
  if (wishes.refusal === null) wishes.refusal = takeAddress(wishes, config.stringOf("MacAddress"), mode, version);
  if (wishes.refusal === null) wishes.refusal = refuseAddresses(wishes, version);
  if (moved.warning.length > 0) wishes.warnings.push(moved.warning);
  return wishes;
}

function takeSysctls(moved: MovedSysctls, hostConfig: Json, endpoints: Json): Refusal | null {
  const mode = hostConfig.stringOf("NetworkMode");
  if (mode == "host" || otherIn(mode).length > 0) return null;
  const place = placeOf(endpoints, nameOf(mode));
  const settings: Json = place < 0 ? Json.object() : endpoints.items[place];
  if (settings.isNull) return null;
  moved.move(hostConfig, settings);
  if (place < 0 && settings.length > 0) endpoints.set(nameOf(mode), settings);
  return moved.refusal;
}

/** Negative if there are no settings for this network. */
function placeOf(endpoints: Json, network: string): i32 {
  for (let i = 0; i < endpoints.keys.length; i++) if (nameOf(endpoints.keys[i]) == network) return i;
  return -1;
}

function takeNetworks(wishes: EndpointWishes, endpoints: Json, mode: string, version: i32): Refusal | null {
  if (endpoints.length > 1 && version < OWN_ADDRESSES) {
    return badParameter(`Container cannot be created with multiple network endpoints: ${endpoints.keys.join(", ")}`);
  }
  for (let i = 0; i < endpoints.keys.length; i++) {
    const refusal = takeNetwork(wishes, endpoints.keys[i], endpoints.items[i], mode);
    if (refusal !== null) return refusal;
  }
  // Such a container has no networks of its own.
  if (otherIn(mode).length > 0) wishes.endpoints.length = 0;
  else if (wishes.endpoints.length == 0) wishes.endpoints.push(new Endpoint(mode));
  return refuseTogether(wishes.endpoints, mode);
}

function takeNetwork(wishes: EndpointWishes, given: string, settings: Json, mode: string): Refusal | null {
  const name = nameOf(given);
  if (settings.isNull) return badParameter(`no EndpointSettings for ${given}`);
  const path = "NetworkingConfig.EndpointsConfig." + given;
  const field = refusedField(settings, ENDPOINT_SETTINGS, path);
  if (field.length > 0) return notBuilt(field);
  const isMain = isSameNetwork(name, mode);
  const endpoint = new Endpoint(isMain ? mode : name);
  endpoint.mac = settings.stringOf("MacAddress");
  endpoint.settings = keptSettings(settings);
  if (isMain) wishes.endpoints.unshift(endpoint);
  else wishes.endpoints.push(endpoint);
  return refuseSettings(settings);
}

/** Of the built-in networks, only `bridge` goes together with others. */
function refuseTogether(endpoints: Endpoint[], mode: string): Refusal | null {
  const names: string[] = [mode];
  for (let i = 0; i < endpoints.length; i++) if (endpoints[i].network != mode) names.push(endpoints[i].network);
  const isAlone = names.some((name: string) => ALONE.includes(name));
  if (!isAlone || names.length == 1) return null;
  return badParameter(`Container cannot be connected to network endpoints: ${names.join(", ")}`);
}

/** One of them may be an id. */
function isSameNetwork(name: string, other: string): bool {
  if (name == other) return true;
  const network = lookUpNetwork(name).network;
  return network !== null && network === lookUpNetwork(other).network;
}

/** `whole`: `Config.MacAddress`. */
function takeAddress(wishes: EndpointWishes, whole: string, mode: string, version: i32): Refusal | null {
  if (whole.length == 0) return null;
  if (mode == "host" || otherIn(mode).length > 0 || (mode == "none" && version >= OWN_ADDRESSES)) {
    return badParameter("conflicting options: mac-address and the network mode");
  }
  const main = wishes.endpoints[0];
  if (version >= OWN_ADDRESSES && main.network != mode) {
    return badParameter(
      "unable to migrate container-wide MAC address to a specific network: " +
        "HostConfig.NetworkMode must match the identity of a network in NetworkSettings.Networks",
    );
  }
  if (version >= OWN_ADDRESSES && main.mac.length > 0 && main.mac != whole) {
    return badParameter(
      "the container-wide MAC address must match the endpoint-specific MAC address for the main network, " +
        "or be left empty",
    );
  }
  main.mac = whole;
  if (version < OWN_ADDRESSES) return null;
  wishes.warnings.push(
    "The container-wide MacAddress field is now deprecated. It should be specified in EndpointsConfig instead.",
  );
  return null;
}

/** Before that version, addresses are checked when the container starts. */
function refuseAddresses(wishes: EndpointWishes, version: i32): Refusal | null {
  if (version < OWN_ADDRESSES) return null;
  for (let i = 0; i < wishes.endpoints.length; i++) {
    const endpoint = wishes.endpoints[i];
    if (endpoint.mac.length == 0 || parseMac(endpoint.mac).length > 0) continue;
    return badParameter(`invalid config for network ${endpoint.network}: invalid MAC address ${endpoint.mac}`);
  }
  return null;
}

/** `default` stands for `bridge`. A built-in network goes by its name, even if the client gave its id. */
function nameOf(network: string): string {
  if (network.length == 0 || network == "default") return "bridge";
  const found = lookUpNetwork(network).network;
  return found !== null && found.isBuiltIn ? found.name : network;
}
