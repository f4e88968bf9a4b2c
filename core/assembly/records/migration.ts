// One step from a version of the records to the next.

export abstract class Migration {
  /** A record in the new form; null if it stays as it is. Bytes that make no sense stay, and are set aside when they are read. */
  abstract record(key: string, value: Uint8Array): Uint8Array | null;
}
