// Reports what `open` did with records and resources that it found, for the daemon's log.

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

/** Something without a record was removed. */
export function tellSwept(what: string, why: string): void {
  reasons.push(new Found(what, Deed.Swept, why));
}

/** Something that was interrupted was completed or undone. */
export function tellMended(what: string, why: string): void {
  reasons.push(new Found(what, Deed.Mended, why));
}

/** An entry of the journal could not be read. */
export function tellSkipped(what: string, why: string): void {
  reasons.push(new Found(what, Deed.Skipped, why));
}

export function tellAdopted(what: string, why: string): void {
  reasons.push(new Found(what, Deed.Adopted, why));
}
