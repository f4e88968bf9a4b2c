import { endReply } from "../../reply";
import { Container } from "../container";

/** Attached clients get the rest of the output, then their streams end. */
export function endAttached(container: Container): void {
  const attached = container.attached;
  container.attached = [];
  for (let i = 0; i < attached.length; i++) endReply(attached[i]);
}
