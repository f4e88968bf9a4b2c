// POST /networks/{id}/connect (surface §2.24). The built-in networks exclude one another, so every request for them has
// a fixed answer and changes nothing. Connecting to user-defined networks is not implemented yet.

import { readObject } from "../api/json-body";
import { Call } from "../call";
import { Container } from "../container/container";
import { ofOwnNetworks } from "../container/endpoint/endpoint-settings";
import { ENDPOINT_SETTINGS } from "../container/endpoint/networking-config-table";
import { otherIn } from "../container/spec/namespaces";
import { containerStore } from "../container/store";
import { Json } from "../json/json";
import { Field, FieldType, Table } from "../json/table";
import { badParameter, forbidden, notBuilt, Refusal } from "../refusal";
import { sendEmpty } from "../reply";
import { listOfProblems } from "./list-of-problems";
import { lookUpNetwork } from "./look-up";
import { isOn, refuseLeaving } from "./networks-of-container";

const CONNECT: Table = new Table(
  "ConnectOptions",
  [
    new Field("Container", FieldType.String, '""'),
    new Field("EndpointConfig", FieldType.Struct, "{}").typed("network.EndpointSettings").of(ENDPOINT_SETTINGS),
  ],
  "network.ConnectOptions",
);

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
  const refusal = refuseConnection(container, call.name, wish.entry("EndpointConfig")!);
  if (refusal === null) sendEmpty(call, 200);
  return refusal;
}

/** Why the container cannot be connected; null if it is on this network already, but not running. */
function refuseConnection(container: Container, reference: string, settings: Json): Refusal | null {
  if (!container.up) {
    const leaving = refuseLeaving(container);
    if (leaving !== null) return leaving;
  }
  if (otherIn(container.networkMode).length > 0) return badParameter(WITH_OTHERS);
  const lookup = lookUpNetwork(reference);
  const network = lookup.network;
  if (network === null) return lookup.refusal;
  const problems: string[] = network.isBuiltIn ? ofOwnNetworks(settings) : [];
  if (problems.length > 0) return badParameter(`invalid endpoint settings:\n${listOfProblems(problems)}`);
  if (isOn(container, network.name)) {
    if (!container.up) return null;
    return forbidden(`endpoint with name ${container.name} already exists in network ${network.name}`);
  }
  if (network.name == "host") return badParameter(WITH_HOST);
  if (container.networkMode == "host") return badParameter(WITH_OTHERS);
  if (container.networkMode == "none" || network.name == "none") return badParameter(WITH_NONE);
  return notBuilt(`connecting container ${container.name} to network ${network.name}`);
}
