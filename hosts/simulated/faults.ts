// The faults of the simulated world, a closed list. Like everything from outside, they enter as inputs. A fault stays
// set until it has struck as many times as requested (for ever if no number was given), or until it is lifted.

/** Which containers: an id, a name as `networks.join` or a launch knows it, or all if not given. */
export type Whom = { container?: string };

/** Which cables: those of containers and networks, each by id or name; all if not given. */
export type Cable = Whom & { network?: string };

/** A fault. */
export type Fault =
  /** No connection to any registry, or to this one (`authority`, such as `docker.io`'s `registry-1.docker.io`). */
  | { kind: "registry-down"; authority?: string }
  /** 401, whatever the credentials are. */
  | { kind: "registry-unauthorized"; authority?: string }
  /** 429, with `Retry-After` in seconds. */
  | { kind: "registry-limited"; authority?: string; retryAfter: number }
  /** Answers with this status, 500 or more, to all that is about a repository. */
  | { kind: "registry-fails"; authority?: string; status: number }
  /** The registry sends this many bytes per second. */
  | { kind: "registry-slow"; authority?: string; bytesPerSecond: number }
  /** The connection breaks after this many bytes of a larger blob, in either direction. */
  | { kind: "registry-cut"; authority?: string; afterBytes: number }
  /** The bytes of a blob do not match its digest. */
  | { kind: "registry-corrupt"; authority?: string }
  /** The disk is full: no room for another byte in layers, containers and volumes. */
  | { kind: "disk-full" }
  /** Records cannot be written either. */
  | { kind: "records-full" }
  /** SIGTERM has no effect on processes that it would end. */
  | ({ kind: "ignore-sigterm" } & Whom)
  /** Processes exit with this code right after their start. */
  | ({ kind: "die-at-once"; code: number } & Whom)
  /**
   * The OOM killer kills a running process. Strikes running containers at once, and every container launched while it
   * is set.
   */
  | ({ kind: "out-of-memory" } & Whom)
  /** The OCI runtime fails with this message. */
  | ({ kind: "runtime-fails"; message: string } & Whom)
  /** The supervisor is killed, and the exit code is lost with it. */
  | ({ kind: "supervisor-lost" } & Whom)
  /** A cable is cut: packets get lost at containers' ends of it. Connections wait, and go on if it is lifted soon. */
  | ({ kind: "network-cut" } & Cable)
  /** This share of packets gets lost, from 0 to 100. Programs notice delays, because TCP sends them again. */
  | ({ kind: "network-loss"; percent: number } & Cable)
  /** Each packet is late by this many milliseconds, and takes its time at this speed. */
  | ({ kind: "network-slow"; delayMs?: number; bytesPerSecond?: number } & Cable)
  /** The engine is killed after this many more of its outputs (records, effects, replies); 0 means now. */
  | { kind: "engine-crash"; afterOutputs: number };

/** A fault that is set. */
export interface SetFault {
  readonly fault: Fault;
  /** How many more times it will strike; null for ever. */
  readonly left: number | null;
}

/** The faults that are set. */
export interface Faults {
  /** In the order in which they were set. */
  readonly set: readonly SetFault[];
  /**
   * Sets a fault for this many strikes; for ever if not given. Returns a function that lifts it. Throws `RangeError` if
   * its speed is not above 0, or its delay is no time.
   */
  inject(fault: Fault, times?: number): () => void;
  /** Lifts all faults of a kind. */
  lift(kind: Fault["kind"]): void;
}

/** The code that carries out commands asks here whether something goes wrong now. */
export interface FaultSource {
  /** Returns the fault of this kind that applies to the target, and counts one strike; null if there is none. */
  strike<Kind extends Fault["kind"]>(
    kind: Kind,
    about?: { authority?: string; container?: string; bytes?: number; network?: string; networkName?: string },
  ): Extract<Fault, { kind: Kind }> | null;
}
