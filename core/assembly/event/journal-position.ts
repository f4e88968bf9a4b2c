/** How far the journal has come. */
export class JournalPosition {
  /** Position of the next event. */
  next: u64 = 1;
}
