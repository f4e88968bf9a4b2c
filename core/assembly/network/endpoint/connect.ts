// POST /networks/{id}/connect (surface §2.24). A running container is connected at once, another one when it starts.

import { readObject } from "../../api/json-body";
import { Call } from "../../call";
import { Container } from "../../container/container";
import {
  keptSettings,
  ofOwnNetworks,
  refuseSettings,
  settingsProblems,
} from "../../container/endpoint/endpoint-settings";
import { ENDPOINT_SETTINGS } from "../../container/endpoint/networking-config-table";
import { otherIn } from "../../container/spec/namespaces";
import { containerStore } from "../../container/store";
import { emitEndpoint } from "../../event/emit";
import { refusedField } from "../../json/asked";
import { Json } from "../../json/json";
import { Field, FieldType, Table } from "../../json/table";
import { badParameter, forbidden, notBuilt, Refusal } from "../../refusal";
import { sendEmpty } from "../../reply";
import { NO_ENDPOINTS } from "../configuration";
import { listOfProblems } from "../list-of-problems";
import { lookUpNetwork } from "../look-up";
import { Network } from "../network";
import { Connection } from "./connection";
import { Endpoint } from "./endpoint";
import { endpointOn, networkOf, refuseLeaving } from "./endpoints-of-container";
import { releasingAddress } from "./releasing-holder";

const CONNECT: Table = new Table(
  "ConnectOptions",
  [
    new Field("Container", FieldType.String, '""'),
    new Field("EndpointConfig", FieldType.Struct, "{}").typed("network.EndpointSettings").of(ENDPOINT_SETTINGS),
  ],
  "network.ConnectOptions",
);

/** From this version on, the hardware address counts. */
const WITH_MAC: i32 = 54;
const WITH_HOST: string = "container cannot be disconnected from host network or connected to host network";
const WITH_OTHERS: string =
  "container sharing network namespace with another container or host cannot be connected to any other network";
const WITH_NONE: string =
  "container cannot be connected to multiple networks with one of the networks in private (none) mode";

export function connectContainer(call: Call): Refusal | null {
  const body = readObject(call, CONNECT);
  const wish = body.json;
  if (wish === null) return body.refusal;
  const name = wish.stringOf("Container");
  if (name.length == 0) return badParameter('invalid name or ID supplied: ""');
  const lookup = containerStore.lookUp(name);
  const container = lookup.container;
  if (container === null) return lookup.refusal;
  if (container.between) {
    container.queue.push(call);
    return null;
  }
  return findAndConnect(call, container, wish.entry("EndpointConfig")!);
}

/** A container that is not running may ask for a network that does not exist yet. */
function findAndConnect(call: Call, container: Container, settings: Json): Refusal | null {
  const leaving: Refusal | null = container.up ? null : refuseLeaving(container);
  if (leaving !== null) return leaving;
  if (otherIn(container.networkMode).length > 0) return badParameter(WITH_OTHERS);
  const lookup = lookUpNetwork(call.name);
  const network = lookup.network;
  if (network === null && (container.up || lookup.matches > 1)) return lookup.refusal;
  if (network !== null && network.creating) {
    network.queue.push(call);
    return null;
  }
  return connect(call, container, network, settings);
}

function connect(call: Call, container: Container, network: Network | null, settings: Json): Refusal | null {
  const unusable = refuseEndpoint(network, settings);
  if (unusable !== null) return unusable;
  if (endpointOn(container, network, call.name) !== null) return again(call, container, network);
  const clash = refuseTogether(container, network === null ? "" : network.name);
  if (clash !== null) return clash;
  const endpoint = endpointOf(network === null ? call.name : network.name, settings, call.version);
  const isLive = container.running && !container.networkDisabled;
  if (network !== null && isLive && network.configOnly) return forbidden(NO_ENDPOINTS);
  if (network !== null && isLive && network.hasPlaces) return connectNow(call, container, network, endpoint);
  remember(call, container, endpoint);
  return null;
}

/** The next start joins the network. */
function remember(call: Call, container: Container, endpoint: Endpoint): void {
  container.endpoints.push(endpoint);
  container.touch();
  if (container.running) emitEndpoint(container, endpoint, "connect");
  sendEmpty(call, 200);
}

/** The container is on this network already, or will be. */
function again(call: Call, container: Container, network: Network | null): Refusal | null {
  if (container.up) return forbidden(`endpoint with name ${container.name} already exists in network ${network!.name}`);
  sendEmpty(call, 200);
  return null;
}

function refuseEndpoint(network: Network | null, settings: Json): Refusal | null {
  const field = refusedField(settings, ENDPOINT_SETTINGS, "EndpointConfig");
  if (field.length > 0) return notBuilt(field);
  const refusal = refuseSettings(settings);
  if (refusal !== null || network === null) return refusal;
  const problems = network.isBuiltIn ? ofOwnNetworks(settings) : settingsProblems(network, settings);
  return problems.length == 0 ? null : badParameter(`invalid endpoint settings:\n${listOfProblems(problems)}`);
}

/** Why the container cannot be on this network besides its others. `name`: empty for one that does not exist yet. */
function refuseTogether(container: Container, name: string): Refusal | null {
  if (container.networkMode != "host" && name == "host") return badParameter(WITH_HOST);
  if (container.networkMode == "host") return name == "host" ? null : badParameter(WITH_OTHERS);
  const all = container.endpoints;
  for (let i = 0; i < all.length; i++) {
    const other = networkOf(all[i]);
    if (other === null) continue;
    if (other.name == "host") return badParameter(WITH_OTHERS);
    if (other.name == "none" || name == "none") return badParameter(WITH_NONE);
  }
  return null;
}

function endpointOf(network: string, settings: Json, version: i32): Endpoint {
  const endpoint = new Endpoint(network);
  if (version >= WITH_MAC) endpoint.mac = settings.stringOf("MacAddress");
  endpoint.settings = keptSettings(settings);
  return endpoint;
}

function connectNow(call: Call, container: Container, network: Network, endpoint: Endpoint): Refusal | null {
  const holder = releasingAddress(endpoint);
  if (holder !== null) {
    // The client has been told that the other container ended, so its address will soon be free.
    holder.queue.push(call);
    return null;
  }
  return new Connection(call, container, endpoint).begin(network);
}
