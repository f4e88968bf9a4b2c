// Events with their usual attributes.

import { Container } from "../container/container";
import { Endpoint } from "../network/endpoint/endpoint";
import { networkOf } from "../network/endpoint/endpoints-of-container";
import { Network } from "../network/network";
import { engine } from "../state";
import { Event } from "./event";
import { eventRing } from "./ring";

/** Makes an event of a container, with its labels, `image` and `name`. */
export function containerEvent(container: Container, action: string): Event {
  const event = new Event("container", action, container.id, engine.now.wall);
  return event
    .labelled(container.labelKeys, container.labelValues)
    .with("image", container.image)
    .with("name", container.name);
}

export function emitContainer(container: Container, action: string): void {
  eventRing.emit(containerEvent(container, action));
}

/** A run has begun: emits the events of its networks, then of its volumes, then of the start itself. */
export function emitStart(container: Container): void {
  emitNetworks(container, "connect");
  emitMounts(container);
  emitContainer(container, "start");
}

/** `connect` or `disconnect`. Every container with networking has these events, even in mode `host` or `none`. */
export function emitNetworks(container: Container, action: string): void {
  if (container.networkDisabled) return;
  for (let i = 0; i < container.endpoints.length; i++) emitEndpoint(container, container.endpoints[i], action);
}

export function emitEndpoint(container: Container, endpoint: Endpoint, action: string): void {
  const network = networkOf(endpoint);
  if (network !== null) eventRing.emit(networkEvent(network, action).with("container", container.id));
}

export function networkEvent(network: Network, action: string): Event {
  const event = new Event("network", action, network.id, engine.now.wall);
  return event.with("name", network.name).with("type", network.driver);
}

/** Events for the volumes of a run (surface §6.4). */
function emitMounts(container: Container): void {
  const volumes = container.volumes;
  for (let i = 0; i < volumes.length; i++) {
    const volume = volumes[i];
    eventRing.emit(
      volumeEvent(volume.name, "mount")
        .with("container", container.id)
        .with("destination", volume.destination)
        .with("propagation", "")
        .with("read/write", volume.readOnly ? "false" : "true"),
    );
  }
}

export function emitUnmounts(container: Container): void {
  const volumes = container.volumes;
  for (let i = 0; i < volumes.length; i++) {
    eventRing.emit(volumeEvent(volumes[i].name, "unmount").with("container", container.id));
  }
}

export function volumeEvent(name: string, action: string): Event {
  return new Event("volume", action, name, engine.now.wall).with("driver", "local");
}
