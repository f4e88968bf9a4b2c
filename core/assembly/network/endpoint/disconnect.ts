// POST /networks/{id}/disconnect (surface §2.24).

import { readObject } from "../../api/json-body";
import { Call } from "../../call";
import { Container } from "../../container/container";
import { containerStore } from "../../container/store";
import { emitEndpoint } from "../../event/emit";
import { Field, FieldType, Table } from "../../json/table";
import { badParameter, internal, notFound, Refusal } from "../../refusal";
import { sendEmpty } from "../../reply";
import { lookUpNetwork } from "../look-up";
import { removeEndpoint } from "./choose-place";
import { Disconnection } from "./disconnection";
import { Endpoint } from "./endpoint";
import { endpointOn, refuseLeaving } from "./endpoints-of-container";

const DISCONNECT: Table = new Table(
  "DisconnectOptions",
  [new Field("Container", FieldType.String, '""'), new Field("Force", FieldType.Bool, "false")],
  "network.DisconnectOptions",
);

export function disconnectContainer(call: Call): Refusal | null {
  const body = readObject(call, DISCONNECT);
  const wish = body.json;
  if (wish === null) return body.refusal;
  const name = wish.stringOf("Container");
  const force = wish.boolOf("Force");
  if (name.length == 0 && !force) return badParameter('invalid name or ID supplied: ""');
  const lookup = containerStore.lookUp(name);
  const container = lookup.container;
  if (container === null && force) return refuseWithoutContainer(call.name, name);
  if (container === null) return lookup.refusal;
  if (container.between) {
    container.queue.push(call);
    return null;
  }
  return disconnect(container, call, force);
}

/** Refuses to remove an endpoint without a container: no such endpoint exists. */
function refuseWithoutContainer(reference: string, name: string): Refusal | null {
  const lookup = lookUpNetwork(reference);
  if (lookup.network === null) return lookup.refusal;
  return notFound(`endpoint ${name} not found`);
}

function disconnect(container: Container, call: Call, force: bool): Refusal | null {
  const lookup = lookUpNetwork(call.name);
  const network = lookup.network;
  const isRecord = !container.up || (network === null && force);
  if (!isRecord && network === null) return lookup.refusal;
  const leaving: Refusal | null = isRecord ? refuseLeaving(container) : null;
  if (leaving !== null) return leaving;
  const endpoint = endpointOn(container, network, call.name);
  if (endpoint === null) {
    const name = network === null ? call.name : network.name;
    return notOn(container, isRecord ? `the network ${name}` : `network ${name}`);
  }
  if (container.running && network !== null && network.name == "host") {
    return badParameter("container cannot be disconnected from host network or connected to host network");
  }
  if (endpoint.place !== null) new Disconnection(call, container, endpoint).begin();
  else forget(call, container, endpoint);
  return null;
}

function notOn(container: Container, where: string): Refusal {
  return internal(`container ${container.id} is not connected to ${where}`);
}

/** The container is not on the network now, so the host need not be asked. */
function forget(call: Call, container: Container, endpoint: Endpoint): void {
  removeEndpoint(container, endpoint);
  emitEndpoint(container, endpoint, "disconnect");
  sendEmpty(call, 200);
}
