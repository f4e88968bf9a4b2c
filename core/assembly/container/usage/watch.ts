/** Whoever looks at what a container uses, as far as the container knows of it. */
export interface Watch {
  /** The container is gone. */
  end(): void;
}
