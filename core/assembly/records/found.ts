// What `open` did with what it found, for those who want to know: the daemon's log.

import { Deed, Found as FoundNote, Note, NoteFound } from "../../../build/bindings/types";
import { Reason, reasons } from "../reason";

export class Found extends Reason {
  constructor(
    private readonly what: string,
    private readonly deed: Deed,
    private readonly why: string,
  ) {
    super();
  }

  note(): Note {
    return new NoteFound(new FoundNote(this.what, this.deed, this.why));
  }
}

/** Something was left over, and nobody speaks of it. */
export function tellSwept(what: string, why: string): void {
  reasons.push(new Found(what, Deed.Swept, why));
}

/** Something was cut short. */
export function tellMended(what: string, why: string): void {
  reasons.push(new Found(what, Deed.Mended, why));
}

/** An entry of the journal cannot be read. */
export function tellSkipped(what: string, why: string): void {
  reasons.push(new Found(what, Deed.Skipped, why));
}

export function tellAdopted(what: string, why: string): void {
  reasons.push(new Found(what, Deed.Adopted, why));
}
