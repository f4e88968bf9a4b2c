// Migrates records from one version to the next.

export abstract class Migration {
  /**
   * The record in the new form; null if it stays the same. Invalid bytes stay, and are set aside when they are read.
   */
  abstract record(key: string, value: Uint8Array): Uint8Array | null;
}
