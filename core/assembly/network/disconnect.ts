// POST /networks/{id}/disconnect (surface §2.24). Disconnecting a container from its network is not implemented yet;
// other requests get Docker's answers.

import { readObject } from "../api/json-body";
import { Call } from "../call";
import { Container } from "../container/container";
import { containerStore } from "../container/store";
import { Field, FieldType, Table } from "../json/table";
import { badParameter, internal, notBuilt, notFound, Refusal } from "../refusal";
import { lookUpNetwork } from "./look-up";
import { isOn, refuseLeaving } from "./networks-of-container";

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
  if (container === null && force) return refuseEndpoint(call.name, name);
  if (container === null) return lookup.refusal;
  if (container.between) {
    container.queue.push(call);
    return null;
  }
  return refuseDisconnection(container, call, force);
}

/** Refuses to remove an endpoint without a container: no such endpoint exists. */
function refuseEndpoint(reference: string, name: string): Refusal | null {
  const lookup = lookUpNetwork(reference);
  if (lookup.network === null) return lookup.refusal;
  return notFound(`endpoint ${name} not found`);
}

function refuseDisconnection(container: Container, call: Call, force: bool): Refusal | null {
  const lookup = lookUpNetwork(call.name);
  const network = lookup.network;
  if (!container.up || (network === null && force)) {
    const leaving = refuseLeaving(container);
    if (leaving !== null) return leaving;
    const name = network === null ? call.name : network.name;
    return isOn(container, name) ? unbuilt(container, name) : notOn(container, `the network ${name}`);
  }
  if (network === null) return lookup.refusal;
  if (!isOn(container, network.name)) return notOn(container, `network ${network.name}`);
  if (network.name != "host") return unbuilt(container, network.name);
  return badParameter("container cannot be disconnected from host network or connected to host network");
}

function notOn(container: Container, where: string): Refusal {
  return internal(`container ${container.id} is not connected to ${where}`);
}

function unbuilt(container: Container, network: string): Refusal {
  return notBuilt(`disconnecting container ${container.name} from network ${network}`);
}
