// An error in a typed line.

export class Wrong extends Error {
  /** The word that was not understood; null if a word is missing. */
  readonly at: string | null;

  constructor(message: string, at: string | null) {
    super(message);
    this.at = at;
  }
}

/** The error for an option value that cannot be read. */
export function misread(value: string, wanted: string): Wrong {
  return new Wrong(`${value} is not a ${wanted}`, value);
}
