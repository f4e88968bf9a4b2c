/** Anyone who is told the result of a container's removal. */
export abstract class RemovalClient {
  abstract removed(): void;

  /** `why`: the host's error. */
  abstract failed(why: string): void;
}
