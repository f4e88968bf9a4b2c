import { Container } from "./container";

/** Something that waits for a container's run to end: a stop, a kill. */
export abstract class RunEnd {
  abstract runEnded(container: Container): void;
}
