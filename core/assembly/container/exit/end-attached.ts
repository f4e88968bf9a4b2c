import { endReply } from "../../reply";
import { Container } from "../container";

/** Attached clients get what is still to come of the output, then the end. */
export function endAttached(container: Container): void {
  const attached = container.attached;
  container.attached = [];
  for (let i = 0; i < attached.length; i++) endReply(attached[i]);
}
