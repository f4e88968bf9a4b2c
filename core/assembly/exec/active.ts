// Whether a container's status allows another process (surface §2.15).

import { Container } from "../container/container";
import { Status } from "../container/lifecycle";

/** Why it does not, in Docker's words; empty if it does. `name`: the client's name for the container. */
export function refuseInactive(container: Container, name: string): string {
  if (container.word == "restarting") {
    return `Container ${container.id} is restarting, wait until the container is running`;
  }
  if (!container.running) return `container ${container.id} is not running`;
  if (container.status == Status.Paused) return `Container ${name} is paused, unpause the container before exec`;
  return "";
}
