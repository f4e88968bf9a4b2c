// What is wrong with a typed line.

export class Wrong extends Error {
  /** The word that was not understood; null where one is missing. */
  readonly at: string | null;

  constructor(message: string, at: string | null) {
    super(message);
    this.at = at;
  }
}

/** A value that says nothing to its option. */
export function misread(value: string, wanted: string): Wrong {
  return new Wrong(`${value} is no ${wanted}`, value);
}
