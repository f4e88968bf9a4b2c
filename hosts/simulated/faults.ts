// What can go wrong in the simulated world, as inputs: a closed list. Each is set, stays until it has struck as often as
// it was told to (for ever, if not told), and can be lifted.

/** Which containers: an id, a name as `networks.join` or a launch knows it, or all. */
export type Whom = { container?: string };

/** Something that goes wrong. */
export type Fault =
  /** No connection to any registry, or to this one (`authority`, such as `docker.io`'s `registry-1.docker.io`). */
  | { kind: "registry-down"; authority?: string }
  /** 401, whatever the credentials. */
  | { kind: "registry-unauthorized"; authority?: string }
  /** 429, with `Retry-After` in seconds. */
  | { kind: "registry-limited"; authority?: string; retryAfter: number }
  /** Bytes a second. */
  | { kind: "registry-slow"; authority?: string; bytesPerSecond: number }
  /** The connection breaks after so many bytes of a blob that has more. */
  | { kind: "registry-cut"; authority?: string; afterBytes: number }
  /** A blob's bytes are not those of its digest. */
  | { kind: "registry-corrupt"; authority?: string }
  /** No room for one more byte, in layers, containers and volumes. */
  | { kind: "disk-full" }
  /** Records cannot be kept either. */
  | { kind: "records-full" }
  /** SIGTERM does nothing to processes that would end by it. */
  | ({ kind: "ignore-sigterm" } & Whom)
  /** Processes end by themselves right after their start, with this code. */
  | ({ kind: "die-at-once"; code: number } & Whom)
  /** The kernel kills a running process for memory: strikes at once, and everyone launched while it is set. */
  | ({ kind: "out-of-memory" } & Whom)
  /** The OCI runtime fails with this text. */
  | ({ kind: "runtime-fails"; message: string } & Whom)
  /** The supervisor is killed, and takes the exit code along. */
  | ({ kind: "supervisor-lost" } & Whom)
  /** The engine is killed after so many more of its outputs (records, effects, replies); 0: now. */
  | { kind: "engine-crash"; afterOutputs: number };

/** A fault that is set. */
export interface SetFault {
  readonly fault: Fault;
  /** How often it will still strike; null for ever. */
  readonly left: number | null;
}

/** The faults that are set. */
export interface Faults {
  /** In the order they were set in. */
  readonly set: readonly SetFault[];
  /** Sets one, for so many strikes; for ever if not given. Returns what lifts it. */
  inject(fault: Fault, times?: number): () => void;
  /** Lifts all of a kind. */
  lift(kind: Fault["kind"]): void;
}

/** Where those who carry out commands ask whether something goes wrong now. */
export interface FaultSource {
  /** The fault of this kind that strikes whom this is about, which counts as one strike; null when none does. */
  strike<Kind extends Fault["kind"]>(
    kind: Kind,
    about?: { authority?: string; container?: string; bytes?: number },
  ): Extract<Fault, { kind: Kind }> | null;
}
