// Where the files of a copy come from. Both hosts can send a file or a directory as a tar, so a copy is a tar that is read
// while it is made: it needs no room of its own, and every entry passes the checks of an extraction.

/** The files of a container. Paths are absolute; links are followed within the container. */
export interface CopySource {
  /** Where a path leads after all links are followed; parts that do not exist keep their names. */
  locate(path: string): string;
  /** A file or a directory as a tar, whose first member is the file itself. Throws `call` with ENOENT if there is none. */
  archive(path: string): AsyncIterable<Uint8Array>;
  /** The bytes of a regular file. Throws as `archive` does, and `wrong-kind` for any other kind of file. */
  read(path: string): AsyncIterable<Uint8Array>;
}

/** A running digest. */
export interface Hashing {
  update(bytes: Uint8Array): unknown;
  /** `sha256:` and 64 hex digits. */
  digest(): string;
}
