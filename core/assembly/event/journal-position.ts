/** The end of the journal. */
export class JournalPosition {
  /** Position of the next event. */
  next: u64 = 1;
}
