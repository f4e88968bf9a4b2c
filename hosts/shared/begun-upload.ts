// An upload to a registry that broke off: another try goes on there, if that can be.

import { isUnreachable } from "./failure.js";

/** Where an upload that broke off may go on. */
export interface Begun {
  /** May hold what lets others write there: SECRET. */
  place: string;
  /** How many bytes the registry had when the newest try began to send. If it has no more by now, it is of no use. */
  had: number;
  /** How often in a row the registry could not say what it has. */
  unanswered: number;
}

/** What a host notes of an upload, so that another try may go on. */
export interface UploadNote {
  /** What an earlier try has left; undefined if none is known. */
  read(): Begun | undefined | Promise<Begun | undefined>;
  /** Whether this try has broken off, and another one may go on. */
  readonly mayGoOn: boolean;
}

/** Sends on from where an earlier try broke off. If the registry does not have that any more, it sends all anew. */
export async function sendOnOrAnew<T>(
  note: UploadNote,
  send: (begun: Begun | undefined) => Promise<T>,
  signal: AbortSignal,
): Promise<T> {
  const begun = await note.read();
  if (begun !== undefined) {
    try {
      return await send(begun);
    } catch (error) {
      if (isUnreachable(error) || signal.aborted || note.mayGoOn) throw error;
    }
  }
  return send(undefined);
}
