// The kinds of failures, by which commands decide what to do.

export enum FailureKind {
  /** The subject of the command does not exist. */
  NotFound,
  /** It already exists. */
  Exists,
  /** In use by something else: a port, a mount, a directory. */
  Busy,
  /** The kernel or the registry forbids it (EACCES, EPERM, HTTP 403). */
  Denied,
  /** No space left: disk, inodes, addresses, processes. */
  Exhausted,
  /** The command, or the file that it refers to, is invalid. */
  Invalid,
  /** The bytes do not match their digest, size or format. */
  Corrupt,
  /**
   * There was no connection, or it broke (perhaps in the middle of an answer), or the other side stopped responding.
   */
  Unreachable,
  /** The registry requires other credentials (HTTP 401). */
  Unauthorized,
  /** Too many requests (HTTP 429). */
  Limited,
  /** Any other error answer from a registry. */
  Registry,
  /** The program to start, or its working directory, does not exist. */
  CommandNotFound,
  /** The program to start cannot be executed. */
  CommandNotExecutable,
  /** Cancelled on request, or because the client disconnected. */
  Interrupted,
  /** This host does not support it. */
  Unsupported,
  /** Anything else; a bug in the host. */
  Internal,
}
