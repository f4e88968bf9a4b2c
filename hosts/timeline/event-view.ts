// An event as the page shows it.

export interface EventView {
  /** From 0, in the order of sending. */
  readonly number: number;
  readonly type: string;
  readonly action: string;
  readonly id: string;
  readonly attributes: Readonly<Record<string, string>>;
  /** Nanoseconds since 1970. */
  readonly at: bigint;
}
