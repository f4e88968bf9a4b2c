// The engine in another program: what `import … from "coracle-engine"` gives.

import type { Connection, DryRun } from "../engine/index.js";
import type { Host, RecordStore, engine } from "../shared/host.js";
import type { Observer } from "../driver/index.js";

export type { Connection, DryRun };

/** A compiled core, as `embeddedCore` gives it: only an engine can open it. */
export interface CompiledCore {
  /** Makes an instance. */
  instantiate(imports: never): unknown;
}

/** What an engine is opened with. */
export interface EngineOptions {
  /** Its world, for this engine alone: `close` closes the host, too. */
  host: Host;
  /**
   * 32 bytes from which ids are made: equal seeds and equal inputs, at equal times, make equal ids. The host's own
   * (random, as a rule) if not given.
   */
  seed?: Uint8Array;
  /** Where records are kept, in place of the host's own store. `close` closes both. */
  records?: RecordStore;
  /** The core to run; the package's own if not given. */
  core?: CompiledCore;
  /** Told of every step of the core: a trace, a timeline. */
  observer?: Observer;
  /** Registries that may be spoken to without TLS: `host`, `host:port` or a CIDR block. */
  insecureRegistries?: readonly string[];
  /** Labels of the engine, `key=value`, shown in `/info`. */
  labels?: readonly string[];
  /** JSON bodies beyond this many bytes are refused with 413; 4 MiB if not given. */
  bodyLimit?: number;
  /** No instance of the core can be kept: the engine is down and stays so. Logged to the console if not given. */
  onFatal?: (error: unknown) => void;
}

/** A message of `GET /events` (API 1.24 and later). */
export interface EngineEvent {
  /** What it is about: `container`, `image`, `network`, `volume`. */
  Type: string;
  /** What happened to it: `start`, `die`, `pull`. */
  Action: string;
  /** Whom it happened to: id, or name where the API has no id; labels and what else belongs to the action. */
  Actor: { ID: string; Attributes: Record<string, string> };
  /** `local`. */
  scope: string;
  /** Seconds since 1970. */
  time: number;
  /** Nanoseconds since 1970: too many for a number to be exact, by up to 128. */
  timeNano: number;
}

/** Which events are wanted. */
export interface EventQuery {
  /** Seconds since 1970, or an RFC 3339 time. */
  since?: string;
  /** As `since`; without it there is no end. */
  until?: string;
  /** As in the API: `{ type: ["container"] }`. */
  filters?: Readonly<Record<string, readonly string[]>>;
  /** Ends it. */
  signal?: AbortSignal;
}

/** A container engine. */
export interface Engine {
  /**
   * Answers a request of the Docker Engine API. The URL's host means nothing: `http://engine/v1.51/containers/json`; a
   * path alone will do. Rejects as `fetch` does when the engine is down, or dies before the head of the reply. A request
   * whose body is at hand (none, text, bytes) has been made when this returns. A body that nobody reads must be cancelled.
   */
  fetch(input: Request | URL | string, init?: RequestInit): Promise<Response>;
  /**
   * Sends a request that takes the connection off HTTP (`POST /containers/{id}/attach`), and asks for the upgrade that
   * this needs. Rejects as `fetch` does.
   */
  connect(input: Request | URL | string, init?: RequestInit): Promise<Connection>;
  /** The engine's events as they come, until `signal` aborts, `until` has come or the engine is closed. */
  events(query?: EventQuery): AsyncIterableIterator<EngineEvent>;
  /**
   * A session of dry runs. A single request is one by its header `Coracle-Dry-Run: 1`; with `plan` in place of `1` it is
   * answered with what would be done, as a `Plan`.
   */
  dryRun(): DryRun;
  /** The containers' state machine, from the core's own table. */
  rules(): engine.Rule[];
  /** Ends it as `kill -9` would, between two outputs. The world goes on; requests fail until `reopen`. */
  crash(): void;
  /** Starts it again after `crash`, from its records and what the host finds. */
  reopen(): Promise<void>;
  /** `down` after a crash. */
  readonly state: "open" | "down" | "closed";
  /**
   * Ends it in order: nothing new is taken, what is under way is answered within half a second, streams are broken off.
   * Closes records and host. Containers go on where they outlive their host, as Linux's do.
   */
  close(): Promise<void>;
}
