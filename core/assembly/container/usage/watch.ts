/** Watches a container's usage; the part that the container itself knows. */
export interface Watch {
  /** The container was removed. */
  end(): void;
}
