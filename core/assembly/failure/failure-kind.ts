// What sorts of failures there are: what commands decide by.

export enum FailureKind {
  /** What the command is about does not exist. */
  NotFound,
  /** It exists already. */
  Exists,
  /** In use by something else: a port, a mount, a directory. */
  Busy,
  /** The kernel or the registry forbids it (EACCES, EPERM, HTTP 403). */
  Denied,
  /** No room: disk, inodes, addresses, processes. */
  Exhausted,
  /** The command, or the file it is about, makes no sense. */
  Invalid,
  /** Bytes are not what their digest, size or format says. */
  Corrupt,
  /** No connection, or it broke off, maybe in the midst of an answer, or the other side went silent. */
  Unreachable,
  /** The registry wants other credentials (HTTP 401). */
  Unauthorized,
  /** Asked too often (HTTP 429). */
  Limited,
  /** Any other error answer of a registry. */
  Registry,
  /** The program to start does not exist, or the directory to start it in. */
  CommandNotFound,
  /** The program to start cannot be executed. */
  CommandNotExecutable,
  /** Ended on request, or because its client went away. */
  Interrupted,
  /** This host cannot do such a thing. */
  Unsupported,
  /** Anything else; a defect of the host. */
  Internal,
}
