// `NetworkingConfig.EndpointsConfig` of a create body: the networks that a container asks for, and its hardware address
// there. The older `Config.MacAddress` means the endpoint on the network of the container's mode (surface §3).

import { refusedField } from "../../json/asked";
import { Json } from "../../json/json";
import { parseMac } from "../../network/address/mac";
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

export class EndpointWishes {
  refusal: Refusal | null = null;
  /** As the client wrote it; empty if the engine chooses one. */
  mac: string = "";
  /** Other settings that inspect shows; an empty array if there are none. */
  settings: Uint8Array = new Uint8Array(0);
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
  if (wishes.refusal === null) wishes.refusal = refuseNetworks(wishes, endpoints, mode, version);
  if (wishes.refusal === null) wishes.refusal = takeAddress(wishes, config.stringOf("MacAddress"), mode, version);
  if (wishes.refusal === null) wishes.refusal = refuseAddress(wishes.mac, mode, version);
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

function refuseNetworks(wishes: EndpointWishes, endpoints: Json, mode: string, version: i32): Refusal | null {
  if (endpoints.length > 1 && version < OWN_ADDRESSES) {
    return badParameter(`Container cannot be created with multiple network endpoints: ${endpoints.keys.join(", ")}`);
  }
  const others: string[] = [mode];
  for (let i = 0; i < endpoints.keys.length; i++) {
    const name = nameOf(endpoints.keys[i]);
    if (endpoints.items[i].isNull) return badParameter(`no EndpointSettings for ${endpoints.keys[i]}`);
    const path = "NetworkingConfig.EndpointsConfig." + endpoints.keys[i];
    const field = refusedField(endpoints.items[i], ENDPOINT_SETTINGS, path);
    if (field.length > 0) return notBuilt(field);
    const isOther = name != mode && !isSameNetwork(name, mode);
    if (isOther && !(NETWORKS.includes(name) && NETWORKS.includes(mode))) return notBuilt(path);
    if (isOther) others.push(name);
    else {
      const refusal = takeSettings(wishes, endpoints.items[i], path);
      if (refusal !== null) return refusal;
    }
  }
  // Built-in networks exclude one another.
  if (others.length == 1) return null;
  return badParameter(`Container cannot be connected to network endpoints: ${others.join(", ")}`);
}

/** One of them may be an id. */
function isSameNetwork(name: string, other: string): bool {
  const network = lookUpNetwork(name).network;
  return network !== null && network === lookUpNetwork(other).network;
}

function takeSettings(wishes: EndpointWishes, settings: Json, path: string): Refusal | null {
  wishes.mac = settings.stringOf("MacAddress");
  wishes.settings = keptSettings(settings);
  return refuseSettings(settings, path);
}

function takeAddress(wishes: EndpointWishes, whole: string, mode: string, version: i32): Refusal | null {
  if (whole.length == 0) return null;
  if (mode == "host" || otherIn(mode).length > 0 || (mode == "none" && version >= OWN_ADDRESSES)) {
    return badParameter("conflicting options: mac-address and the network mode");
  }
  if (version < OWN_ADDRESSES) {
    wishes.mac = whole;
    return null;
  }
  if (wishes.mac.length > 0 && wishes.mac != whole) {
    return badParameter(
      "the container-wide MAC address must match the endpoint-specific MAC address for the main network, " +
        "or be left empty",
    );
  }
  wishes.mac = whole;
  wishes.warnings.push(
    "The container-wide MacAddress field is now deprecated. It should be specified in EndpointsConfig instead.",
  );
  return null;
}

/** Before that version, the address is checked when the container starts. */
function refuseAddress(mac: string, network: string, version: i32): Refusal | null {
  if (version < OWN_ADDRESSES || mac.length == 0 || parseMac(mac).length > 0) return null;
  return badParameter(`invalid config for network ${network}: invalid MAC address ${mac}`);
}

/** `default` stands for `bridge`. */
function nameOf(network: string): string {
  return network.length == 0 || network == "default" ? "bridge" : network;
}
