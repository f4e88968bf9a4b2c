// Events with their usual attributes.

import { Container } from "../container/container";
import { engine } from "../state";
import { Event } from "./event";

/** An event of a container, not sent yet: labels, `image` and `name` are in. */
export function containerEvent(container: Container, action: string): Event {
  const event = new Event("container", action, container.id, engine.now.wall);
  for (let i = 0; i < container.labelKeys.length; i++) {
    event.with(container.labelKeys[i], container.labelValues[i]);
  }
  return event.with("image", container.image).with("name", container.name);
}

export function emitContainer(container: Container, action: string): void {
  engine.events.emit(containerEvent(container, action));
}

/** `connect` or `disconnect`. */
export function emitNetwork(container: Container, action: string): void {
  const endpoint = container.endpoint;
  if (endpoint === null) return;
  const network = engine.networks.find(endpoint.networkId);
  engine.events.emit(
    new Event("network", action, endpoint.networkId, engine.now.wall)
      .with("container", container.id)
      .with("name", endpoint.networkName)
      .with("type", network === null ? "bridge" : network.driver),
  );
}

export function emitVolume(name: string, action: string): Event {
  return new Event("volume", action, name, engine.now.wall).with("driver", "local");
}

/** An event of an image; the actor is its id, or a reference. */
export function emitImage(id: string, action: string, name: string): void {
  engine.events.emit(new Event("image", action, id, engine.now.wall).with("name", name));
}
