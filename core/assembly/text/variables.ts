// Environment variables, as entries `NAME=value` that keep their order. A map
// finds them by name, since a client may send a hundred thousand of them.

export class Variables {
  private readonly places: Map<string, i32> = new Map<string, i32>();
  private readonly values: Map<string, string> = new Map<string, string>();

  /** `entries`: changed in place. An entry without `=` is not a variable; of duplicates the last one is the value. */
  constructor(readonly entries: string[]) {
    for (let i = 0; i < entries.length; i++) this.note(entries[i], i);
  }

  /** Replaces the first entry of this name, or is appended. An entry without a name is ignored. */
  set(entry: string): void {
    const equals = entry.indexOf("=");
    if (equals <= 0) return;
    const name = entry.slice(0, equals);
    const place = this.places.has(name) ? this.places.get(name) : this.entries.length;
    if (place < this.entries.length) this.entries[place] = entry;
    else this.entries.push(entry);
    this.note(entry, place);
  }

  /** The position stays reserved in case the variable is set again. */
  unset(name: string): void {
    if (!this.places.has(name)) return;
    this.entries[this.places.get(name)] = "";
    this.values.delete(name);
  }

  /** Of those that are set. */
  get names(): string[] {
    return this.values.keys();
  }

  /** Empty for a variable that is not set. */
  valueOf(name: string): string {
    return this.values.has(name) ? this.values.get(name) : "";
  }

  /** Null for a variable that is not set. */
  find(name: string): string | null {
    return this.values.has(name) ? this.values.get(name) : null;
  }

  private note(entry: string, place: i32): void {
    const equals = entry.indexOf("=");
    if (equals <= 0) return;
    const name = entry.slice(0, equals);
    if (!this.places.has(name)) this.places.set(name, place);
    this.values.set(name, entry.slice(equals + 1));
  }
}

/** Applies `wanted` to `entries`: `NAME=value` sets a variable, `NAME` alone removes it. */
export function overridden(entries: string[], wanted: string[]): string[] {
  const variables = new Variables(entries);
  for (let i = 0; i < wanted.length; i++) {
    if (wanted[i].includes("=")) variables.set(wanted[i]);
    else variables.unset(wanted[i]);
  }
  return variables.entries.filter((entry) => entry.length > 0);
}
