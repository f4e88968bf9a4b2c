// Members of a record that are whole documents. Most are written as `jsonBytes` would write them: these stay bytes, and
// no tree is built. Otherwise most of the memory and of the time of a start would go into such trees.

export class KeptDocuments {
  private readonly documents: (Uint8Array | null)[];

  /** `names`: the members of the outermost object that may stay bytes. */
  constructor(private readonly names: string[]) {
    this.documents = new Array<Uint8Array | null>(names.length);
  }

  /** Whether this member may stay bytes. */
  hasPlace(name: string): bool {
    return this.names.includes(name);
  }

  /** Null if the member is a tree. */
  put(name: string, document: Uint8Array | null): void {
    this.documents[this.names.indexOf(name)] = document;
  }

  /** The member with this name; null if it is a tree. */
  of(name: string): Uint8Array | null {
    const place = this.names.indexOf(name);
    return place < 0 ? null : this.documents[place];
  }
}
