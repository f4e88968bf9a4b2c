/** Whoever hears what became of a container's removal. */
export abstract class RemovalClient {
  abstract removed(): void;

  /** `why`: what the host said. */
  abstract failed(why: string): void;
}
